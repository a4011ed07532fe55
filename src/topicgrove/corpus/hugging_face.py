"""Read documents from Hugging Face datasets, in memory or streamed, without importing their library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.names import listed
from topicgrove.corpus.tables import parse_columns, wanted_columns

_BATCH_ROWS = 1024
_STRINGS = ("string", "large_string")


def is_dataset(value: Any) -> bool:
    """Return whether a value is a Dataset or an IterableDataset, or a dict of them."""
    return hasattr(value, "column_names") and hasattr(value, "with_format")


def checked_dataset(value: Any, name: str) -> Any:
    """Return the dataset; refuse a dict of datasets, naming its splits."""
    if isinstance(value, Mapping):
        splits = list(value)
        raise TypeError(
            f"{name} is a {type(value).__name__} with the splits {listed(splits)}; give one of them"
            + (f", {name}[{splits[0]!r:.60}]" if splits else "")
        )
    return value


def column_names(dataset: Any) -> list[str]:
    """Return the columns; a stream without that information is judged by its first row."""
    if dataset.column_names is not None:
        return list(dataset.column_names)
    return list(next(iter(dataset.with_format(None)), {}))


def string_columns(dataset: Any) -> list[str]:
    """Return the columns that hold strings."""
    if dataset.features is not None:
        return [name for name, feature in dataset.features.items() if getattr(feature, "dtype", None) in _STRINGS]
    first: dict[str, Any] = next(iter(dataset.with_format(None)), {})
    return [name for name, value in first.items() if isinstance(value, str)]


def with_columns(dataset: Any, text: str, others: Sequence[str]) -> Any:
    """Return the dataset with only some columns, the one of the text renamed to "text"."""
    chosen = dataset.select_columns([text, *others])
    return chosen if text == "text" else chosen.rename_column(text, "text")


def dataset_blocks(dataset: Any, fields: Fields) -> Blocks:
    """Read the documents of a dataset, one per row; only the wanted columns are read."""
    place = "the dataset"
    wanted = wanted_columns(column_names(dataset), fields, place)
    names = _class_names((dataset.features or {}).get(fields.class_field))
    first = 0
    for batch in dataset.with_format(None).select_columns(wanted).iter(batch_size=_BATCH_ROWS):
        columns = {name: batch[name] for name in wanted}
        if names is not None and fields.class_field is not None:
            columns[fields.class_field] = [_classes(value, names) for value in columns[fields.class_field]]
        yield partial(parse_columns, place, first, columns, Documents(), fields)
        first += len(columns[wanted[0]])


def _class_names(feature: Any) -> Sequence[str] | None:
    """Return the names of a column's numbered classes; None if it has none."""
    if isinstance(feature, list | tuple):
        feature = feature[0] if feature else None
    inner = getattr(feature, "feature", feature)
    return getattr(inner, "names", None)


def _classes(value: Any, names: Sequence[str]) -> list[str] | None:
    """Return the names of one or several class numbers; -1 means no class."""
    numbers = value if isinstance(value, list) else [value]
    return [names[number] for number in numbers if number is not None and number >= 0] or None
