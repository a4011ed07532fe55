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
    ) -> None:
        self.comm = comm or Communicator()
        self.workers = workers
        self.hyper = hyper
        self.n_levels = hyper.n_levels
        self.n_words = corpus.n_words
        self.seed = np.uint64(seed)
        self.refreshes = 0
        self.rows = Rows(corpus.n_words, workers, self.comm)
        self.assignments = Assignments(corpus, hyper.n_levels, workers, self.comm, keys)
        self.topics = Topics(corpus.n_words, hyper.for_kernels(corpus.n_words), self.assignments, workers)

    @property
    def docs(self) -> Documents:
        """The documents and their assignments, for kernels."""
        return self.assignments.docs

    @property
    def n_docs(self) -> int:
        """D, of this rank."""
        return self.assignments.n_docs

    @property
    def prior(self) -> Prior:
        """The hyper-parameters for kernels."""
        return self.topics.prior

    def nodes(self) -> Nodes:
        """Return the living topics, breadth first."""
        return self.topics.nodes()

    def paths(self, nodes: Nodes) -> NDArray[np.int32]:
        """Return (n_docs, n_levels) positions in ``nodes``; -1 for documents that have not entered."""
        return self.topics.paths(nodes)

    def set_hyper(self, hyper: HyperParameters) -> None:
        """Use these hyper-parameters. The sampler's refresh must follow: it computes phi and pi from them."""
        same_beta = np.array_equal(hyper.beta, self.hyper.beta)
        self.hyper = hyper
        self.topics.set_prior(hyper.with_tables(self.prior) if same_beta else hyper.for_kernels(self.n_words))
