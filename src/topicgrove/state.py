"""The state of a sampler: assignments, topics and hyper-parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topicgrove.assignments import Assignments
from topicgrove.communication import Communicator
from topicgrove.communication.rows import Rows
from topicgrove.corpus import Corpus
from topicgrove.kernels.structures import Documents, Prior
from topicgrove.prior import HyperParameters
from topicgrove.seeds.pinned import Pinned
from topicgrove.topics import Nodes, Topics
from topicgrove.workers import Workers


class State:
    """Everything that a sampler changes.

    In a run of several processes each has the assignments of its own documents; the topics are those of all documents.
    Methods that say "over all ranks" are called by all of them.
    """

    def __init__(
        self,
        corpus: Corpus,
        hyper: HyperParameters,
        seed: int,
        workers: Workers,
        keys: NDArray[np.uint64] | None = None,
        comm: Communicator | None = None,
        pinned: Pinned | None = None,
    ) -> None:
        self.comm = comm or Communicator()
        self.pinned = pinned
        self.n_docs, self.n_tokens = corpus.n_docs, corpus.n_tokens
        """Documents and tokens of this rank, without the pinned ones, which follow them in the arrays."""
        corpus = corpus if pinned is None else pinned.added_to(corpus)
        self.workers = workers
        self.hyper = hyper
        self.n_levels = hyper.n_levels
        self.n_words = corpus.n_words
        self.seed = np.uint64(seed)
        self.refreshes = 0
        self.rows = Rows(corpus.n_words, workers, self.comm)
        self.assignments = Assignments(corpus, hyper.n_levels, workers, self.comm, keys)
        self.topics = Topics(corpus.n_words, hyper.for_kernels(corpus.n_words), self.assignments, workers)
        if pinned is not None:
            self.docs.levels[self.n_tokens :] = pinned.levels

    @property
    def docs(self) -> Documents:
        """The documents and their assignments, for kernels."""
        return self.assignments.docs

    @property
    def n_docs_in_all(self) -> int:
        """D, over all ranks."""
        return int(self.assignments.starts[-1, 0]) - (0 if self.pinned is None else self.pinned.n_docs)

    @property
    def n_tokens_in_all(self) -> int:
        """N, over all ranks."""
        return self.assignments.n_tokens_in_all - (0 if self.pinned is None else len(self.pinned.words))

    @property
    def token_levels(self) -> NDArray[np.uint8]:
        """The level of every token of this rank's documents."""
        return self.docs.levels[: self.n_tokens]

    @property
    def prior(self) -> Prior:
        """The hyper-parameters for kernels."""
        return self.topics.prior

    def nodes(self) -> Nodes:
        """Return the living topics, breadth first."""
        return self.topics.nodes()

    def paths(self, nodes: Nodes) -> NDArray[np.int32]:
        """Return (n_docs, n_levels) positions in ``nodes``; -1 for documents that have not entered."""
        return self.topics.paths(nodes)[: self.n_docs]

    def level_counts(self) -> NDArray[np.int64]:
        """Count (n_docs, n_levels) C_dl."""
        return self.assignments.level_counts()[: self.n_docs]

    def seeded(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the positions of the seeded topics in ``nodes``."""
        if self.pinned is None:
            return np.zeros(0, np.int64)
        return self.pinned_paths(nodes)[self.pinned.document, self.pinned.level].astype(np.int64)

    def pinned_paths(self, nodes: Nodes) -> NDArray[np.int32]:
        """Return the paths of the pinned documents as positions in ``nodes``."""
        return self.topics.paths(nodes)[self.n_docs :]

    def set_hyper(self, hyper: HyperParameters) -> None:
        """Use these hyper-parameters. The sampler's refresh must follow: it computes phi and pi from them."""
        same_beta = np.array_equal(hyper.beta, self.hyper.beta)
        self.hyper = hyper
        self.topics.set_prior(hyper.with_tables(self.prior) if same_beta else hyper.for_kernels(self.n_words))
