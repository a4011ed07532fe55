"""Read a corpus from any file or folder into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any, BinaryIO

import numpy as np

from topicgrove.corpus.counted_texts import count_texts
from topicgrove.corpus.counting import Progress, renumber
from topicgrove.corpus.documents import Fields
from topicgrove.corpus.dropped import Dropped, unknown_words
from topicgrove.corpus.format_table import FORMATS, holds_counts
from topicgrove.corpus.formats import format_of
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.sources import file_blocks
from topicgrove.corpus.textfiles import DEFAULT_MAX_BYTES, FilePath, TextStream, as_source
from topicgrove.corpus.tokens import Corpus
from topicgrove.corpus.word_ids import as_words
from topicgrove.renamed import take_renamed


def read_corpus(
    path: FilePath | BinaryIO | TextStream,
    *,
    format: str | None = None,  # noqa: A002 - the name that other libraries have
    rules: TextRules | None = None,
    vocabulary: Sequence[str] | None = None,
    trained_without: Sequence[Dropped] | None = None,
    text_field: str | Sequence[str] = "text",
    id_field: str | None = None,
    title_field: str | None = None,
    titles: bool = False,
    class_field: str | None = None,
    encoding_errors: str = "strict",
    max_bytes: int = DEFAULT_MAX_BYTES,
    n_jobs: int = -1,
    progress: Progress | None = None,
    **rule_options: Any,
) -> Corpus:
    r"""Read a corpus from a file or folder of any known format into memory.

    Texts: JSON Lines or an array, CSV and TSV with a header, Parquet, the first sheet of an Excel workbook, a folder of
    .txt files or a zip file of one, or a plain file with one document per line. Counts: UCI bag of words, LDA-C,
    MatrixMarket, or a corpus store, which is mapped. Text files may be gzip or zstd. Name and content tell the format,
    see `detect_format`.

    Parameters
    ----------
    path : str, path-like or binary file
        The file or folder, or an open file of text, such as ``sys.stdin.buffer``, which is read to its end.
    format : str, default=None
        The format of a file, if neither name nor content tell it: "jsonl", "json", "csv", "tsv", "text",
        "parquet", "xlsx", "zip", "uci", "ldac" or "matrix-market".
    rules : TextRules, default=None
        How to make words from text.
    vocabulary : sequence of str, default=None
        The words of a model: others are left out and counted in `n_unknown_words`. Counts are put into the order
        of these words; counts without words of their own must have as many columns as there are words.
    trained_without : sequence of Dropped, default=None
        A model's `dropped_`, so that `dropped` says why the model does not know a word.
    text_field, id_field, title_field, class_field : str
        Fields of a record: its text; its name, by default "id" where there is one and else the document's number from
        0; its title; its classes from the top down, a list or a string with "/" or ">" between them. ``body.text`` is
        the field ``text`` of the object in ``body``, unless there is a field ``body.text``. Several text fields, in a
        list or as ``"title,abstract"``, are joined with a blank line between them; those that a record does not have,
        or that are null, are left out. ``label_field`` is the old name of ``class_field``.
    titles : bool, default=False
        Keep titles: a field "title" where there is one, else the first line of the text, cut to 80 characters.
    encoding_errors : {"strict", "replace", "ignore"}, default="strict"
        What to do with bytes that are not UTF-8.
    max_bytes : int, default=16 GiB
        Refuse a file with more bytes of text, counted while it is decompressed.
    n_jobs : int, default=-1
        Threads, -1 for all cores.
    progress : callable, default=None
        Called with the numbers of documents and bytes read so far. If it has a method ``on_stage``, that is called
        instead, with a `topicgrove.corpus.StageEvent`.
    **rule_options
        Fields of TextRules, in place of rules, such as ``min_df=2``.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If something in the file is wrong, starting with ``file:line``; if there are no documents or no words left.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "garden.jsonl"
    ...     _ = path.write_text('{"id": "a", "text": "An old tree"}\n{"id": "b", "text": "Old leaves"}\n')
    ...     corpus = read_corpus(path)
    >>> corpus.vocabulary, corpus.ids
    (('leaves', 'old', 'tree'), ('a', 'b'))
    """
    class_field = take_renamed(rule_options, "label_field", "class_field", class_field)
    source = as_source(path)
    kind = format_of(source, format)
    if holds_counts(kind):
        assert not isinstance(source, TextStream)
        path = source
        if vocabulary is None:
            return read_counts(path, kind, rules, rule_options, max_bytes)
        # A vocabulary comes with a model's rules, which counts do not need.
        return with_vocabulary(read_counts(path, kind, None, {}, max_bytes), vocabulary, str(path), trained_without)
    fields = Fields(text_field, id_field, title_field, titles, class_field, encoding_errors)
    blocks = file_blocks(source, kind, fields, max_bytes)
    counted = count_texts(
        blocks,
        str(source),
        TextRules.of(rules, rule_options),
        vocabulary,
        fields,
        n_jobs=n_jobs,
        progress=progress,
        trained_without=trained_without,
        stacklevel=2,
    )
    return Corpus(**counted._asdict())


def read_counts(
    path: FilePath, kind: str, rules: TextRules | None, options: Mapping[str, Any], max_bytes: int
) -> Corpus:
    """Read a file of counts or a store; refuse rules of text, as there is no text."""
    if rules is not None or options:
        given = "rules" if rules is not None else next(iter(options))
        raise ValueError(f"{path} holds counts ({kind}); {given} can only be applied to text")
    corpus: Corpus = resolve_name(FORMATS[kind].reader)(path, max_bytes=max_bytes)
    return corpus


def with_vocabulary(
    corpus: Corpus,
    vocabulary: Sequence[str],
    source: str = "the corpus",
    trained_without: Sequence[Dropped] | None = None,
) -> Corpus:
    """Return the documents in the words of another vocabulary; words that it lacks are left out and counted.

    >>> corpus = Corpus.from_documents([[0, 1, 1]], vocabulary=["tree", "leaf"])
    >>> with_vocabulary(corpus, ["root", "tree"])
    Corpus(n_docs=1, n_tokens=1, n_words=2)
    """
    words = as_words(vocabulary)
    assert words is not None
    if corpus.vocabulary is None:
        if corpus.n_words != len(words):
            raise ValueError(
                f"{source} has {corpus.n_words} words, without their spelling; the vocabulary has {len(words)}"
            )
        return replace(corpus, vocabulary=words)
    if corpus.vocabulary == words:
        return corpus
    id_of = {word: i for i, word in enumerate(words)}
    ids = np.array([id_of.get(word, -1) for word in corpus.vocabulary], np.int32)
    mapped, lengths = renumber(corpus.words, corpus.document_lengths, ids)
    offsets = np.concatenate([[0], lengths]).cumsum(dtype=np.int64)
    n_unknown = corpus.n_unknown_words + corpus.n_tokens - len(mapped)
    n_tokens = np.bincount(corpus.words, minlength=corpus.n_words)
    left_out = np.flatnonzero((ids < 0) & (n_tokens > 0))
    dropped = unknown_words([corpus.vocabulary[word] for word in left_out], n_tokens[left_out], trained_without)
    return replace(
        corpus,
        words=mapped,
        offsets=offsets,
        n_words=len(words),
        vocabulary=words,
        n_unknown_words=n_unknown,
        dropped=dropped,
    )
