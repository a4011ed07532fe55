"""Zip files and Excel workbooks with damaged bytes or contents; accepted ones are compared with slow readers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

from . import samples
from .cases import Target
from .damage import choose, damaged, flip
from .mutations import Random
from .readers import File, Reader, reading_options

Members = list[tuple[zipfile.ZipInfo, bytes]]

NAMES = [b"a.txt", b"../a.txt", b"/a.txt", b"a/b/c.txt", b"", b".", b"..", b"a\\..\\b.txt", b"C:\\x.txt", b"a.zip",
         b"data.csv", b"\xc3\xa9\n.txt", b"__MACOSX/._a.txt", b"x" * 300, b"a.txt/"]  # fmt: skip


class Archive(Reader):
    """A zip file of some members."""

    share = 6

    def __init__(self, names: tuple[str, ...], members: Callable[[Random], dict[str, bytes]]) -> None:
        super().__init__(names, lambda: b"", is_text=False)
        self._members = members

    def generate(self, rng: Random, folder: Path) -> File:
        """Make an archive with damaged members, odd names and entries, or damaged bytes."""
        pairs = [(_entry(name), data) for name, data in self._members(rng).items()]
        if rng.random() < 0.6:
            i = int(rng.integers(min(4, len(pairs))))
            pairs[i] = pairs[i][0], damaged(rng, pairs[i][1])
        if rng.random() < 0.25:
            pairs = _odd(rng, pairs)
        data = _packed(pairs)
        if rng.random() < 0.3:
            data = damaged(rng, data) if rng.random() < 0.5 else flip(rng, data)
        path = folder / self._names[rng.integers(len(self._names))]
        path.write_bytes(data)
        return File(path, reading_options(rng))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _odd(rng: Random, pairs: Members) -> Members:
    """Damage an archive: another name, a link, another compression, a duplicate name, a missing member, or a bomb."""
    i = int(rng.integers(len(pairs)))
    entry, data = pairs[i]
    kind = rng.integers(6)
    if kind == 0:
        pairs[i] = _entry(choose(rng, NAMES).decode() or "x"), data
    elif kind == 1:
        entry.external_attr = 0o120777 << 16
    elif kind == 2:
        entry.compress_type = (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)[rng.integers(3)]
    elif kind == 3:
        pairs.append((_entry(entry.filename), data))
    elif kind == 4:
        del pairs[i]
    elif rng.random() < 0.2:
        pairs[i] = entry, data + b" " * (90 * 2**20)
    return pairs


def _packed(pairs: Members) -> bytes:
    # Not by writestr of a name that comes twice, which warns.
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for entry, data in pairs:
            archive.NameToInfo.pop(entry.filename, None)
            archive.writestr(entry, data)
    return sink.getvalue()


def texts(rng: Random) -> dict[str, bytes]:
    """Text files in folders, perhaps below a common one."""
    top = "docs/" if rng.random() < 0.5 else ""
    return {f"{top}{row['label']}/{row['id']}.txt": row["text"].encode() for row in samples.records()}


def table(rng: Random) -> dict[str, bytes]:
    """One table, perhaps with notes."""
    kinds = {
        "csv": "data.csv",
        "semicolons": "data.csv",
        "tsv": "data.tsv",
        "jsonl": "sub/data.jsonl",
        "json": "a.json",
        "txt": "texts.txt",
    }
    kind = list(kinds)[rng.integers(len(kinds))]
    notes = {"README.txt": b"notes"} if kind != "txt" and rng.random() < 0.3 else {}
    return {kinds[kind]: samples.text_files()[kind]} | notes


def workbook(rng: Random) -> dict[str, bytes]:
    """Return the parts of a workbook, starting with those that are read."""
    return samples.workbook_parts()


TARGETS: dict[str, Target] = {
    "zipped-folder": Archive(("texts.zip", "texts"), texts),
    "zipped-table": Archive(("table.zip", "table"), table),
    "workbook": Archive(("book.xlsx", "book"), workbook),
}
