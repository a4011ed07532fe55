"""HierarchicalLDA: the scikit-learn face. It checks arguments, trains, and answers."""

from __future__ import annotations

import math
import numbers
import os
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from topicgrove.corpus import Corpus
from topicgrove.evaluation.completion import completion_perplexity
from topicgrove.evaluation.joint import log_joint
from topicgrove.kernels.compiled import is_warm
from topicgrove.prior import HyperParameters, check_choice, check_whole
from topicgrove.progress import Progress
from topicgrove.samplers import BlockedGibbs, CollapsedGibbs, PartiallyCollapsedGibbs, Sampler
from topicgrove.state import State
from topicgrove.training import Callback, Schedule, Trainer
from topicgrove.tree import TopicTree
from topicgrove.workers import Workers

MAX_LEVELS = 64
MAX_THREADS = 1024
MAX_COLLAPSED = 2**31 - 1
MAX_LENGTH = 2**24
"""Kernels count a document's tokens in float32."""

FEW_TOKENS = 10_000
"""Below, phi="auto" draws."""


class HierarchicalLDA(BaseEstimator):  # type: ignore[misc]
    """Hierarchical latent Dirichlet allocation: a tree of topics under the nested Chinese restaurant process.

    Parameters
    ----------
    n_levels : int, default=4
        Depth of the tree, the root included.
    alpha : float or one per level, default=0.2
        Dirichlet prior of a document's proportions over the levels of its path.
    beta : float or one per level, default=None
        Dirichlet prior of topics over words; smaller values give more, finer topics. None means
        (1, .5, .25, .25, ...) below 5,000 documents and (.5, .25, .1, .1, ...) from there on.
    gamma : float or one per internal level, default=None
        How readily new topics branch off; used down to 1e-300. None means exp(-0.1 x mean document length), and 1 for
        the blocked sampler, whose sticks need a gamma of ordinary size.
    sampler : {"pcgs", "cgs", "bgs"}, default="pcgs"
        Partially collapsed, collapsed or blocked Gibbs sampling.
    collapse_below : int or inf, default=64
        PCGS: topics with fewer documents are collapsed (M in the literature). With inf, PCGS is CGS.
    init : {"monte_carlo", "progressive", "none"}, default="monte_carlo"
        How it starts. "monte_carlo": documents enter in mini-batches, and for ``init_iterations`` sweeps paths are
        drawn with the levels summed out. "progressive": mini-batches only. "none": all documents at once.
    init_iterations, init_samples : int, default=32 and 1
        Sweeps of the early phase, and draws of the levels per document in it (I and S in the literature).
    batch_size : int, default=None
        Documents in a mini-batch. None means batches that grow with the documents already in.
    phi : {"auto", "mean", "draw"}, default="auto"
        Distributions of slow topics: drawn from their posterior, as in the paper, or its mean, which predicts better
        and costs less. "auto" draws below 10,000 tokens and in the blocked sampler, and takes the mean otherwise.
    n_iter : int, default=100
        Sweeps over the corpus, the first of which brings the documents in.
    max_topics : int, default=None
        No topic is born beyond that many.
    free_children : int, default=2
        BGS: children that no document uses yet, kept below every topic in use.
    refine : bool, default=False
        Every second sweep after the early phase, move each document to the existing path that explains it best with
        its levels summed out. A heuristic, no Gibbs move; the last sweeps are plain.
    n_jobs : int, default=None
        Threads; None means 1 and -1 all cores. One thread gives the same result for the same seed, always; so does
        any number of threads with BGS.
    random_state : int, RandomState or None, default=None
        Seed.
    callbacks : iterable of callables
        Each is called with an event after every sweep.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    tree_ : TopicTree
        The topics, breadth first.
    paths_ : array of shape (n_docs, n_levels)
        Topic ids along each document's path.
    token_levels_ : uint8 array of shape (n_tokens,)
        Level of every token, documents in order, tokens sorted by word.
    topic_word_counts_ : CSR array of shape (T, V)
        Tokens of each word in each topic.
    log_joint_ : float
        log p(w, z, c) after the last iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove import HierarchicalLDA
    >>> X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> model.paths_.shape, int(model.topic_word_counts_.sum())
    ((4, 2), 21)
    """

    def __init__(
        self,
        n_levels: int = 4,
        *,
        alpha: ArrayLike = 0.2,
        beta: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        sampler: str = "pcgs",
        collapse_below: float = 64,
        init: str = "monte_carlo",
        init_iterations: int = 32,
        init_samples: int = 1,
        batch_size: int | None = None,
        phi: str = "auto",
        n_iter: int = 100,
        max_topics: int | None = None,
        free_children: int = 2,
        refine: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Iterable[Callback] = (),
        verbose: int = 0,
    ) -> None:
        self.n_levels = n_levels
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.sampler = sampler
        self.collapse_below = collapse_below
        self.init = init
        self.init_iterations = init_iterations
        self.init_samples = init_samples
        self.batch_size = batch_size
        self.phi = phi
        self.n_iter = n_iter
        self.max_topics = max_topics
        self.free_children = free_children
        self.refine = refine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callbacks = callbacks
        self.verbose = verbose

    def fit(self, X: Any, y: object = None) -> HierarchicalLDA:
        """Learn a tree from counts of shape (n_docs, n_words), sparse or dense, or from a Corpus.

        Empty documents are kept: they take a path from the prior.
        """
        corpus = Corpus.from_matrix(X)
        _check_lengths(corpus)
        check_choice("sampler", self.sampler, ("pcgs", "cgs", "bgs"))
        hyper = self._hyper_parameters(corpus)
        schedule = self._schedule(corpus.n_docs)
        sampler = self._sampler(corpus)
        n_threads = _n_threads(self.n_jobs)
        seed = _seed(self.random_state)
        _report_empty(corpus)
        callbacks = _callbacks(self.callbacks)
        if self.verbose:
            callbacks.append(Progress())
        if not is_warm() and (self.verbose or sys.stderr.isatty()):
            print("topicgrove: compiling its kernels, once after an installation (seconds)", file=sys.stderr)
        with Workers(n_threads) as workers:
            state = State(corpus, hyper, seed, workers)
            Trainer(state, sampler, schedule).run(callbacks)
            self._keep(state, corpus)
        return self

    def perplexity(self, X: Any, *, random_state: Any = None, n_samples: int = 10, burn_in: int = 20) -> float:
        """Held-out perplexity by document completion: half of each document's tokens predict the other half.

        Parameters
        ----------
        X : counts or Corpus
            Documents that the model was not trained on, with the same words.
        random_state : int, RandomState or None
            Seed of the split and of the chains.
        n_samples : int, default=10
            Chains per document, each a sample of path and proportions.
        burn_in : int, default=20
            Sweeps of a chain before it is used.
        """
        if not hasattr(self, "tree_"):
            raise NotFittedError("perplexity: this HierarchicalLDA is not fitted yet; call fit first")
        corpus = Corpus.from_matrix(X)
        if corpus.n_words != self.topic_word_counts_.shape[1]:
            raise ValueError(
                f"X has {corpus.n_words} words, but the model was fitted with {self.topic_word_counts_.shape[1]}"
            )
        check_whole("n_samples", n_samples, 1)
        check_whole("burn_in", burn_in, 1)
        return completion_perplexity(
            self.tree_,
            self.topic_word_counts_,
            self.hyper_parameters_,
            corpus,
            seed=_seed(random_state),
            n_samples=n_samples,
            burn_in=burn_in,
            n_threads=_n_threads(self.n_jobs),
        )

    def _hyper_parameters(self, corpus: Corpus) -> HyperParameters:
        n_levels = check_whole("n_levels", self.n_levels, 2, MAX_LEVELS)
        gamma = self.gamma
        if gamma is None and self.sampler == "bgs":
            gamma = 1.0
        mean_length = corpus.n_tokens / corpus.n_docs
        return HyperParameters.of(n_levels, self.alpha, self.beta, gamma, corpus.n_docs, mean_length)

    def _schedule(self, n_docs: int) -> Schedule:
        init = check_choice("init", self.init, ("monte_carlo", "progressive", "none"))
        init_iterations = check_whole("init_iterations", self.init_iterations, 0)
        batch_size = None if self.batch_size is None else check_whole("batch_size", self.batch_size, 1)
        max_topics = self.max_topics
        if max_topics is not None:
            check_whole("max_topics", max_topics, self.n_levels)
            if self.sampler == "bgs":
                raise ValueError("max_topics cannot be kept by sampler='bgs', whose documents don't see each other")
        return Schedule(
            n_iter=check_whole("n_iter", self.n_iter, 1),
            init_iterations=init_iterations if init == "monte_carlo" else 0,
            init_samples=check_whole("init_samples", self.init_samples, 1),
            batch_size=n_docs if init == "none" else batch_size,
            max_topics=max_topics,
            refine=_flag("refine", self.refine),
        )

    def _sampler(self, corpus: Corpus) -> Sampler:
        phi = check_choice("phi", self.phi, ("auto", "mean", "draw"))
        free_children = check_whole("free_children", self.free_children, 1)
        collapse_below = _threshold(self.collapse_below)
        if self.sampler == "bgs":
            return BlockedGibbs(free_children, draw_phi=phi != "mean")
        if self.sampler == "cgs" or math.isinf(collapse_below):
            if corpus.n_tokens > MAX_COLLAPSED:
                raise ValueError(
                    f"sampler: collapsed counts hold at most {MAX_COLLAPSED} tokens and X has {corpus.n_tokens}; "
                    "use sampler='pcgs' with a finite collapse_below"
                )
            return CollapsedGibbs()
        draw = phi == "draw" or (phi == "auto" and corpus.n_tokens < FEW_TOKENS)
        return PartiallyCollapsedGibbs(collapse_below, draw_phi=draw)

    def _keep(self, state: State, corpus: Corpus) -> None:
        """The fitted attributes, from the last state."""
        nodes = state.nodes()
        n_topics = len(nodes.slot)
        parent = nodes.parent.copy()
        parent[0] = -1
        self.hyper_parameters_ = state.hyper
        self.paths_ = state.paths(nodes)
        self.token_levels_ = state.docs.levels
        self.topic_word_counts_ = count_words(corpus, self.paths_, self.token_levels_, n_topics)
        n_tokens = np.asarray(self.topic_word_counts_.sum(axis=1), np.int64).ravel()
        self.tree_ = TopicTree(parent, nodes.level, nodes.n_docs, n_tokens)
        self.log_joint_ = log_joint(state, nodes)
        self.n_features_in_ = corpus.n_words


