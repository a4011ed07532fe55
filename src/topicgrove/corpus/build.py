"""A corpus store out of any input, whatever its size: two passes, the first in all threads."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from topicgrove.corpus.counting import Counted, Counter, Progress, renumber
from topicgrove.corpus.documents import Fields
from topicgrove.corpus.formats import COUNT_FORMATS, detect_format
from topicgrove.corpus.read import read_counts
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.sources import file_blocks
from topicgrove.corpus.store import open_store
from topicgrove.corpus.store_writer import StoreWriter, save_corpus
from topicgrove.corpus.textfiles import DEFAULT_MAX_BYTES, FilePath
from topicgrove.corpus.tokens import Corpus

_SPILL = "spill.tmp"


class _Spilled(NamedTuple):
    """A block of the first pass on disk: its words, then the lengths of its documents."""

    dictionary: int
    n_words: int
    n_docs: int


def build_store(
    path: FilePath,
    out: FilePath,
    *,
    rules: TextRules | None = None,
    text_field: str = "text",
    id_field: str | None = None,
    title_field: str | None = None,
    titles: bool = False,
    label_field: str | None = None,
    encoding_errors: str = "strict",
    max_bytes: int = DEFAULT_MAX_BYTES,
    n_jobs: int = -1,
    progress: Progress | None = None,
    overwrite: bool = False,
    **rule_options: Any,
) -> Corpus:
    r"""Make a corpus store of a file or folder of any known format, in bounded memory.

    The first pass numbers words as they come and writes them to a temporary file; then the vocabulary is chosen, and
    the second pass writes the store. Memory holds the vocabulary and a few blocks of text. If anything goes wrong,
    nothing is left behind.

    Parameters
    ----------
    path : str or path-like
        The file or folder to read, as in `read_corpus`.
    out : str or path-like
        The folder to make.
    rules, text_field, id_field, title_field, titles, label_field, encoding_errors, max_bytes, n_jobs, progress
        As in `read_corpus`.
    overwrite : bool, default=False
        Whether a store that is there already is replaced.
    **rule_options
        Fields of TextRules, in place of rules, such as ``min_df=2``.

    Returns
    -------
    Corpus
        The store, opened.

    Raises
    ------
    ValueError
        If something in the file is wrong, starting with ``file:line``; if there are no documents or no words left.
    OSError
        If the file cannot be read, or the store cannot be written or is there already.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "garden.txt"
    ...     _ = path.write_text("An old tree\nOld leaves\n")
    ...     build_store(path, Path(folder) / "store")
    Corpus(n_docs=2, n_tokens=4, n_words=3)
    """
    kind = detect_format(path)
    if kind in COUNT_FORMATS:
        corpus = read_counts(path, kind, rules, rule_options, max_bytes)
        save_corpus(corpus, out, overwrite=overwrite, source=os.path.basename(path))
        return open_store(out, verify=False)
    fields = Fields(text_field, id_field, title_field, titles, label_field, encoding_errors)
    counter = Counter(TextRules.of(rules, rule_options), str(path), n_jobs)
    with StoreWriter(out, overwrite=overwrite) as writer:
        with open(writer.folder / _SPILL, "w+b") as spill:
            blocks = file_blocks(path, kind, fields, max_bytes)
            spilled = []
            for counted in counter.count(blocks, progress):
                spilled.append(_spill(counted, spill))
                _add_columns(counted, fields, writer)
            choice, numbers = counter.choose(None)
            spill.seek(0)
            for block in spilled:
                words = np.fromfile(spill, np.int32, block.n_words)
                lengths = np.fromfile(spill, np.int64, block.n_docs)
                writer.add_words(*renumber(words, lengths, numbers[block.dictionary]))
        os.unlink(writer.folder / _SPILL)
        writer.finish(
            n_words=len(choice.words), vocabulary=choice.words, rules=counter.rules, source=os.path.basename(path)
        )
    return open_store(out, verify=False)


def _spill(counted: Counted, spill: BinaryIO) -> _Spilled:
    spill.write(counted.words.data)
    spill.write(counted.lengths.data)
    return _Spilled(counted.dictionary, len(counted.words), len(counted.lengths))


def _add_columns(counted: Counted, fields: Fields, writer: StoreWriter) -> None:
    writer.add_column("ids", counted.documents.ids)
    if fields.keep_titles:
        writer.add_column("titles", counted.documents.titles)
    if fields.label_field is not None:
        writer.add_column("labels", counted.documents.labels)
