"""Damaged files of documents and counts; what a reader accepts is compared with a slow and simple reader."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import zstandard
from numpy.testing import assert_array_equal

from topicgrove import Corpus, build_store, open_store, read_corpus, read_uci
from topicgrove.corpus import detect_format

from . import samples
from .cases import Target
from .damage import damaged, packed
from .mutations import Random

COLUMNS = ("n_words", "vocabulary", "rules", "n_unknown_words")
LONG = 10**6
"""Bytes and tokens beyond which slow readers take too long."""


class File(NamedTuple):
    """What is read, and how."""

    path: Path
    options: dict[str, Any]


class Reader(Target):
    """A file in a format."""

    share = 6

    def __init__(self, names: tuple[str, ...], data: Callable[[], bytes], *, is_text: bool = True) -> None:
        self._names = names
        self._data = data
        self._is_text = is_text

    def generate(self, rng: Random, folder: Path) -> File:
        """Make a damaged file, whose name may or may not reveal its format."""
        name = self._names[rng.integers(len(self._names))]
        data = damaged(rng, self._data())
        suffix, data = packed(rng, data) if self._is_text else ("", data)
        path = folder / (name + (suffix if rng.random() < 0.8 else ""))
        path.write_bytes(data)
        return File(path, reading_options(rng))

    def run(self, given: File) -> Corpus:
        """Read it."""
        return read_corpus(given.path, **given.options)

    def check(self, given: File, result: Corpus) -> None:
        """The corpus is one, and the same as that of a slow reader and of a store made of the file."""
        kept = given.path.parent / "kept"
        check_corpus(result, kept)
        if "vocabulary" not in given.options:
            build_store(given.path, kept / "built", **given.options)
            assert_same(open_store(kept / "built"), result)
        texts = slow_texts(given) if given.options.get("max_bytes", LONG) >= LONG else None
        if isinstance(texts, list):
            rules = {name: given.options[name] for name in ("vocabulary", "min_df") if name in given.options}
            assert_same_words(Corpus.from_texts(texts, n_jobs=1, **rules), result)
        elif texts is not None:
            assert texts == counts_of(result)

    def check_refusal(self, given: Any, error: Exception) -> None:
        """The message names the file, unless it is about all documents together, or names the rule."""
        known = ("no words are left", "max_df=")
        assert any(text in str(error) for text in (given.path.name, *known)), f"no file in {error}"


class Folder(Reader):
    """A folder of text files."""

    share = 3

    def __init__(self) -> None:
        super().__init__(("folder",), lambda: b"")

    def generate(self, rng: Random, folder: Path) -> File:
        """Make files with arbitrary names and contents, nested folders, and links."""
        root = folder / "folder"
        root.mkdir()
        names = ["a.txt", "b.txt", "sub/c.txt", "sub/sub/d.txt", ".hidden.txt", "e.TXT", "f.txt/g.txt", "é\n.txt"]
        for row, name in zip(samples.records(), names, strict=False):
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            data = row["text"].encode()
            path.write_bytes(packed(rng, damaged(rng, data) if rng.random() < 0.2 else data)[1])
        kind = rng.integers(12)
        if kind < 4:
            targets = ["a.txt", "..", "nowhere.txt", "sub"]
            (root / "link.txt").symlink_to(targets[kind])
        elif kind == 4:
            (root / "loop.txt").symlink_to("loop.txt")
        return File(root, reading_options(rng))


class Vocabulary(Target):
    """The words of a file of counts."""

    share = 3

    def generate(self, rng: Random, folder: Path) -> Path:
        """A whole file of counts and a damaged file of words."""
        (folder / "docword.small.txt").write_bytes(samples.text_files()["uci"])
        path = folder / "vocab.small.txt"
        path.write_bytes(packed(rng, damaged(rng, samples.text_files()["vocab"]))[1])
        return path

    def run(self, given: Path) -> Corpus:
        """Read both."""
        return read_uci(given.parent / "docword.small.txt")

    def check(self, given: Path, result: Corpus) -> None:
        """All lines are words."""
        check_corpus(result, given.parent / "kept")
        lines = unpacked(given).decode("utf-8-sig").removesuffix("\n").split("\n")
        assert result.vocabulary == tuple(line.removesuffix("\r") for line in lines)

    def check_refusal(self, given: Any, error: Exception) -> None:
        """The message names the file."""
        assert given.name in str(error), f"no file in {error}"


def reading_options(rng: Random) -> dict[str, Any]:
    """Options of `read_corpus`, most of the time the usual ones."""
    options: dict[str, Any] = {"n_jobs": int(rng.integers(1, 3))}
    choices: list[dict[str, Any]] = [
        {"encoding_errors": "replace"}, {"encoding_errors": "ignore"}, {"titles": True}, {"title_field": "title"},
        {"id_field": "id"}, {"id_field": "n"}, {"class_field": "label"}, {"text_field": "title"}, {"text_field": ""},
        {"text_field": "title,text"}, {"text_field": "extra.text"},
        {"max_bytes": 100}, {"vocabulary": ["moon", "puck", "news"]}, {"min_df": 2}, {"min_df": 0.9},
    ]  # fmt: skip
    for _ in range(rng.choice(3, p=[0.6, 0.25, 0.15])):
        options |= choices[rng.integers(len(choices))]
    return options


def check_corpus(corpus: Corpus, folder: Path) -> None:
    """Check every corpus: its invariants, and that it survives a matrix and a store."""
    replace(corpus)  # The constructor checks everything.
    if corpus.n_tokens > LONG:
        return
    assert_same_words(Corpus.from_matrix(corpus.to_csr()), replace(corpus, vocabulary=None))
    folder.mkdir()
    corpus.save(folder / "store")
    assert_same(open_store(folder / "store"), corpus)


def assert_same_words(one: Corpus, other: Corpus) -> None:
    """The same tokens of the same vocabulary."""
    assert_array_equal(one.words, other.words)
    assert_array_equal(one.offsets, other.offsets)
    assert (one.n_words, one.vocabulary) == (other.n_words, other.vocabulary)


def assert_same(one: Corpus, other: Corpus) -> None:
    """The same corpus in all that it has."""
    assert_same_words(one, other)
    for name in ("ids", "titles", "labels"):
        entries = [None if (column := getattr(c, name)) is None else list(column) for c in (one, other)]
        assert entries[0] == entries[1], name
    for name in COLUMNS:
        assert getattr(one, name) == getattr(other, name), name


def counts_of(corpus: Corpus) -> tuple[int, dict[tuple[int, int], int]]:
    """Documents and counts of a corpus, one by one."""
    counts = corpus.to_csr().tocoo()
    pairs = zip(counts.row.tolist(), counts.col.tolist(), strict=True)
    return corpus.n_docs, dict(zip(pairs, counts.data.tolist(), strict=True))


def unpacked(path: Path) -> bytes:
    """The text of a file."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == zstandard.FRAME_HEADER:
        return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return data


