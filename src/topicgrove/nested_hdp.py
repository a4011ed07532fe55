"""NestedHDP, the scikit-learn interface to the tree in which every token takes its own way down."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from topicgrove import checks, fitting, inputs, nested_fitting, trained_documents
from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus, TextRules
from topicgrove.estimator import HierarchicalLDA
from topicgrove.evaluation.own_documents import check_same_lengths
from topicgrove.plans import make_plan
from topicgrove.resuming import Resumable
from topicgrove.several_paths.files import save_several_paths_model
from topicgrove.several_paths.joint import log_joint_of_counts
from topicgrove.several_paths.paths import profiles_of
from topicgrove.several_paths.placing import InferredWalks, WalkPlacement, walk_perplexity
from topicgrove.several_paths.plans import WalkPlan
from topicgrove.several_paths.shape import WalkHyper
from topicgrove.several_paths.starts import TOPICS, balanced_tree, branches_start, one_path_start
from topicgrove.several_paths.training import Callback
from topicgrove.tree import TopicTree
from topicgrove.tree_model import TreeModel
from topicgrove.validation import check_threads, check_whole
from topicgrove.workers import Workers

BURN_IN = 20
"""Sweeps after which the proportions of a new document are taken."""


class NestedHDP(Resumable, TreeModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A tree of topics in which a document has several themes: every token takes its own way down.

    A token of document d at an inner topic i stops there with probability psi_di0 and goes on to child j with psi_dij,
    where psi_di ~ Dir(stop_i; a_j for the children j of i). A leaf always stops. The word is drawn from the topic where
    the token stopped, phi_t ~ Dir(beta).

    Parameters
    ----------
    n_levels : int, default=3
        Depth of the tree, the root included.
    target_topics : int, default=None
        Approximate number of topics that training starts from.
    beta : float or one per level, default=0.05
        Dirichlet prior of topics over words.
    child_weight : float or one per topic of ``tree``, default=0.1
        Dirichlet prior of going on to a topic from its parent.
    stop_weight : float or one per topic of ``tree``, default=2.0
        Dirichlet prior of stopping at an inner topic.
    tree : array of int, default=None
        The parents of the first tree's topics, numbered breadth first, with -1 for the root; with ``grow=False``, this
        tree does not change. None means the tree that hierarchical LDA finds.
    learn : names out of "beta", "child_weight" and "stop_weight", default=all of them
        Hyper-parameters to fit to the data from the sweep ``learn_after`` on.
    learn_after : int, default=30
        The sweep after which learning begins; it is repeated every fifth sweep. A tree also grows from that sweep on.
    grow : bool, default=True
        Whether topics are born and die, as in the nested hierarchical Dirichlet process. Births happen below any topic
        that is not on the last level. The shares pi_i of the children of topic i are drawn, pi_i ~ GEM(gamma), and
        a_j = tau_i pi_ij. If False, the tree does not change and ``learn`` fits each weight by itself.
    grow_every : int, default=5
        Sweeps between draws of the shares.
    tau : float, default=5.0
        Total weight of all children of a newborn topic. For topics of the first tree it is ``child_weight`` times the
        number of their children.
    gamma : float, default=1.0
        How readily topics are born.
    free_children : int, default=None
        Children that no token uses yet, kept below every inner topic of a growing tree. Since their number is limited,
        births are too rare by (gamma / (1 + gamma))^free_children. None means 2, and 8 for at most 1,000 tokens.
    min_tokens : int, default=None
        At the end, topics of a grown tree with fewer tokens in their branch die. So do the smallest topics in excess of
        1.1 times ``target_topics``. Three sweeps follow. 1 keeps all other topics that have a token. None means 0.02 %
        of the tokens.
    init : {"branches", "hlda", "none"}, default="branches"
        How training starts. "hlda": from a run of `HierarchicalLDA`. "branches": with its inner topics, and topics of a
        run of flat LDA in place of its leaves, each below the branch whose documents use it most. If ``tree`` is given,
        its topics are drawn from the prior, as with "none".
    init_iterations : int, default=60
        Sweeps of the run of `HierarchicalLDA`.
    n_iter : int, default=150
        Sweeps in which every token takes its own way.
    sampler : {"cgs", "pcgs"}, default="cgs"
        Collapsed or partially collapsed Gibbs sampling. With "pcgs", distributions of slow topics are set after every
        sweep and stay as they are during the next; several processes then exchange less.
    collapse_below : int or inf, default=None
        PCGS: topics with fewer tokens are collapsed, the others slow. None means 1,000.
    phi : {"auto", "mean", "draw"}, default="auto"
        PCGS: whether distributions of slow topics are drawn from their posterior, or set to its mean. "auto" draws
        below 10,000 tokens.
    checkpoint : str or path-like, default=None
        Directory for checkpoints, from which `resume` continues. Checkpoints begin after the start.
    checkpoint_every : int, default=10
        Sweeps between checkpoints.
    checkpoint_minutes : float, default=None
        Minutes after which to write another checkpoint.
    sync : {"hybrid", "bsp", "server", "lockstep"}, default="hybrid"
        How several processes exchange their changes. "hybrid": slow topics once per sweep, and others while they draw.
        "bsp": everything once per sweep. "server": everything through the first process; no topic is slow. "lockstep":
        document by document, for tests; it gives the result of one process.
    text : TextRules, dict or CountVectorizer, default=None
        How to split texts into words, as in `HierarchicalLDA`.
    n_jobs : int, default=None
        Threads; None means 1 and -1 all cores. One thread always gives the same result for the same seed.
    random_state : int, RandomState or None, default=None
        Seed.
    callbacks : iterable of callables
        Each is called with a `WalkEvent` after every sweep: ``event.token_topics`` has the topic of every token.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    tree_ : TopicTree
        The topics, breadth first, with their words. ``n_docs`` counts the documents whose main path includes a topic.
    token_topics_ : int32 array of shape (n_tokens,)
        Topic of every token, documents in order, tokens sorted by word.
    document_topics_ : CSR array of shape (n_docs, T)
        Tokens of each document in each topic.
    topic_word_counts_ : CSR array of shape (T, V)
        Tokens of each word in each topic.
    paths_ : array of shape (n_docs, n_levels)
        The main path of each document: from the root down, each time to the child whose documents, by the topics of
        their tokens, explain its words best, compared with all documents. It begins with the child whose branch has the
        greatest weight of its tokens over ten sweeps, where a token weighs log(phi_tw / p_w), at least 0; two rounds
        follow. Entries are -1 below a leaf that is not on the last level.
    hyper_parameters_ : WalkHyper
        beta per level, and child and stop weights per topic, at the end of training.
    log_joint_ : float
        log p(w, z) given the tree and its weights, at the end of training.
    history_ : list of dict
        Seconds and topics per level of every sweep, and the log joint of some.
    dropped_, rules_ :
        As in `HierarchicalLDA`.
    n_features_in_ : int
        V, the size of the vocabulary.

    Examples
    --------
    >>> from topicgrove import NestedHDP
    >>> texts = ["the moon and a rocket", "a rocket in orbit", "a goal for the team", "the team in a match"] * 5
    >>> model = NestedHDP(2, n_iter=20, random_state=0).fit(texts)
    >>> model.document_topics_.sum(), model.predict_paths(["a rocket to the moon"]).shape
    (np.int64(40), (1, 2))

    A fixed tree with fixed priors:

    >>> X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> model = NestedHDP(2, tree=[-1, 0, 0], init="none", grow=False, learn=(), n_iter=50, random_state=0).fit(X)
    >>> model.transform(X).shape, int(model.topic_word_counts_.sum())
    ((4, 3), 21)
    """

    _train = staticmethod(nested_fitting.train)
    hyper_parameters_: WalkHyper
    token_topics_: NDArray[np.int32]
    document_topics_: sparse.csr_array
    topic_word_counts_: sparse.csr_array

    def __init__(
        self,
        n_levels: int = 3,
        *,
        target_topics: int | None = None,
        beta: ArrayLike = 0.05,
        child_weight: ArrayLike = 0.1,
        stop_weight: ArrayLike = 2.0,
        tree: Any = None,
        learn: Iterable[str] | str = ("beta", "child_weight", "stop_weight"),
        learn_after: int = 30,
        grow: bool = True,
        grow_every: int = 5,
        tau: float = 5.0,
        gamma: float = 1.0,
        free_children: int | None = None,
        min_tokens: int | None = None,
        init: str = "branches",
        init_iterations: int = 60,
        n_iter: int = 150,
        sampler: str = "cgs",
        collapse_below: float | None = None,
        phi: str = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int = 10,
        checkpoint_minutes: float | None = None,
        sync: str = "hybrid",
        text: TextRules | Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        callbacks: Iterable[Callback] = (),
        verbose: int = 0,
    ) -> None:
        self.n_levels = n_levels
        self.target_topics = target_topics
        self.beta = beta
        self.child_weight = child_weight
        self.stop_weight = stop_weight
        self.tree = tree
        self.learn, self.learn_after = learn, learn_after
        self.grow, self.grow_every = grow, grow_every
        self.tau = tau
        self.gamma = gamma
        self.free_children = free_children
        self.min_tokens = min_tokens
        self.init, self.init_iterations = init, init_iterations
        self.n_iter = n_iter
        self.sampler = sampler
        self.collapse_below = collapse_below
        self.phi = phi
        self.checkpoint, self.checkpoint_every = checkpoint, checkpoint_every
        self.checkpoint_minutes = checkpoint_minutes
        self.sync = sync
        self.text = text
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callbacks = callbacks
        self.verbose = verbose

    def fit(
        self, X: Any, y: object = None, *, held_out: Any = None, communicator: Communicator | None = None
    ) -> NestedHDP:
        """Learn a tree from texts, lists of tokens, counts of shape (n_docs, n_words), or a Corpus.

        The perplexity of ``held_out``, documents or the share or number of those in X to hold out, enters `history_`
        every 25 sweeps. Ctrl-C ends training after the current sweep. It is raised, and leaves the model of the last
        sweep; during the run of `HierarchicalLDA` that training starts from, there is none yet.

        With a communicator, all its processes call this method with the same documents, and each trains on its share.
        The first process gets the model and calls the callbacks; the others stay unfitted.
        """
        nested_fitting.train(self, lambda: fitting.new_task(self, X, held_out), communicator or Communicator())
        return self

    def fit_transform(self, X: Any, y: object = None, *, held_out: Any = None) -> NDArray[np.float64]:
        """Fit to the documents, and return their `transform`; the documents are read once."""
        corpus = nested_fitting.train(self, lambda: fitting.new_task(self, X, held_out), Communicator())
        return self._placed(corpus).shares

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return expected shares of topics in texts, tokens, counts or a Corpus, shape (n_docs, T); rows sum to 1.

        Each document is placed by itself: the result depends neither on the other documents nor on its row. Empty
        documents get the shares of the prior; a warning says how many texts have no word that the model knows.
        """
        return self._infer(X, stacklevel=5).shares

    def predict_paths(
        self, X: Any, *, return_distribution: bool = False
    ) -> NDArray[np.int64] | tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return each document's main path, shape (n_docs, n_levels); -1 below a leaf that is not on the last level.

        With ``return_distribution``, also return the result of `transform`: the share of every path, by its last topic.
        """
        inferred = self._infer(X)
        return (inferred.paths, inferred.shares) if return_distribution else inferred.paths

    def infer(self, X: Any) -> InferredWalks:
        """Return all results of placing documents: shares of topics, main paths, and log probabilities."""
        return self._infer(X)

    def score(self, X: Any, y: object = None) -> float:
        """Return the log probability per held-out token, minus the logarithm of `perplexity`; larger is better."""
        return -float(np.log(self.perplexity(X, random_state=0)))

    def perplexity(self, X: Any, *, random_state: Any = None, n_samples: int = 3, burn_in: int = BURN_IN) -> float:
        """Return held-out perplexity by document completion: half of each document's tokens predict the other half.

        Parameters
        ----------
        X : texts, tokens, counts or Corpus
            Documents in the model's vocabulary that it was not trained on.
        random_state : int, RandomState or None
            Seed of the split and of the chains.
        n_samples : int, default=3
            Chains per document.
        burn_in : int, default=20
            Sweeps of a chain before its proportions are averaged over ten sweeps.
        """
        check_is_fitted(self)
        corpus = self._corpus(X, reset=False)
        return walk_perplexity(
            self.tree_.parent,
            self.topic_word_counts_,
            self.hyper_parameters_,
            corpus,
            seed=checks.seed(random_state),
            n_samples=check_whole("n_samples", n_samples, 1),
            burn_in=check_whole("burn_in", burn_in, 1),
            n_threads=check_threads(self.n_jobs),
        )

    documents = trained_documents.documents
    document_table = trained_documents.document_table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, completely or not at all; `topicgrove.load` reads it."""
        check_is_fitted(self)
        save_several_paths_model(self, path)

    def _corpus(self, X: Any, *, reset: bool) -> Corpus:
        return inputs.corpus_to_fit(self, X) if reset else inputs.corpus_to_place(self, X)

    def _start(
        self, plan: WalkPlan, corpus: Corpus, workers: Workers, comm: Communicator
    ) -> tuple[NDArray[np.int64], NDArray[np.int32] | None]:
        """Return the first tree, and the topic of each of this rank's tokens unless topics are drawn from the prior."""
        if plan.parent is not None:
            return plan.parent, None
        if plan.init == "none":
            return balanced_tree(plan.n_levels, plan.target_topics or TOPICS), None
        one_path = HierarchicalLDA(
            plan.n_levels,
            target_topics=plan.target_topics,
            n_iter=plan.init_iterations,
            n_jobs=plan.n_threads,
            random_state=plan.seed,
        )
        one_path_plan = make_plan(one_path, corpus, comm.size)
        if plan.init == "hlda":
            return one_path_start(one_path_plan, corpus, workers, comm)
        return branches_start(one_path_plan, plan, corpus, workers, comm)

    def _keep(self, tree: TopicTree, token_topics: NDArray[np.int32], hyper: WalkHyper) -> None:
        """Keep a tree with its documents, the topic of each of their tokens, and the tree's priors."""
        assert tree.documents is not None
        assert tree.documents.topic_counts is not None
        assert tree.word_counts is not None
        self.tree_, self.token_topics_, self.hyper_parameters_ = tree, token_topics, hyper
        self.paths_ = tree.documents.paths
        self.document_topics_ = tree.documents.topic_counts
        self.topic_word_counts_ = tree.word_counts
        self.log_joint_ = log_joint_of_counts(tree.parent, hyper, self.document_topics_, self.topic_word_counts_)

    def _infer(self, X: Any, stacklevel: int = 4) -> InferredWalks:
        check_is_fitted(self)
        corpus = self._corpus(X, reset=False)
        inputs.report_unknown(X, corpus, stacklevel)
        return self._placed(corpus)

    def _placed(self, corpus: Corpus) -> InferredWalks:
        with Workers(check_threads(self.n_jobs)) as workers:
            return self._placement(corpus, workers).place(
                self.n_levels, BURN_IN, profiles_of(self.paths_, self.document_topics_)
            )

    def _placement(self, corpus: Corpus, workers: Workers) -> WalkPlacement:
        return WalkPlacement(self.tree_.parent, self.topic_word_counts_, self.hyper_parameters_, corpus, workers)

    def _log_probabilities(self, corpus: Corpus) -> NDArray[np.float64]:
        """Return log p(w | shares) of the documents of training, given the topics of their tokens."""
        lengths = np.asarray(self.document_topics_.sum(axis=1)).ravel()
        check_same_lengths(corpus, lengths)
        with Workers(check_threads(self.n_jobs)) as workers:
            return self._placement(corpus, workers).own_log_likelihoods(self.token_topics_)
