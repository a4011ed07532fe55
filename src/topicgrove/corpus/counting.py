"""Convert all documents of a source to word ids: tokenize in threads, choose the vocabulary, renumber words."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from topicgrove.communication import Communicator
from topicgrove.corpus import phrases
from topicgrove.corpus.cleaner import N_KINDS
from topicgrove.corpus.count_matrix import check_document_lengths
from topicgrove.corpus.dictionary import Dictionary
from topicgrove.corpus.documents import Block, Blocks, Documents
from topicgrove.corpus.dropped import Dropped, dropped_junk
from topicgrove.corpus.repeated_ids import SeenIds
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.stages import StageEvent, Stages
from topicgrove.corpus.tokenizer import Tokenizer
from topicgrove.corpus.vocabulary import Choice, choose_words, find_words, parts_of_phrases
from topicgrove.free_memory import check_fits
from topicgrove.kernels.words import map_words
from topicgrove.validation import check_threads

Progress: TypeAlias = Callable[[int, int], object] | Stages
"""Called with the numbers of documents and bytes read so far, or told about all stages."""

_BLOCKS_PER_THREAD = 3
_DOCUMENT_BYTES, _TOKEN_BYTES = 80, 8


class Counted(NamedTuple):
    """A block of documents: its words as numbers of one of the dictionaries, and its other columns."""

    dictionary: int
    words: NDArray[np.int32]
    lengths: NDArray[np.int64]
    documents: Documents  # without texts


class Counter:
    """A tokenizer of a source, block by block in all threads, with the dictionaries of its words."""

    def __init__(self, rules: TextRules, source: str, n_jobs: int = -1) -> None:
        self.rules = rules
        self.n_docs = 0
        self._source = source
        self._n_bytes = 0
        self._seen = SeenIds()
        self._tokenizer = Tokenizer(rules)
        self._dictionaries = [Dictionary() for _ in range(check_threads(n_jobs))]
        self._ids: list[NDArray[np.int32]] = []
        self._phrases: phrases.Joiner | None = None
        self._removed = np.zeros((len(self._dictionaries), N_KINDS), np.int64)
        self._idle: SimpleQueue[int] = SimpleQueue()
        for i in range(len(self._dictionaries)):
            self._idle.put(i)

    def count(self, blocks: Blocks, progress: Progress | None = None) -> Iterator[Counted]:
        """Give the counted blocks in order; at most a bounded number is in memory."""
        for counted in self._in_order(blocks):
            self.n_docs += len(counted.lengths)
            self._n_bytes += counted.documents.n_bytes
            yield counted
            tell(progress, StageEvent("reading", self.n_docs, self._n_bytes, counted.documents.share))

    def gather(self, comm: Communicator) -> NDArray[np.int64]:
        """Collect the counts of all ranks at rank 0; return the number there of each rank's first dictionary."""
        if comm.size == 1:
            return np.zeros(1, np.int64)
        n_docs = np.array([self.n_docs])
        comm.allreduce_sum(n_docs)
        self.n_docs = int(n_docs[0])
        comm.allreduce_sum(self._removed)
        arrays = [dictionary.arrays() for dictionary in self._dictionaries]
        sizes = comm.gather(np.array([(len(words), len(letters)) for words, letters in arrays]))
        all_words = comm.gather(np.concatenate([words for words, _ in arrays]))
        all_letters = comm.gather(np.concatenate([letters for _, letters in arrays]))
        for size, words, letters in list(zip(sizes, all_words, all_letters, strict=True))[1:]:
            n_words, n_letters = size.cumsum(axis=0)[:-1].T
            parts = zip(np.split(words, n_words), np.split(letters, n_letters), strict=True)
            self._dictionaries += [Dictionary.of_arrays(*part) for part in parts]
        return np.cumsum([0, *map(len, sizes)])

    def choose(
        self,
        vocabulary: Sequence[str] | None,
        blocks: phrases.Blocks,
        trained_without: Sequence[Dropped] | None = None,
    ) -> Choice:
        """Choose the vocabulary for `renumbered`; ``blocks`` gives what was counted.

        ``trained_without`` is what was left out when a given vocabulary was chosen.
        """
        if self.n_docs == 0:
            raise ValueError(f"{self._source}: no documents")
        everything, *others = self._dictionaries
        numbers = [np.arange(len(everything), dtype=np.int32), *(everything.absorb(other) for other in others)]
        stop_words_in = self._tokenizer.stop_words_in
        joiner = self._joiner(everything, numbers, vocabulary, blocks) if self.rules.phrases else None
        if vocabulary is None:
            choice = choose_words(everything, self.rules, self.n_docs, stop_words_in=stop_words_in)
        else:
            choice = find_words(
                everything, vocabulary, self.rules, stop_words_in=stop_words_in, trained_without=trained_without
            )
        if joiner is None:
            self._ids = [choice.ids[number] for number in numbers]
        else:
            # Phrases that are left out stay two words, as for new texts with this vocabulary.
            self._phrases = joiner.only(choice.ids >= 0)
            self._ids = [choice.ids] * len(numbers)
        return choice

    def _joiner(
        self,
        seen: Dictionary,
        numbers: list[NDArray[np.int32]],
        vocabulary: Sequence[str] | None,
        blocks: phrases.Blocks,
    ) -> phrases.Joiner:
        """Find phrases, or take those of the vocabulary, and count words again with phrases joined."""
        if vocabulary is None:
            stop_words_in = self._tokenizer.stop_words_in
            takes_part = parts_of_phrases(seen, self.rules, self.n_docs, stop_words_in=stop_words_in)
            least, _ = self.rules.document_frequencies(self.n_docs)
            joiner = phrases.find_phrases(seen, takes_part, least, numbers, blocks)
        else:
            joiner = phrases.given_phrases(seen, vocabulary, numbers)
        joiner.recount(seen, blocks)
        return joiner

    def dropped(self, choice: Choice) -> tuple[Dropped, ...] | None:
        """Return everything that was left out of the texts."""
        return None if choice.dropped is None else choice.dropped + dropped_junk(self._removed.sum(axis=0))

    def named(self, ids: Iterable[str | None], first: int = 0) -> list[str]:
        """Return and remember the names of the next documents, by default their numbers from ``first`` on.

        >>> Counter(TextRules(), "texts").named(["oak", None], first=7)
        ['oak', '8']
        """
        names = [str(i) if name is None else name for i, name in enumerate(ids, start=first)]
        self._seen.add(names)
        return names

    def report_repeated_ids(self, ids: Sequence[str], stacklevel: int) -> None:
        """Warn once if documents share an id; ``ids`` has those of all documents."""
        self._seen.report_repeated(ids, self._source, stacklevel + 1)

    def check_fits(self, n_tokens: int) -> None:
        """Refuse a corpus of the counted documents, with that many tokens, that does not fit into memory."""
        claim = f"{self._source}: {self.n_docs:,} documents and {n_tokens:,} tokens"
        check_fits(claim, _DOCUMENT_BYTES * self.n_docs + _TOKEN_BYTES * n_tokens)

    def renumbered(self, block: Counted, first: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the words, by the vocabulary, and lengths of a block, checked; its first document is ``first``."""
        words, lengths = block.words, block.lengths
        if self._phrases is not None:
            words, lengths = self._phrases.join(phrases.Block(block.dictionary, words, lengths))
        words, lengths = renumber(words, lengths, self._ids[block.dictionary])
        check_document_lengths(lengths, lambda document: f"{self._source}: document {first + document}")
        return words, lengths

    def _in_order(self, blocks: Blocks) -> Iterator[Counted]:
        n = len(self._dictionaries)
        if n == 1:
            yield from map(self._count_block, blocks)
            return
        waiting: deque[Future[Counted]] = deque()
        with ThreadPoolExecutor(n, "topicgrove-text") as pool:
            try:
                for block in blocks:
                    waiting.append(pool.submit(self._count_block, block))
                    if len(waiting) >= _BLOCKS_PER_THREAD * n:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _count_block(self, block: Block) -> Counted:
        documents = block()
        dictionary = self._idle.get()
        try:
            words, lengths = self._tokenizer.tokenize(
                documents.texts, self._dictionaries[dictionary], self._removed[dictionary]
            )
        finally:
            self._idle.put(dictionary)
        documents.texts = []
        return Counted(dictionary, words, lengths, documents)


def tell(progress: Progress | None, event: StageEvent) -> None:
    """Report the progress of a stage; plain functions only hear of reading."""
    if isinstance(progress, Stages):
        progress.on_stage(event)
    elif progress is not None and event.stage == "reading":
        progress(event.n_docs, event.n_bytes)


def renumber(
    words: NDArray[np.int32], lengths: NDArray[np.int64], ids: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return words by id, sorted within documents, without those that are left out; and the new lengths."""
    keys = np.empty(len(words), np.int64)
    kept = np.empty(len(lengths), np.int64)
    keys = keys[: map_words(words, lengths, ids, keys, kept)]
    keys.sort()
    return keys.astype(np.int32), kept  # the lower half, which is the word