def slow_texts(given: File) -> Any:
    """The texts of a file, or its counts, by the simplest means; None where there are none, or too much."""
    kind = detect_format(given.path)
    if kind == "xlsx":
        return slow_cells(given)
    if kind in ("store", "folder", "parquet", "zip") or len(data := unpacked(given.path)) > LONG:
        return None
    if kind in ("uci", "ldac", "matrix-market"):
        return None if "vocabulary" in given.options else slow_counts(kind, data)
    data = data.rstrip(b" \t\n\r\v\f") if kind == "text" else data
    text = data.decode("utf-8", given.options.get("encoding_errors", "strict"))
    rows = text.removeprefix("\ufeff").split("\n")
    field = given.options.get("text_field", "text")
    if kind == "text":
        return rows
    if kind == "jsonl":
        return [slow_field(json.loads(row), field) for row in rows if row.strip()]
    if kind == "json":
        return [row if isinstance(row, str) else slow_field(row, field) for row in json.loads("\n".join(rows))]
    while rows and not rows[-1].strip(" \t\r\v\f"):
        rows.pop()
    tables = [slow_table("\n".join(rows), separator) for separator in ("\t" if kind == "tsv" else ",;\t|")]
    names = next(table.fieldnames for table in tables if has_fields(table.fieldnames or [], field))
    table = next(table for table in tables if table.fieldnames is names)
    return [slow_field(row, field) for row in table]