def count_words(
    corpus: Corpus, paths: NDArray[np.int32], token_levels: NDArray[np.uint8], n_topics: int
) -> sparse.csr_array:
    """(T, V) tokens of each word in each topic, from the assignments."""
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    topic = paths[document, token_levels]
    ones = np.ones(len(topic), np.int32)
    counts = sparse.coo_array((ones, (topic, corpus.words)), shape=(n_topics, corpus.n_words))
    return counts.tocsr()


def _check_lengths(corpus: Corpus) -> None:
    if corpus.n_tokens == 0:
        raise ValueError("X has no words: every document is empty")
    longest = int(corpus.document_lengths.argmax())
    if corpus.document_lengths[longest] > MAX_LENGTH:
        n_tokens = corpus.document_lengths[longest]
        raise ValueError(f"X: document {longest} has {n_tokens} tokens; a document holds at most {MAX_LENGTH}")


def _callbacks(given: Any) -> list[Callback]:
    try:
        callbacks = list(given)
    except TypeError:
        callbacks = [None]
    if not all(callable(callback) for callback in callbacks):
        raise TypeError(f"callbacks must be a sequence of callables; got {given!r}")
    return callbacks


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def _report_empty(corpus: Corpus) -> None:
    n_empty = int((corpus.document_lengths == 0).sum())
    if n_empty:
        warnings.warn(
            f"{n_empty} of {corpus.n_docs} documents are empty; they are kept and take a path from the prior",
            stacklevel=3,
        )


def _threshold(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"collapse_below must be a number of documents or inf; got {value!r}")
    number = float(value)
    if not number >= 1:
        raise ValueError(f"collapse_below must be at least 1; got {value!r}")
    return number


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, int) and n_jobs == -1:
        return os.cpu_count() or 1
    return check_whole("n_jobs", n_jobs, 1, MAX_THREADS)


def _seed(random_state: Any) -> int:
    """A seed of 63 bits from whatever scikit-learn accepts."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
    if isinstance(random_state, np.random.RandomState | np.random.Generator):
        draw = random_state.randint if isinstance(random_state, np.random.RandomState) else random_state.integers
        return int(draw(2**31 - 1))
    return check_whole("random_state", random_state, 0, 2**63 - 1)
