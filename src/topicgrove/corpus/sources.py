"""Read documents from any source, as blocks that threads parse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, repeat
from pkgutil import resolve_name
from typing import Any

from topicgrove.corpus.archives import zipped
from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.format_table import FORMATS, is_stream
from topicgrove.corpus.hugging_face import checked_dataset, column_names, dataset_blocks, is_dataset
from topicgrove.corpus.tables import (
    as_list,
    check_not_lazy,
    data_frame,
    has_column,
    is_data_frame,
)
from topicgrove.corpus.textfiles import FilePath, Source, TextStream

_BLOCK_TEXTS = 1024


def file_blocks(source: Source, kind: str, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a file, folder or stream of texts in the format ``kind``."""
    if isinstance(source, TextStream) and not is_stream(kind):
        raise ValueError(f"{source}: {kind} can only be read from a file")
    blocks: Blocks = resolve_name(FORMATS[kind].reader)(source, fields, max_bytes)
    return blocks


def zip_file(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a zip file: a folder of texts, or a single file of any format that can be a stream."""
    return zipped(path, fields, max_bytes, file_blocks)


def memory_blocks(texts: Any, ids: Iterable[object] | None, fields: Fields) -> tuple[Blocks, bool]:
    """Return the documents of texts in memory, and whether they have names."""
    if isinstance(texts, str | bytes):
        raise TypeError(f"texts must be an iterable of strings, not one {type(texts).__name__}")
    check_not_lazy(texts, "texts")
    has_rows = is_data_frame(texts) or is_dataset(texts)
    if has_rows and ids is not None:
        raise TypeError("ids: name the column of the data frame instead, id_field=...")
    if is_dataset(texts):
        dataset = checked_dataset(texts, "texts")
        return dataset_blocks(dataset, fields), fields.id_field is not None or "id" in column_names(dataset)
    if has_rows:
        return data_frame(texts, fields), fields.id_field is not None or has_column(texts, "id")
    values = as_list(texts)
    if not isinstance(values, Iterable):
        raise TypeError(f"texts must be an iterable of strings, not {type(texts).__name__}")
    return _text_blocks(values, None if ids is None else as_list(ids), fields), ids is not None


def _text_blocks(texts: Iterable[Any], ids: Iterable[object] | None, fields: Fields) -> Iterator[Any]:
    names = repeat(None) if ids is None else ids
    pairs = zip(texts, names, strict=ids is not None)
    first = 0
    while block := list(islice(pairs, _BLOCK_TEXTS)):
        yield partial(_parse_texts, first, block, fields)
        first += len(block)


def _parse_texts(first: int, pairs: list[tuple[Any, object]], fields: Fields) -> Documents:
    documents = Documents()
    for i, (text, name) in enumerate(pairs, start=first):
        documents.add_text(text, fields, partial("texts[{}]".format, i), None if name is None else str(name))
    return documents
