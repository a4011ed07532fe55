"""HierarchicalLDA, the scikit-learn interface: it checks arguments, trains, and answers questions about documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from topicgrove import answers, checks, fitting, inputs, trained_documents
from topicgrove.communication import Communicator
from topicgrove.corpus import Corpus, TextRules
from topicgrove.fitted_model import FittedModel
from topicgrove.inference import Inferred, all_paths, path_distribution, topic_proportions
from topicgrove.persistence.models import save_model
from topicgrove.resuming import Resumable
from topicgrove.training import Callback
from topicgrove.validation import check_whole


class HierarchicalLDA(Resumable, FittedModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Hierarchical latent Dirichlet allocation: a tree of topics under the nested Chinese restaurant process.

    Parameters
    ----------
    n_levels : int, default=4
        Depth of the tree, the root included.
    alpha : float or one per level, default=0.2
        Dirichlet prior of a document's proportions over the levels of its path.
    beta : float or one per level, default=None
        Dirichlet prior of topics over words; smaller values give more, finer topics. None means (1, .5, .25, .17) times
        S / V, at most 1, for V words, N tokens and S = max(7000, 4 sqrt(N)); with more levels, .25 is repeated.
    gamma : float or one per internal level, default=None
        How readily new topics branch off; used down to 1e-300. None means exp(-0.1 x mean document length) for the root
        and the second-to-last level, and the square of that between them. For the blocked sampler, whose sticks need a
        gamma of ordinary size, None means 1.
    sampler : {"auto", "pcgs", "cgs", "bgs"}, default="auto"
        Partially collapsed, collapsed or blocked Gibbs sampling. "auto" chooses "cgs", which predicts better, for fewer
        than 50,000 documents in one process, and "pcgs" otherwise or if ``collapse_below`` is given. `sampler_` tells
        which one it chose.
    collapse_below : int or inf, default=None
        PCGS: topics with fewer documents are collapsed (M in the literature). None means 64. With inf, PCGS is CGS.
    init : {"bottom_up", "monte_carlo", "progressive", "none"}, default="bottom_up"
        How training starts. "bottom_up": from a tree whose leaves are found first, by ``n_init`` rough fits of at most
        40,000 random documents, and then grouped into branches; the other documents enter in mini-batches. Fewer than
        20 documents start as in "monte_carlo".
        "monte_carlo": the paper's start; documents enter in mini-batches, and for ``init_iterations`` sweeps paths are
        drawn with levels summed out. "progressive": mini-batches only. "none": all documents at once.
    n_init : int, default=5
        Number of rough fits for a bottom-up start. With more fits, runs with different seeds agree better on the
        branches: `agreement_` tells how well.
    init_iterations, init_samples : int, default=32 and 1
        Sweeps of the early phase of "monte_carlo", and draws of the levels per document in it (I and S in the
        literature).
    batch_size : int, default=None
        Documents per mini-batch. None means batches that grow with the number of documents already in.
    phi : {"auto", "mean", "draw"}, default="auto"
        Whether distributions of slow topics are drawn from their posterior, as in the paper, or set to its mean, which
        predicts better and costs less. "auto" draws below 10,000 tokens and in the blocked sampler, and uses the mean
        otherwise.
    n_iter : int, default=100
        Sweeps over the corpus; the first one brings the documents in.
    max_topics : int, default=None
        Maximum number of topics.
    free_children : int, default=2
        BGS: children that no document uses yet, kept below every topic, these children included; the tree has at least
        ``free_children ** (n_levels - 1)`` topics.
    refine : bool, default=False
        Every second sweep after the early phase, move each document to the existing path that explains it best with
        levels summed out. This is a heuristic, not a Gibbs move; the last sweeps are plain.
    target_topics : int or sequence of int, default=None
        Approximate number of topics in the tree, or one for each level below the root, such as (10, 50, 200). A
        bottom-up start begins with these numbers. Where beta and gamma are None, the first sweeps steer them towards
        them.
    min_docs : int, default=None
        After the last sweep, documents of topics with fewer documents move to other topics, and a topic with a single
        child makes way for its siblings. 1 leaves the tree as sampled. None means 0.5 % of the documents on level 1 and
        0.02 % on the last level, and at least 3 for 400 documents or more.
    min_children, max_children : int, default=None
        After the last sweep, a topic above the last level with fewer children dissolves, and so do the smallest of more
        children: their documents move to other topics. Seeded topics stay, and so does the largest topic below each.
    seeds : dict, default=None
        Topics that exist from the start, keep their names and never die: ``{"sports": ["game", "team"], "space":
        {"words": ["nasa"], "shuttle": ["crew", "launch"]}}``. A topic is a list of words, or a dict of the topics below
        it, in which "words" lists words of its own. Words may be numbers of columns. Not for several processes.
    seed_weight : int, default=20
        How many tokens are added to beta for each word of a seeded topic.
    learn : names out of "alpha", "beta" and "gamma", default=()
        Hyper-parameters to fit to the data after the early phase.
    early_stopping : bool or int, default=False
        Stop when the log joint has not risen for this many sweeps; True means 10.
    checkpoint : str or path-like, default=None
        Directory for checkpoints, from which `resume` continues.
    checkpoint_every : int, default=10
        Sweeps between checkpoints.
    checkpoint_minutes : float, default=None
        Minutes after which to write another checkpoint.
    sync : {"hybrid", "bsp", "server", "lockstep"}, default="hybrid"
        How several processes exchange their changes. "hybrid": slow topics once per iteration and all others
        continually. "bsp": everything once per iteration. "server": everything through the first process. "lockstep":
        document by document, for tests.
    text : TextRules, dict or CountVectorizer, default=None
        How to split texts into words: rules, a dict of their fields, such as ``{"ngram_range": (1, 2)}``, or a
        CountVectorizer of scikit-learn, for its settings. None means the default `TextRules`. Counts and corpora
        already have their words.
    n_jobs : int, default=None
        Threads; None means 1 and -1 all cores. One thread always gives the same result for the same seed; with BGS, any
        number of threads does.
    random_state : int, RandomState or None, default=None
        Seed.
    warm_start : bool, default=False
        Whether another `fit` with the same documents goes on from `tree_`, edited or not, for ``n_iter`` more sweeps.
    callbacks : iterable of callables
        Each is called with a `SweepEvent` after every sweep. If it has a method ``on_progress``, that method is called
        with a `ProgressEvent` a few times a second during a sweep.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    tree_ : TopicTree
        The topics, breadth first, with their words and documents.
    paths_ : array of shape (n_docs, n_levels)
        Topic ids along each document's path.
    token_levels_ : uint8 array of shape (n_tokens,)
        Level of every token, documents in order, tokens sorted by word.
    topic_word_counts_ : CSR array of shape (T, V)
        Tokens of each word in each topic.
    log_joint_ : float
        log p(w, z, c) after the last iteration.
    hyper_parameters_ : HyperParameters
        alpha, beta and log gamma in full length, at the end of training.
    history_ : list of dict
        Seconds and topics per level of every sweep, and the log joint of some.
    sampler_ : {"pcgs", "cgs", "bgs"} or None
        The sampler that trained the model; None for models saved by versions that did not record it. With several
        processes, ``sync="server"`` uses "cgs" whatever ``sampler`` is.
    agreement_ : float or None
        How well runs with different seeds can be expected to agree on level 1, an adjusted Rand index: the agreement of
        the branches found by one half of the ``n_init`` fits with those found by the other half. None for other starts.
    held_out_ : array of int or None
        Documents that `fit` held out: their positions in X, ascending. `paths_` and `tree_` cover the other documents.
    dropped_ : tuple of Dropped or None
        The words left out of the texts, with reasons, as in `Corpus.dropped`; None for counts.
    rules_ : TextRules or None
        How texts were split into words; `transform` and the other methods read new texts by the same rules. None if the
        documents came as counts or tokens; new texts are then read by ``text``.
    n_features_in_ : int
        V, the size of the vocabulary.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> texts = ["the moon and a rocket", "a rocket in orbit", "a goal for the team", "the team in a match"] * 5
    >>> model = HierarchicalLDA(n_levels=2, n_iter=20, random_state=0).fit(texts)
    >>> model.predict_paths(["a rocket to the moon"]).shape
    (1, 2)

    Counts work, too:

    >>> import numpy as np
    >>> X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> model.paths_.shape, int(model.topic_word_counts_.sum())
    ((4, 2), 21)
    """

    _train = staticmethod(fitting.train)

    def __init__(
        self,
        n_levels: int = 4,
        *,
        alpha: ArrayLike = 0.2,
        beta: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        sampler: str = "auto",
        collapse_below: float | None = None,
        init: str = "bottom_up",
        n_init: int = 5,
        init_iterations: int = 32,
        init_samples: int = 1,
        batch_size: int | None = None,
        phi: str = "auto",
        n_iter: int = 100,
        max_topics: int | None = None,
        free_children: int = 2,
        refine: bool = False,
        target_topics: int | Sequence[int] | None = None,
        min_docs: int | None = None,
        min_children: int | None = None,
        max_children: int | None = None,
        seeds: Mapping[str, Any] | None = None,
        seed_weight: int = 20,
        learn: Iterable[str] | str = (),
        early_stopping: bool | int = False,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int = 10,
        checkpoint_minutes: float | None = None,
        sync: str = "hybrid",
        text: TextRules | Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        callbacks: Iterable[Callback] = (),
        verbose: int = 0,
    ) -> None:
        self.n_levels = n_levels
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        self.sampler, self.collapse_below = sampler, collapse_below
        self.init, self.n_init = init, n_init
        self.init_iterations, self.init_samples = init_iterations, init_samples
        self.batch_size = batch_size
        self.phi = phi
        self.n_iter = n_iter
        self.max_topics, self.free_children, self.refine = max_topics, free_children, refine
        self.target_topics, self.min_docs = target_topics, min_docs
        self.min_children, self.max_children = min_children, max_children
        self.seeds, self.seed_weight = seeds, seed_weight
        self.learn = learn
        self.early_stopping = early_stopping
        self.checkpoint, self.checkpoint_every = checkpoint, checkpoint_every
        self.checkpoint_minutes = checkpoint_minutes
        self.sync = sync
        self.text = text
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start, self.callbacks, self.verbose = warm_start, callbacks, verbose

    def fit(
        self, X: Any, y: object = None, *, held_out: Any = None, communicator: Communicator | None = None
    ) -> HierarchicalLDA:
        """Learn a tree from texts, lists of tokens, counts of shape (n_docs, n_words), or a Corpus.

        Texts may be a list, an array, a column of pandas, polars or Arrow, a generator, or a Hugging Face dataset or a
        data frame with a column "text" or a single column of strings; ``text`` tells how to split them into words.
        Tokens are used as they are, except for the choice of words (min_df, max_df and max_features). Counts may be
        sparse or dense. For files, see `read_corpus`.

        Empty documents are kept: they take a path from the prior. The perplexity of ``held_out`` enters `history_`
        every 25 sweeps. ``held_out`` may be documents of the same kind as X, or the share or number of the documents in
        X to hold out, such as .1 or 300. In the second case, ``random_state`` selects documents that are not trained
        on, and `held_out_` lists them.

        Ctrl-C ends training after the current sweep. It is raised and leaves the model of the last sweep, like any
        exception between two sweeps, such as one from a callback. An exception within a sweep leaves the estimator
        unchanged.

        With a communicator, all its processes call this method with the same documents, and each trains on its share.
        The first process gets the model and calls the callbacks; the others stay unfitted. All processes raise the
        errors that they agree on, such as those of arguments; any other error ends all of them.
        """
        fitting.train(self, lambda: fitting.new_task(self, X, held_out), communicator or Communicator())
        return self

    def fit_transform(
        self, X: Any, y: object = None, *, held_out: Any = None, communicator: Communicator | None = None
    ) -> NDArray[np.float64]:
        """Fit to the documents, and return their `transform`; the documents are read once."""
        corpus = fitting.train(self, lambda: fitting.new_task(self, X, held_out), communicator or Communicator())
        return topic_proportions(self.tree_, self.hyper_parameters_, answers.place(self, corpus))

    def partial_fit(self, X: Any, y: object = None) -> HierarchicalLDA:
        """Let new documents enter the tree, where they join or found topics; the first call is `fit`.

        The earlier documents keep their paths and their counts. Topic ids may change, since siblings stay sorted by
        documents; names follow their topics. `paths_` and `token_levels_` grow.
        """
        if not hasattr(self, "tree_"):
            return self.fit(X)
        fitting.let_in(self, self._corpus(X, reset=False))
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return topic proportions of texts, tokens, counts or a Corpus, shape (n_docs, T); rows sum to 1.

        Each document is placed by itself: the result depends neither on the other documents nor on its row. Texts are
        read by `rules_`, and words unknown to the tree are left out. Empty documents get the proportions of the prior;
        a warning says how many texts have no word that the model knows.
        """
        inferred = self._infer(X, stacklevel=5)  # scikit-learn wraps this method
        return topic_proportions(self.tree_, self.hyper_parameters_, inferred)

    def predict_paths(
        self, X: Any, *, return_distribution: bool = False
    ) -> NDArray[np.int64] | tuple[NDArray[np.int64], sparse.csr_array]:
        """Return the most probable path of each document, shape (n_docs, n_levels).

        With ``return_distribution``, also return the probability of the path to each leaf, as a CSR array of shape
        (n_docs, T).
        """
        inferred = self._infer(X)
        paths = all_paths(self.tree_)[inferred.best]
        return (paths, path_distribution(self.tree_, inferred)) if return_distribution else paths

    def infer(self, X: Any) -> Inferred:
        """Return all results of placing documents: samples of paths and proportions, and log probabilities."""
        return self._infer(X)

    def score(self, X: Any, y: object = None) -> float:
        """Return the log probability per held-out token, minus the logarithm of `perplexity`; larger is better."""
        return -float(np.log(self.perplexity(X, random_state=0)))

    def perplexity(self, X: Any, *, random_state: Any = None, n_samples: int = 10, burn_in: int = 20) -> float:
        """Return held-out perplexity by document completion: half of each document's tokens predict the other half.

        Parameters
        ----------
        X : texts, tokens, counts or Corpus
            Documents in the model's vocabulary that it was not trained on.
        random_state : int, RandomState or None
            Seed of the split and of the chains.
        n_samples : int, default=10
            Chains per document, each a sample of path and proportions.
        burn_in : int, default=20
            Sweeps of a chain before its sample.
        """
        check_is_fitted(self)
        corpus = self._corpus(X, reset=False)
        check_whole("n_samples", n_samples, 1)
        check_whole("burn_in", burn_in, 1)
        return answers.perplexity(self, corpus, checks.seed(random_state), n_samples, burn_in)

    documents = trained_documents.documents
    document_table = trained_documents.document_table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, completely or not at all; `topicgrove.load` reads it."""
        check_is_fitted(self)
        save_model(self, path)

    def _corpus(self, X: Any, *, reset: bool) -> Corpus:
        """Return X as a corpus, with its number of words and their names checked or remembered."""
        return inputs.corpus_to_fit(self, X) if reset else inputs.corpus_to_place(self, X)

    def _infer(self, X: Any, stacklevel: int = 4) -> Inferred:
        check_is_fitted(self)
        corpus = self._corpus(X, reset=False)
        inputs.report_unknown(X, corpus, stacklevel)
        return answers.place(self, corpus)
