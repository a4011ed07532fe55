"""The columns of a corpus, counted in memory from blocks of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topicgrove.corpus.counting import Counter, Progress, tell
from topicgrove.corpus.documents import Blocks, ClassPath, Fields
from topicgrove.corpus.dropped import Dropped
from topicgrove.corpus.language_choice import settle_language
from topicgrove.corpus.phrases import Block
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.stages import StageEvent
from topicgrove.corpus.word_ids import as_words


class CountedTexts(NamedTuple):
    """The parts of a `Corpus`, field by field."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    vocabulary: tuple[str, ...]
    ids: tuple[str, ...] | None
    titles: tuple[str, ...] | None
    classes: tuple[ClassPath, ...] | None
    rules: TextRules
    n_unknown_words: int
    dropped: tuple[Dropped, ...] | None


def count_texts(
    blocks: Blocks,
    source: str,
    rules: TextRules,
    vocabulary: Sequence[str] | None,
    fields: Fields,
    *,
    n_jobs: int,
    progress: Progress | None = None,
    trained_without: Sequence[Dropped] | None = None,
    stacklevel: int = 1,
) -> CountedTexts:
    """Count the words of all blocks, and join the documents.

    Errors and warnings name the texts by ``source``; warnings are attributed to the caller at ``stacklevel``.
    """
    settled, blocks = settle_language(rules, blocks, placing=vocabulary is not None, stacklevel=stacklevel + 1)
    counter = Counter(settled, source, n_jobs)
    given = as_words(vocabulary)
    counted = list(counter.count(blocks, progress))
    counter.check_fits(sum(len(part.words) for part in counted))
    tell(progress, StageEvent("choosing words", counter.n_docs))
    choice = counter.choose(given, lambda: (Block(*part[:3]) for part in counted), trained_without)
    words = []
    lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
    n_docs = 0
    for part in counted:
        part_words, part_lengths = counter.renumbered(part, n_docs)
        words.append(part_words)
        lengths.append(part_lengths)
        n_docs += len(part_lengths)
    documents = [part.documents for part in counted]
    ids = tuple(counter.named(name for part in documents for name in part.ids))
    counter.report_repeated_ids(ids, stacklevel + 1)
    return CountedTexts(
        np.concatenate(words),
        np.concatenate(lengths).cumsum(dtype=np.int64),
        len(choice.words),
        choice.words,
        ids=ids,
        titles=tuple(title for part in documents for title in part.titles) if fields.keep_titles else None,
        classes=tuple(path for part in documents for path in part.classes) if fields.class_field else None,
        rules=counter.rules,
        n_unknown_words=choice.n_unknown,
        dropped=counter.dropped(choice),
    )
