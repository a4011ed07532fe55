"""Read documents from Parquet files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from functools import partial
from typing import Any

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.tables import parse_columns, wanted_columns
from topicgrove.corpus.textfiles import DOCUMENT_MAX_BYTES, FilePath, check_memory_left, check_readable
from topicgrove.extras import needed

_BATCH_ROWS = 1024
_BATCHES_BETWEEN_LOOKS = 64


def parquet(path: FilePath, fields: Fields, max_bytes: int) -> Blocks:
    """Read the documents of a Parquet file, one per row."""
    with needed("pyarrow", f"reading {path}"):
        import pyarrow
        from pyarrow import parquet as files
    check_readable(path)
    name = os.fspath(path)
    n_rows = n_bytes = 0
    try:
        # Open it here: given a name, pyarrow would read a folder as a dataset.
        with open(path, "rb") as opened:
            metadata = files.read_metadata(opened)
            wanted = wanted_columns(metadata.schema.to_arrow_schema().names, fields, name)
            for i, batch in enumerate(_batches(opened, metadata, wanted)):
                if i % _BATCHES_BETWEEN_LOOKS == 0:
                    check_memory_left(path, f"after row {n_rows}")
                for part, part_bytes in _parts(batch, n_rows, name):
                    n_bytes += part_bytes
                    if n_bytes > max_bytes:
                        raise ValueError(f"{name}: more than max_bytes={max_bytes} bytes of text")
                    first, n_rows = n_rows, n_rows + part.num_rows
                    documents = Documents(n_bytes=part_bytes, share=n_rows / metadata.num_rows)
                    yield partial(parse_columns, name, first, part.to_pydict(), documents, fields)
    except pyarrow.ArrowMemoryError as error:
        raise OSError(errno.ENOMEM, f"too large for the memory that is free: {error}", name) from error
    except (pyarrow.ArrowException, UnicodeDecodeError, OSError) as error:
        # pyarrow raises OSError for damage, too, but without an errno; errors of the disk have one.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{name}: truncated or damaged Parquet file: {error}") from error


def _batches(opened: Any, metadata: Any, wanted: list[str]) -> Iterator[Any]:
    """Give some rows at a time; texts that many rows share in the file stay shared."""
    from pyarrow import parquet as files

    columns = map(metadata.schema.column, range(len(metadata.schema)))
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    with files.ParquetFile(opened, metadata=metadata, read_dictionary=texts) as file:
        yield from file.iter_batches(batch_size=_BATCH_ROWS, columns=wanted)


def _parts(batch: Any, first: int, name: str) -> Iterator[tuple[Any, int]]:
    """Split a batch into parts no larger than one document may be; give each with its size."""
    n_bytes = sum(map(_unpacked_bytes, batch.columns))
    if n_bytes <= DOCUMENT_MAX_BYTES:
        yield batch, n_bytes
    elif batch.num_rows == 1:
        raise ValueError(
            f"{name}: row {first}: more than {DOCUMENT_MAX_BYTES} bytes, the most that a document may have"
        )
    else:
        half = batch.num_rows // 2
        yield from _parts(batch.slice(0, half), first, name)
        yield from _parts(batch.slice(half), first + half, name)


def _unpacked_bytes(array: Any) -> int:
    """Return the bytes that a column takes once every row has its own text."""
    from pyarrow import compute, types

    if types.is_dictionary(array.type):
        if not types.is_binary(array.type.value_type) and not types.is_string(array.type.value_type):
            return int(array.dictionary.nbytes)
        lengths = compute.binary_length(array.dictionary)
        return compute.sum(lengths.take(array.indices)).as_py() or 0
    if types.is_nested(array.type):
        inner = array.flatten()
        return sum(map(_unpacked_bytes, inner if isinstance(inner, list) else [inner]))
    return int(array.nbytes)
