"""The bundled example corpus."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from topicgrove.corpus.read import read_corpus
from topicgrove.corpus.textfiles import FilePath
from topicgrove.corpus.tokens import Corpus
from topicgrove.whole_files import temporary_prefix, write_whole

EXAMPLE = Path(__file__).parents[1] / "data" / "debian.jsonl.gz"
"""Descriptions of Debian packages as JSON Lines, with the fields id, title, text and section."""

MAX_DF = 0.1
"""Words in more of the descriptions, such as "library" and "files", are left out."""


def load_example(**options: Any) -> Corpus:
    """Load the descriptions of 3,000 Debian packages that come with TopicGrove.

    Documents have ids, titles, and their section of the archive as their class.

    Parameters
    ----------
    **options
        Options of `read_corpus`, such as ``ngram_range=(1, 2)``; ``max_df`` is .1 unless it is given.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> from topicgrove import load_example
    >>> corpus = load_example()
    >>> corpus.n_docs, corpus.ids[0], corpus.titles[0]
    (3000, '0xffff', 'Open Free Fiasco Firmware Flasher')
    """
    settings: dict[str, Any] = {"titles": True, "class_field": "section"}
    if options.get("rules") is None:
        settings["max_df"] = MAX_DF
    return read_corpus(EXAMPLE, **(settings | options))


def write_example(path: FilePath) -> int:
    """Write the texts of the example to a .jsonl or .jsonl.gz file, or to .txt files in a folder; return their number.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_example(f"{folder}/debian.jsonl")
    3000
    """
    path = Path(path)
    lines = gzip.decompress(EXAMPLE.read_bytes())
    if path.name.endswith(".jsonl.gz"):
        write_whole(path, EXAMPLE.read_bytes())
    elif path.suffix == ".jsonl":
        write_whole(path, lines)
    elif path.suffix:
        raise ValueError(f"{path}: the name must end in .jsonl or .jsonl.gz, or have no ending and be that of a folder")
    else:
        _write_texts(path, lines)
    return lines.count(b"\n")


def _write_texts(folder: Path, lines: bytes) -> None:
    """Write a file for each text; the folder appears when it is complete."""
    if folder.exists():
        raise FileExistsError(f"{folder}: is there already; choose the name of a new folder")
    with TemporaryDirectory(prefix=temporary_prefix(folder), dir=folder.parent) as place:
        unfinished = Path(place) / "texts"
        unfinished.mkdir()
        for line in lines.splitlines():
            document = json.loads(line)
            (unfinished / f"{document['id']}.txt").write_text(document["text"] + "\n", encoding="utf-8")
        unfinished.rename(folder)
