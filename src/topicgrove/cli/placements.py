"""Write placed documents as JSON Lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from topicgrove.extras import needed

SUFFIXES = (".jsonl", ".csv", ".parquet")


class Placed(NamedTuple):
    """A document with its place in a tree.

    >>> Placed("a.txt", [0, 2], {0: 0.25, 2: 0.75}, -17.5).as_json()
    '{"id": "a.txt", "path": [0, 2], "proportions": {"0": 0.25, "2": 0.75}, "log_probability": -17.5}'
    """

    id: str
    path: list[int]
    proportions: dict[int, float]
    log_probability: float

    def as_json(self) -> str:
        """Return a line of JSON."""
        return json.dumps(self._asdict(), allow_nan=False)


Batches = Iterable[list[Placed]]


def writer_for(path: Path) -> Callable[[Batches, Path], None]:
    """Return the function that atomically writes a file of that name."""
    writers = {".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}
    if path.suffix not in writers:
        raise ValueError(f"{path}: the name must end in one of {', '.join(SUFFIXES)}")
    if path.suffix == ".parquet":
        _pyarrow()
    return writers[path.suffix]


def write_lines(batches: Batches, file: TextIO | None = None) -> None:
    """Write JSON Lines to an open file, or to standard output."""
    for batch in batches:
        for document in batch:
            print(document.as_json(), file=file or sys.stdout)


def _write_jsonl(batches: Batches, path: Path) -> None:
    from topicgrove.whole_files import whole_file

    with whole_file(path) as unfinished, unfinished.open("w", encoding="utf-8") as file:
        write_lines(batches, file)


def _write_csv(batches: Batches, path: Path) -> None:
    """Write CSV: paths as topics separated by spaces, proportions as JSON; ids like formulas get an apostrophe."""
    from topicgrove.tree.exports import FORMULA
    from topicgrove.tree.outline import escape
    from topicgrove.whole_files import whole_file

    with whole_file(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Placed._fields)
        for batch in batches:
            for document in batch:
                name = escape(document.id)
                cell = f"'{name}" if name.lstrip().startswith(FORMULA) else name
                shares = json.dumps(document.proportions)
                writer.writerow([cell, " ".join(map(str, document.path)), shares, document.log_probability])


def _write_parquet(batches: Batches, path: Path) -> None:
    from topicgrove.whole_files import whole_file

    pa, pq = _pyarrow()
    types = [pa.string(), pa.list_(pa.int64()), pa.map_(pa.int64(), pa.float64()), pa.float64()]
    schema = pa.schema(list(zip(Placed._fields, types, strict=True)))
    # Arrow cannot open every valid file name.
    with whole_file(path) as unfinished, unfinished.open("wb") as file, pq.ParquetWriter(file, schema) as writer:
        for batch in batches:
            rows = [document._asdict() | {"proportions": list(document.proportions.items())} for document in batch]
            writer.write_table(pa.Table.from_pylist(rows, schema))


def _pyarrow() -> tuple[Any, Any]:
    with needed("pyarrow", "writing Parquet"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet
