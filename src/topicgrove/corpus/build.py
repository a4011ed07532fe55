"""Build a corpus store from input of any size in two passes, the first with all threads and processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator, PeerLostError
from topicgrove.communication.together import EXPECTED, together
from topicgrove.corpus.counting import Counter, Progress, tell
from topicgrove.corpus.documents import Blocks, Fields
from topicgrove.corpus.format_table import holds_counts
from topicgrove.corpus.formats import format_of
from topicgrove.corpus.language_choice import settle_language
from topicgrove.corpus.phrases import Block
from topicgrove.corpus.read import read_counts
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.sources import file_blocks, memory_blocks
from topicgrove.corpus.spill import read_spilled, read_words, spill
from topicgrove.corpus.stages import StageEvent
from topicgrove.corpus.store import open_store
from topicgrove.corpus.store_writer import StoreWriter, save_corpus
from topicgrove.corpus.textfiles import DEFAULT_MAX_BYTES, FilePath, TextStream, as_source
from topicgrove.corpus.tokens import Corpus
from topicgrove.renamed import take_renamed


def build_store(
    path: Any,
    out: FilePath,
    *,
    format: str | None = None,  # noqa: A002 - as in read_corpus
    rules: TextRules | None = None,
    text_field: str | Sequence[str] = "text",
    id_field: str | None = None,
    title_field: str | None = None,
    titles: bool = False,
    class_field: str | None = None,
    encoding_errors: str = "strict",
    max_bytes: int = DEFAULT_MAX_BYTES,
    n_jobs: int = -1,
    progress: Progress | None = None,
    overwrite: bool = False,
    communicator: Communicator | None = None,
    **rule_options: Any,
) -> Corpus:
    r"""Build a corpus store from a file or folder of any known format, or from texts, in bounded memory.

    The first pass numbers words as it finds them, and writes a temporary file. Then the vocabulary is chosen, and
    the second pass writes the store. Memory holds the vocabulary and a few blocks of text. If anything goes wrong,
    nothing is left behind.

    Parameters
    ----------
    path : str, path-like, binary file, or texts
        The file or folder to read, as in `read_corpus`; or an iterable of texts, a data frame or a dataset of Hugging
        Face, as in `Corpus.from_texts`.
    out : str or path-like
        The folder to make.
    format, rules, text_field, id_field, title_field, titles, class_field, encoding_errors, max_bytes, n_jobs, progress
        As in `read_corpus`.
    overwrite : bool, default=False
        Whether to replace an existing store.
    communicator : Communicator, default=None
        The processes that share the work, as in `HierarchicalLDA.fit`; the store is the same as with one process.
        Each reads all of the file but tokenizes its share, and the first writes the store. All must see the folder
        that it goes into.
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
    comm = communicator or Communicator()
    class_field = take_renamed(rule_options, "label_field", "class_field", class_field)
    fields = Fields(text_field, id_field, title_field, titles, class_field, encoding_errors)
    try:
        source = together(comm, lambda: _source(path, format, fields, max_bytes))
        if source.blocks is None:
            together(
                comm, lambda: _copy_counts(path, source.kind, out, rules, rule_options, max_bytes, overwrite, comm)
            )
        else:
            given = together(comm, lambda: TextRules.of(rules, rule_options))
            settled, blocks = settle_language(given, source.blocks, comm=comm, stacklevel=2)
            counter = together(comm, lambda: Counter(settled, source.name, n_jobs))
            _build(blocks, out, fields, counter, progress, overwrite, comm, os.path.basename(source.name))
        corpus = together(comm, lambda: open_store(out, verify=False))
        if corpus.ids is not None and source.blocks is not None:
            # Only on rank 0, which has the ids of all documents.
            counter.report_repeated_ids(corpus.ids, stacklevel=2)
        return corpus
    except PeerLostError:
        raise
    except EXPECTED:
        # All ranks wait here: one that went on might end the job before rank 0 has removed its files.
        comm.barrier()
        raise


class _Source(NamedTuple):
    """The source of a store; counts have no blocks."""

    name: str
    kind: str
    blocks: Blocks | None


def _source(given: Any, format_: str | None, fields: Fields, max_bytes: int) -> _Source:
    if not isinstance(given, str | os.PathLike | TextStream) and not hasattr(given, "read"):
        if format_ is not None:
            raise TypeError("format is for files; texts in memory have none")
        return _Source("texts", "texts", memory_blocks(given, None, fields)[0])
    source = as_source(given)
    kind = format_of(source, format_)
    return _Source(str(source), kind, None if holds_counts(kind) else file_blocks(source, kind, fields, max_bytes))


def _copy_counts(
    path: FilePath,
    kind: str,
    out: FilePath,
    rules: TextRules | None,
    rule_options: dict[str, Any],
    max_bytes: int,
    overwrite: bool,
    comm: Communicator,
) -> None:
    if comm.rank == 0:
        corpus = read_counts(path, kind, rules, rule_options, max_bytes)
        save_corpus(corpus, out, overwrite=overwrite, source=os.path.basename(path))


def _build(
    blocks: Blocks,
    out: FilePath,
    fields: Fields,
    counter: Counter,
    progress: Progress | None,
    overwrite: bool,
    comm: Communicator,
    source: str,
) -> None:
    """Run the first pass on all ranks, which take blocks in turns, and the second on rank 0."""
    with ExitStack() as stack:
        writer = together(comm, lambda: StoreWriter(out, overwrite=overwrite) if comm.rank == 0 else None)
        if writer is not None:
            stack.enter_context(writer)
        folder = Path(os.fsdecode(comm.broadcast(os.fsencode(writer.folder.resolve()) if writer else b"")))
        own = islice(blocks, comm.rank, None, comm.size)
        mine = together(comm, lambda: spill(counter.count(own, progress), _spilled(folder, comm.rank)))
        first_dictionary = counter.gather(comm)
        rows = comm.gather(mine)
        for of_rank, first in zip(rows, first_dictionary, strict=False):
            of_rank[:, 0] += first
        together(comm, lambda: _write(writer, counter, rows, fields, source, progress) if writer else None)


def _write(
    writer: StoreWriter,
    counter: Counter,
    rows: list[NDArray[np.int64]],
    fields: Fields,
    source: str,
    progress: Progress | None,
) -> None:
    """Run the second pass: choose the vocabulary, and write the blocks of all ranks to the store."""
    tell(progress, StageEvent("choosing words", counter.n_docs))
    files = [_spilled(writer.folder, rank) for rank in range(len(rows))]
    choice = counter.choose(None, lambda: _words_of(files, rows))
    n_docs = 0
    with ExitStack() as stack:
        opened = [stack.enter_context(open(file, "rb")) for file in files]
        for rank, row in _in_turns(rows):
            block = read_spilled(opened[rank], row)
            writer.add_words(*counter.renumbered(block, n_docs))
            writer.add_column("ids", counter.named(block.documents.ids, n_docs))
            if fields.keep_titles:
                writer.add_column("titles", block.documents.titles)
            if fields.class_field is not None:
                writer.add_column("labels", block.documents.classes)
            n_docs += len(block.lengths)
            tell(progress, StageEvent("writing", n_docs, share=n_docs / counter.n_docs))
    for file in files:
        os.unlink(file)
    writer.finish(
        n_words=len(choice.words),
        vocabulary=choice.words,
        rules=counter.rules,
        source=source,
        dropped=counter.dropped(choice),
    )


def _words_of(files: list[Path], rows: list[NDArray[np.int64]]) -> Iterator[Block]:
    """Give the words of all blocks, in the order of the source."""
    with ExitStack() as stack:
        opened = [stack.enter_context(open(file, "rb")) for file in files]
        for rank, row in _in_turns(rows):
            yield read_words(opened[rank], row)


def _in_turns(rows: list[NDArray[np.int64]]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Give blocks in the order of the source, each with its rank."""
    n_blocks, n_ranks = sum(map(len, rows)), len(rows)
    if [len(of_rank) for of_rank in rows] != [len(range(rank, n_blocks, n_ranks)) for rank in range(n_ranks)]:
        raise ValueError("the processes did not read the same file; all of them must see it under its name")
    for i in range(n_blocks):
        yield i % n_ranks, rows[i % n_ranks][i // n_ranks]


def _spilled(folder: Path, rank: int) -> Path:
    return folder / f"spill-{rank}.tmp"
