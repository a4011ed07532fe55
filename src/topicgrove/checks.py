"""Checks of what users pass to the estimator; errors name the argument and what it accepts."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from topicgrove.corpus import Corpus
from topicgrove.free_memory import check_fits
from topicgrove.training import Callback
from topicgrove.validation import check_whole

WORD_BYTES, DOCUMENT_BYTES, TOKEN_BYTES = 128, 48, 1
"""Bytes that training takes at least, per word, document and token."""

MOST_TOPICS = 2**62
"""A limit for max_topics and target_topics that fits into 64 bits."""


def check_sizes(corpus: Corpus) -> None:
    """Refuse a corpus without words, and one that does not fit into memory with all that training needs."""
    if corpus.n_tokens == 0:
        raise ValueError("X has no words: every document is empty")
    n_bytes = WORD_BYTES * corpus.n_words + DOCUMENT_BYTES * corpus.n_docs + TOKEN_BYTES * corpus.n_tokens
    check_fits(
        f"X has {corpus.n_words:,} words, {corpus.n_docs:,} documents and {corpus.n_tokens:,} tokens to train on",
        n_bytes,
    )


def check_same_words(corpus: Corpus, n_words: int, vocabulary: tuple[str, ...] | None, name: str = "X") -> None:
    """Refuse a corpus whose words differ from those that a model was fitted with."""
    if corpus.n_words != n_words:
        raise ValueError(f"{name} has {corpus.n_words} words, but the model was fitted with {n_words}")
    if None not in (corpus.vocabulary, vocabulary) and corpus.vocabulary != vocabulary:
        raise ValueError(f"{name} has another vocabulary than the model was fitted with; build it with vocabulary=")


def callbacks(given: Any) -> list[Callback]:
    """Return a list of callables."""
    try:
        callbacks = list(given)
    except TypeError:
        callbacks = [None]
    if not all(callable(callback) for callback in callbacks):
        raise TypeError(f"callbacks must be a sequence of callables; got {given!r}")
    return callbacks


def flag(name: str, value: object) -> bool:
    """Return True or False; refuse anything else."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def report_empty(corpus: Corpus, stacklevel: int) -> None:
    """Warn once about documents without words, attributed to the caller at ``stacklevel``."""
    n_empty = int((corpus.document_lengths == 0).sum())
    if n_empty:
        warnings.warn(
            f"{n_empty} of {corpus.n_docs} documents are empty; they are kept and take a path from the prior",
            stacklevel=stacklevel,
        )


def collapse_threshold(value: object, counted: str = "documents") -> float:
    """Return a number of what is counted, or inf."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"collapse_below must be a number of {counted}, inf, or None; got {value!r}")
    number = _as_float(value)
    if not number >= 1:
        raise ValueError(f"collapse_below must be a number from 1 on, or inf; got {value!r:.80}")
    return number


def _as_float(value: Any) -> float:
    """Return a number as a float; NaN for integers too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.nan


def minutes(value: object) -> float | None:
    """Return the minutes between checkpoints, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= _as_float(value) < math.inf:
        raise ValueError(f"checkpoint_minutes must be a number of minutes or None; got {value!r:.80}")
    return float(value)


def seed(random_state: Any) -> int:
    """Return a seed of 63 bits for any random_state that scikit-learn accepts."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        draw = random_state.randint if isinstance(random_state, np.random.RandomState) else random_state.integers
        return int(draw(2**31 - 1))
    return check_whole("random_state", random_state, 0, 2**63 - 1)


def names(name: str, given: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return names as a tuple, after checking that they are known; a string is a single name.

    >>> names("learn", "beta", ("alpha", "beta"))
    ('beta',)
    """
    chosen = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, list | tuple | set) else (given,)
    for item in chosen:
        if item not in known:
            raise ValueError(f"{name} must hold names out of {', '.join(map(repr, known))}; got {given!r}")
    return tuple(item for item in known if item in chosen)


def target_topics(given: Any, n_levels: int, max_topics: Any) -> tuple[int, tuple[int, ...] | None]:
    """Return the number of topics to aim at, and those of the levels below the root if they are given.

    >>> target_topics(200, 4, None), target_topics([10, 50, 200], 4, None)
    ((200, None), (261, (10, 50, 200)))
    """
    if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
        return check_whole("target_topics", given, n_levels, MOST_TOPICS), None
    if len(given) != n_levels - 1:
        raise ValueError(
            f"target_topics must be one number, or one for each of the {n_levels - 1} levels below the root; "
            f"got {list(given)!r:.80}"
        )
    by_level = tuple(check_whole("target_topics", number, 1, MOST_TOPICS) for number in given)
    if list(by_level) != sorted(by_level):
        raise ValueError(f"target_topics must not fall from level to level, as topics have children; got {by_level}")
    if max_topics is not None and 1 + sum(by_level) > check_whole("max_topics", max_topics, 1):
        raise ValueError(f"max_topics must be at least {1 + sum(by_level)}, the topics that target_topics asks for")
    return 1 + sum(by_level), by_level