def slow_cells(given: File) -> list[str] | None:
    """The texts of a workbook by openpyxl; None if it cannot read what we can."""
    import openpyxl

    try:
        book = openpyxl.load_workbook(given.path, read_only=True, data_only=True)
        header, *rows = [
            row for row in book.worksheets[0].iter_rows(values_only=True) if any(map(str, filter(None, row)))
        ]
    except Exception:  # It has many, and stops at parts that we do not read.
        return None
    records = [{str(name): value for name, value in zip(header, row, strict=False)} for row in rows]
    field = given.options.get("text_field", "text")
    return [slow_field({name: value or "" for name, value in row.items()}, field) for row in records]


def slow_table(text: str, separator: str) -> csv.DictReader[str]:
    """A table by one of the separators."""
    return csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)


def has_fields(names: Sequence[str], field: str) -> bool:
    """Whether a table has what is asked for."""
    return field in names or all(part in names for part in field.split(","))


def slow_field(row: dict[str, Any], field: str) -> str:
    """The text of a record: of one field, of one inside another, or of two."""
    if field in row:
        return str(row[field])
    if "." in field:
        outer, _, inner = field.partition(".")
        return str(row[outer][inner])
    return "\n\n".join(row[part] for part in field.split(",") if (row.get(part) or "").strip())


def slow_counts(kind: str, data: bytes) -> tuple[int, dict[tuple[int, int], int]]:
    """Documents and counts of a file of counts."""
    rows = data.rstrip().split(b"\n")
    counts: Counter[tuple[int, int]] = Counter()
    if kind == "ldac":
        for d, row in enumerate(rows):
            size, *pairs = row.split()
            assert int(size) == len(pairs)
            for pair in pairs:
                word, count = pair.split(b":")
                counts[d, int(word)] += int(count)
        return len(rows), dict(counts)
    if kind == "uci":
        (n_docs,), (n_words,), (n_entries,) = (map(int, row.split()) for row in rows[:3])
        entries = rows[3:]
    else:
        sizes, *entries = [row for i, row in enumerate(rows) if i > 0 and not row.startswith(b"%")]
        n_docs, n_words, n_entries = map(int, sizes.split())
    assert len(entries) == n_entries
    for entry in entries:
        d, w, count = map(float, entry.split())
        assert 1 <= d <= n_docs
        assert 1 <= w <= n_words
        assert count == int(count) >= 1
        counts[int(d) - 1, int(w) - 1] += int(count)
    return n_docs, dict(counts)


def _text(name: str) -> Callable[[], bytes]:
    return lambda: samples.text_files()[name]


TARGETS: dict[str, Target] = {
    "uci": Reader(("docword.small.txt", "counts"), _text("uci")),
    "ldac": Reader(("small.ldac", "counts"), _text("ldac")),
    "mtx": Reader(("small.mtx", "counts"), _text("mtx")),
    "jsonl": Reader(("small.jsonl", "small.json", "texts"), _text("jsonl")),
    "json": Reader(("small.json", "texts"), _text("json")),
    "strings": Reader(("small.json",), _text("strings")),
    "csv": Reader(("small.csv",), _text("csv")),
    "semicolons": Reader(("small.csv",), _text("semicolons")),
    "tsv": Reader(("small.tsv",), _text("tsv")),
    "text": Reader(("small.txt", "texts"), _text("txt")),
    "parquet": Reader(("small.parquet", "table"), samples.parquet_file, is_text=False),
    "folder": Folder(),
    "vocabulary": Vocabulary(),
}
