"""Texts and lists of tokens from any container: lists, arrays, columns, data frames, datasets, generators."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from scipy import sparse

from topicgrove.corpus.hugging_face import checked_dataset, column_names, is_dataset, string_columns, with_columns
from topicgrove.corpus.names import listed
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.tables import as_list, check_not_lazy, is_data_frame
from topicgrove.corpus.tokens import Corpus

TEXT_COLUMN = "text"
_CATEGORIES = (nw.Categorical, nw.Enum)
_SEPARATOR = "\x1f"
"""Separates the tokens of a document given as tokens."""


class Texts(NamedTuple):
    """Documents that are not counted yet: an iterable of strings or of tokens, or a data frame with a column "text"."""

    documents: Any
    are_tokens: bool = False


def texts_in(X: Any, name: str = "X") -> Texts | None:
    """Return the texts or tokens that X holds, not yet read; None if it holds counts. Errors call it ``name``.

    A generator is read once, by the code that reads the documents.

    >>> texts_in(["a tree", "a leaf"]).are_tokens, texts_in([["a", "tree"], []]).are_tokens
    (False, True)
    >>> texts_in([[1, 0], [0, 2]]) is None
    True
    """
    if sparse.issparse(X):  # one of the formats is a dict
        return None
    if is_dataset(X):
        return _texts_in_dataset(checked_dataset(X, name), name)
    _check_container(X, name)
    if is_data_frame(X):
        return _texts_in_frame(X, name)
    values = as_list(X)
    if values is X and hasattr(X, "__array__"):
        values = _texts_in_array(X, name)
    if not isinstance(values, Iterable):
        return None
    # Looking at a list leaves it unchanged; documents taken from a generator have to be put back.
    seen: list[Any] = []
    is_iterator = isinstance(values, Iterator)
    rest = iter(values)
    kind = _kind(rest, seen.append if is_iterator else lambda _: None)
    everything = chain(seen, rest) if is_iterator else values
    if kind is None:
        if is_iterator:
            raise TypeError(f"{name}: a generator must give texts or lists of tokens; give counts as a matrix")
        return None
    if kind is str:
        return Texts(_checked_texts(everything, name))
    return Texts(_joined_tokens(everything, name), are_tokens=True)


def corpus_of_texts(
    texts: Texts, rules: TextRules, vocabulary: Sequence[str] | None = None, *, titles: bool = False, n_jobs: int = -1
) -> Corpus:
    """Count the words of texts by rules; tokens are words already, so rules only choose among them.

    >>> corpus_of_texts(texts_in([["New York", "is"], ["New York"]]), TextRules(min_df=2)).vocabulary
    ('New York',)
    """
    if not texts.are_tokens:
        return Corpus.from_texts(texts.documents, rules=rules, vocabulary=vocabulary, titles=titles, n_jobs=n_jobs)
    as_they_are = replace(rules, analyzer=_split_tokens)
    corpus = Corpus.from_texts(texts.documents, rules=as_they_are, vocabulary=vocabulary, n_jobs=n_jobs)
    # It is unknown how these tokens were made from text.
    return replace(corpus, rules=None)


def _check_container(X: Any, name: str) -> None:
    """Refuse input that looks like texts but is something else."""
    if isinstance(X, np.ndarray) and X.ndim == 0 and X.dtype.kind in "US":
        X = X.item()
    if isinstance(X, str):
        raise TypeError(
            f"{name} is one string, {X!r:.40}; put a single text into a list, [{name}], "
            f"and read a file first, read_corpus({X!r:.40})"
        )
    if isinstance(X, os.PathLike):
        raise TypeError(f"{name} is a path; read the file first, read_corpus({os.fspath(X)!r:.80})")
    check_not_lazy(X, name)
    if isinstance(X, bytes | bytearray):
        raise TypeError(f"{name} is bytes; texts are strings: [{name}.decode()] is a list of one")
    if isinstance(X, Mapping):
        raise TypeError(f"{name} is a {type(X).__name__}; give a list of its texts, such as list({name}.values())")
    if isinstance(X, Set):
        raise TypeError(f"{name} is a {type(X).__name__}, which has no order; give a list of texts")


def _texts_in_frame(frame: Any, name: str) -> Texts | None:
    """Return the column "text", or the only one of strings, with "id" and "title" if present; None without strings."""
    table = nw.from_native(frame, eager_only=True)
    kinds = dict(table.schema)
    strings = [column for column, kind in kinds.items() if kind == nw.String]
    # Categories are rarely texts, but may be.
    if kinds.get(TEXT_COLUMN) in _CATEGORIES or (not strings and len(kinds) == 1):
        strings += [column for column, kind in kinds.items() if kind in _CATEGORIES]
    if not strings:
        return None
    if not all(isinstance(column, str) for column in strings):
        raise ValueError(
            f"{name} has no name for a column of strings, {listed(strings)}; give it: {name}[{strings[0]!r}]"
        )
    chosen = _text_column(strings, name)
    for _ in _checked_texts(table[chosen].to_list(), f"{name}[{chosen!r:.60}]"):
        pass
    known = _known_columns(table.columns, strings, chosen)
    return Texts(table.select(nw.col(chosen).alias(TEXT_COLUMN), *known).to_native())


def _texts_in_dataset(dataset: Any, name: str) -> Texts:
    """Return texts as of a data frame; a dataset has no counts."""
    strings = string_columns(dataset)
    if not strings:
        raise ValueError(f"{name} is a dataset without a column of strings; it has {listed(column_names(dataset))}")
    chosen = _text_column(strings, name)
    return Texts(with_columns(dataset, chosen, _known_columns(column_names(dataset), strings, chosen)))


def _text_column(strings: list[str], name: str) -> str:
    """Choose the column with the texts among the columns of strings."""
    if TEXT_COLUMN not in strings and len(strings) > 1:
        raise ValueError(
            f"{name} has several columns of strings, {listed(strings)}, and none of them is {TEXT_COLUMN!r}; "
            f"give the one with the texts: {name}[{strings[0]!r:.60}]"
        )
    return TEXT_COLUMN if TEXT_COLUMN in strings else strings[0]


def _known_columns(columns: Collection[str], strings: list[str], text: str) -> list[str]:
    """Return the columns of the id and the title, if there are any besides the text."""
    found = [column for column in ("id", "title") if column in columns and column != text]
    return [column for column in found if column == "id" or column in strings]


def _texts_in_array(X: Any, name: str) -> Any:
    """Return the entries of a one-dimensional array of strings or objects; None for any other."""
    dtype = getattr(X, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biufcmM":
        return None
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.dtype.kind in "UT" and array.ndim == 2:
        raise TypeError(
            f"{name} holds text in {array.ndim} dimensions; give a column of texts, {name}[:, 0], or "
            f"lists of tokens, {name}.tolist()"
        )
    return array.tolist() if array.ndim == 1 and array.dtype.kind in "USTO" else None


def _kind(documents: Iterator[Any], seen: Callable[[Any], object]) -> type | None:
    """Return ``str`` for texts, ``list`` for tokens and None for counts, by the first document that tells."""
    missing = False
    for document in documents:
        seen(document)
        if isinstance(document, str | bytes | os.PathLike | Mapping):
            return str
        if _is_missing(document):
            missing = True
        elif not isinstance(document, list | tuple | np.ndarray):
            return None
        elif len(document):
            return list if isinstance(document[0], str | bytes) else None
    return str if missing else None


def _checked_texts(texts: Iterable[Any], name: str) -> Iterator[str]:
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise _no_text(text, f"{name}[{i}]")
        yield text


def _no_text(value: Any, place: str) -> Exception:
    if isinstance(value, bytes):
        return TypeError(f"{place} is bytes; every text must be a string: decode it, .decode()")
    if isinstance(value, os.PathLike):
        return TypeError(f"{place} is a path; give the text of the file, or read_corpus its folder")
    if isinstance(value, Mapping):
        return TypeError(f"{place} is a record with the fields {listed(list(value))}; give the texts alone")
    if _is_missing(value):
        return ValueError(
            f"{place} is missing, {value!r:.20}; leave such documents out, as dropna() does, or make them empty "
            "texts, as fillna('') does"
        )
    return TypeError(f"{place} is {value!r:.40}, of type {type(value).__name__}; every text must be a string")


def _is_missing(value: Any) -> bool:
    # pandas' NA has no truth value, so it is known by its type.
    is_nan = isinstance(value, float) and math.isnan(value)
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def _joined_tokens(documents: Iterable[Any], name: str) -> Iterator[str]:
    for i, tokens in enumerate(documents):
        if isinstance(tokens, str) or not isinstance(tokens, Iterable):
            raise TypeError(
                f"{name}[{i}] is {tokens!r:.40}, while {name} begins with lists of tokens; every document must be one, "
                "and may be empty, []"
            )
        words = list(tokens)
        for j, word in enumerate(words):
            if not isinstance(word, str):
                raise TypeError(f"{name}[{i}][{j}] is {word!r:.40}; every token must be a string")
            if _SEPARATOR in word:
                raise ValueError(f"{name}[{i}][{j}] has the control character {_SEPARATOR!r}; tokens must not")
        yield _SEPARATOR.join(words)


def _split_tokens(text: str) -> list[str]:
    return text.split(_SEPARATOR) if text else []
