"""HierarchicalLDA: the scikit-learn face. It checks arguments, trains, and answers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from topicgrove import answers, checks, fitting, inputs, trained_documents
from topicgrove.communication import Communicator
from topicgrove.communication.together import together
from topicgrove.corpus import Corpus, TextRules
from topicgrove.fitted_model import FittedModel
from topicgrove.inference import Inferred, all_paths, path_distribution, topic_proportions
from topicgrove.persistence import parameters
from topicgrove.persistence.checkpoints import read_checkpoint
from topicgrove.persistence.models import save_model
from topicgrove.training import Callback
from topicgrove.validation import check_whole


class HierarchicalLDA(FittedModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Hierarchical latent Dirichlet allocation: a tree of topics under the nested Chinese restaurant process.

    Parameters
    ----------
    n_levels : int, default=4
        Depth of the tree, the root included.
    alpha : float or one per level, default=0.2
        Dirichlet prior of a document's proportions over the levels of its path.
    beta : float or one per level, default=None
        Dirichlet prior of topics over words; smaller values give more, finer topics. None means (1, .5, .25, .17)
        times S / V, at most 1, for V words, N tokens and S = max(7000, 4 sqrt(N)); with more levels .25 is repeated.
    gamma : float or one per internal level, default=None
        How readily new topics branch off; used down to 1e-300. None means exp(-0.1 x mean document length) for the root
        and the last level but one and the square of that between, and 1 for the blocked sampler, whose sticks need a
        gamma of ordinary size.
    sampler : {"auto", "pcgs", "cgs", "bgs"}, default="auto"
        Partially collapsed, collapsed or blocked Gibbs sampling. "auto" takes "cgs", which predicts better, for fewer
        than 50,000 documents in one process, and "pcgs" otherwise or if ``collapse_below`` is given. `sampler_` says
        which one it took.
    collapse_below : int or inf, default=None
        PCGS: topics with fewer documents are collapsed (M in the literature). None means 64. With inf, PCGS is CGS.
    init : {"bottom_up", "monte_carlo", "progressive", "none"}, default="bottom_up"
        How it starts. "bottom_up": from a tree whose leaves are found first, by ``n_init`` rough fits of at most 40,000
        random documents, and then put together into branches; the other documents enter in mini-batches. Fewer than
        20 documents start as in "monte_carlo".
        "monte_carlo": the paper's start; documents enter in mini-batches, and for ``init_iterations`` sweeps paths are
        drawn with the levels summed out. "progressive": mini-batches only. "none": all documents at once.
    n_init : int, default=5
        Rough fits that a bottom-up start is made of. With more of them, runs of different seeds agree better on the
        branches: `agreement_` says how well.
    init_iterations, init_samples : int, default=32 and 1
        Sweeps of the early phase of "monte_carlo", and draws of the levels per document in it (I and S in the
        literature).
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
        BGS: children that no document uses yet, kept below every topic, these children included; the tree has at least
        ``free_children ** (n_levels - 1)`` topics.
    refine : bool, default=False
        Every second sweep after the early phase, move each document to the existing path that explains it best with
        its levels summed out. A heuristic, no Gibbs move; the last sweeps are plain.
    target_topics : int, default=None
        About how many topics the tree shall have. A bottom-up start begins with so many, and beta and gamma, where they
        are None, are steered to it in the first sweeps.
    min_docs : int, default=None
        After the last sweep, documents of topics with fewer documents move to other topics, and a topic with a single
        child makes way for its siblings. 1 leaves the tree as it was sampled. None means 0.5 % of the documents on
        level 1 and 0.02 % on the last, and at least 3 if there are 400 documents or more.
    learn : names out of "alpha", "beta" and "gamma", default=()
        Hyper-parameters that are fitted to the data after the early phase.
    early_stopping : bool or int, default=False
        Stop when the log joint has not risen for that many sweeps; True means 10.
    checkpoint : str or path-like, default=None
        Directory for checkpoints, from which `resume` goes on.
    checkpoint_every : int, default=10
        Sweeps between two checkpoints.
    checkpoint_minutes : float, default=None
        Write one after that many minutes, too.
    sync : {"hybrid", "bsp", "server", "lockstep"}, default="hybrid"
        How several processes exchange what they change: slow topics once per iteration and the others all the time;
        everything once per iteration; everything through the first process; or document by document, for tests.
    text : TextRules, dict or CountVectorizer, default=None
        How words are made of texts: rules, a dict of their fields, such as ``{"ngram_range": (1, 2)}``, or a
        CountVectorizer of scikit-learn, for its settings; None means `TextRules` as it is. Counts and corpora have
        their words already.
    n_jobs : int, default=None
        Threads; None means 1 and -1 all cores. One thread gives the same result for the same seed, always; so does
        any number of threads with BGS.
    random_state : int, RandomState or None, default=None
        Seed.
    callbacks : iterable of callables
        Each is called with a `SweepEvent` after every sweep. If it has a method ``on_progress``, that is called with a
        `ProgressEvent` a few times a second while a sweep runs.
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
        alpha, beta and log gamma in full length, as they were at the end.
    history_ : list of dict
        Seconds, topics per level and now and then the log joint of every sweep.
    sampler_ : {"pcgs", "cgs", "bgs"} or None
        The sampler that trained the model; None for models of older programs, which did not save it. With several
        processes, ``sync="server"`` takes "cgs" whatever ``sampler`` is.
    agreement_ : float or None
        How well runs of different seeds can be expected to agree on level 1, an adjusted Rand index: that of the
        branches found by one half of the ``n_init`` fits with those found by the other half. None for other starts.
    held_out_ : array of int or None
        Which documents `fit` held out: their positions in X, in ascending order. `paths_` and `tree_` have the others.
    dropped_ : tuple of Dropped or None
        What was left out of the texts, and why, as in `Corpus.dropped`; None for counts.
    rules_ : TextRules or None
        How words were made of text; `transform` and the like read further texts by them. None if the documents came as
        counts or tokens; further texts are then read by ``text``.
    n_features_in_ : int
        V, the size of the vocabulary.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> texts = ["the moon and a rocket", "a rocket in orbit", "a goal for the team", "the team in a match"] * 5
    >>> model = HierarchicalLDA(n_levels=2, n_iter=20, random_state=0).fit(texts)
    >>> model.predict_paths(["a rocket to the moon"]).shape
    (1, 2)

    Counts, too, make a tree:

    >>> import numpy as np
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
        target_topics: int | None = None,
        min_docs: int | None = None,
        learn: Iterable[str] | str = (),
        early_stopping: bool | int = False,
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
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.sampler = sampler
        self.collapse_below = collapse_below
        self.init, self.n_init = init, n_init
        self.init_iterations, self.init_samples = init_iterations, init_samples
        self.batch_size = batch_size
        self.phi = phi
        self.n_iter = n_iter
        self.max_topics = max_topics
        self.free_children = free_children
        self.refine = refine
        self.target_topics = target_topics
        self.min_docs = min_docs
        self.learn = learn
        self.early_stopping = early_stopping
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
    ) -> HierarchicalLDA:
        """Learn a tree from texts, lists of tokens, counts of shape (n_docs, n_words), or a Corpus.

        Texts may be a list, an array, a column of pandas, polars or Arrow, a generator, or a data frame or dataset of
        Hugging Face with a column "text" or a single column of strings; ``text`` says how words are made of them.
        Tokens are taken as they are, but for the choice of words (min_df, max_df and max_features). Counts may be
        sparse or dense. For files, see `read_corpus`.

        Empty documents are kept: they take a path from the prior. The perplexity of ``held_out`` goes into `history_`
        every 25 sweeps. It may be documents of the same kind; or the share or number of the documents in X to hold out,
        such as .1 or 300. These are drawn by ``random_state`` and not trained on, and `held_out_` says which they are.

        Ctrl-C ends training after the current sweep. Like any exception between two sweeps, such as one of a callback,
        it is raised and leaves the model of the last sweep; an exception within a sweep leaves the estimator as it was.

        With a communicator, all its processes call this with the same documents, of which each trains on its share;
        the first process gets the model, the others stay unfitted, and callbacks are the first's. They all raise the
        errors that they agree on, such as those of arguments; any other error ends all of them.
        """
        fitting.train(self, lambda: fitting.new_task(self, X, held_out), communicator or Communicator())
        return self

    def fit_transform(
        self, X: Any, y: object = None, *, held_out: Any = None, communicator: Communicator | None = None
    ) -> NDArray[np.float64]:
        """`fit`, and then `transform` of the same documents, which are read once."""
        corpus = fitting.train(self, lambda: fitting.new_task(self, X, held_out), communicator or Communicator())
        return topic_proportions(self.tree_, self.hyper_parameters_, answers.place(self, corpus))

    @classmethod
    def resume(
        cls,
        directory: str | os.PathLike[str],
        X: Any = None,
        *,
        n_iter: int | None = None,
        n_jobs: int | None = None,
        callbacks: Iterable[Callback] = (),
        verbose: int = 0,
        communicator: Communicator | None = None,
    ) -> HierarchicalLDA:
        """Go on from the newest checkpoint of a directory; in one thread the result is that of a run in one go.

        Parameters
        ----------
        directory : str or path-like
            What was given as ``checkpoint``.
        X : texts, tokens, counts or Corpus, default=None
            The same documents again. None takes the corpus that the checkpoints refer to.
        n_iter : int, default=None
            Another number of sweeps in all; a run that stopped early then goes on.
        n_jobs, callbacks, verbose
            As in the constructor; they are not part of a checkpoint.
        communicator : Communicator, default=None
            As in `fit`; the number of processes may be another.
        """
        model = together(communicator or Communicator(), lambda: cls.from_checkpoint(directory))
        n_iter = model.n_iter if n_iter is None else n_iter
        model.set_params(n_iter=n_iter, n_jobs=n_jobs, callbacks=callbacks, verbose=verbose)
        return model.continue_fit(X, communicator=communicator)

    @classmethod
    def from_checkpoint(cls, directory: str | os.PathLike[str]) -> HierarchicalLDA:
        """The estimator, not fitted, of the run that writes its checkpoints to a directory."""
        model = parameters.estimator_of(read_checkpoint(directory).parameters)
        return cls(**model.get_params(deep=False) | {"checkpoint": directory})

    def continue_fit(self, X: Any = None, *, communicator: Communicator | None = None) -> HierarchicalLDA:
        """Go on from the newest checkpoint in ``checkpoint``; what `resume` does with an estimator at hand."""
        fitting.train(self, lambda: fitting.task_of_checkpoint(self, X), communicator or Communicator())
        return self

    def partial_fit(self, X: Any, y: object = None) -> HierarchicalLDA:
        """Let further documents enter the tree, where they find or found topics; the first call is `fit`.

        The documents before keep their paths, and count as they are. Topic ids may change, as siblings stay sorted
        by documents; names follow their topics. `paths_` and `token_levels_` grow.
        """
        if not hasattr(self, "tree_"):
            return self.fit(X)
        fitting.let_in(self, self._corpus(X, reset=False))
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Topic proportions of texts, tokens, counts or a Corpus, shape (n_docs, T); rows sum to 1.

        A document is placed by itself: the result depends neither on the others nor on its row. Texts are read by
        `rules_`, and words that the tree does not have are left out. Empty documents have the proportions of the
        prior; a warning says how many texts have no word that the model knows.
        """
        inferred = self._infer(X, stacklevel=5)  # scikit-learn wraps this method
        return topic_proportions(self.tree_, self.hyper_parameters_, inferred)

    def predict_paths(
        self, X: Any, *, return_distribution: bool = False
    ) -> NDArray[np.int64] | tuple[NDArray[np.int64], sparse.csr_array]:
        """The most probable path of each document, shape (n_docs, n_levels).

        With ``return_distribution``, also the probabilities of leaves as a CSR array of shape (n_docs, T): that of the
        path which ends in each.
        """
        inferred = self._infer(X)
        paths = all_paths(self.tree_)[inferred.best]
        return (paths, path_distribution(self.tree_, inferred)) if return_distribution else paths

    def infer(self, X: Any) -> Inferred:
        """Everything that placing documents gives: samples of paths and proportions, and log probabilities."""
        return self._infer(X)

    def score(self, X: Any, y: object = None) -> float:
        """Log probability per held-out token, the larger the better: minus the logarithm of `perplexity`."""
        return -float(np.log(self.perplexity(X, random_state=0)))

    def perplexity(self, X: Any, *, random_state: Any = None, n_samples: int = 10, burn_in: int = 20) -> float:
        """Held-out perplexity by document completion: half of each document's tokens predict the other half.

        Parameters
        ----------
        X : texts, tokens, counts or Corpus
            Documents that the model was not trained on, with the same words.
        random_state : int, RandomState or None
            Seed of the split and of the chains.
        n_samples : int, default=10
            Chains per document, each a sample of path and proportions.
        burn_in : int, default=20
            Sweeps of a chain before it is used.
        """
        check_is_fitted(self)
        corpus = self._corpus(X, reset=False)
        check_whole("n_samples", n_samples, 1)
        check_whole("burn_in", burn_in, 1)
        return answers.perplexity(self, corpus, checks.seed(random_state), n_samples, burn_in)

    documents = trained_documents.documents
    document_table = trained_documents.document_table

    def set_vocabulary(self, words: Any) -> HierarchicalLDA:
        """Give the columns of X their words: a sequence of strings, or the fitted vectorizer that counted them.

        Of a pipeline that begins with a vectorizer, the steps before this one do: ``set_vocabulary(pipeline[:-1])``.
        """
        check_is_fitted(self)
        if hasattr(words, "get_feature_names_out"):
            words = words.get_feature_names_out()
        vocabulary = Corpus.from_matrix(np.zeros((1, self.n_features_in_), np.int64), words).vocabulary
        self.tree_ = replace(self.tree_, vocabulary=vocabulary)
        return self

    def plot_training(self, path: str | os.PathLike[str] | None = None) -> Any:
        """A picture of the training, a matplotlib Figure: log joint, topics per level and speed over the sweeps.

        With a path that ends in .svg, .pdf or .png, it is written there, too.
        """
        check_is_fitted(self)
        from topicgrove.plotting import plot_training

        return plot_training(self.history_, len(self.token_levels_), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all; `topicgrove.load` reads it."""
        check_is_fitted(self)
        save_model(self, path)

    def _corpus(self, X: Any, *, reset: bool) -> Corpus:
        """X as a corpus, its number of words and their names checked or remembered."""
        return inputs.corpus_to_fit(self, X) if reset else inputs.corpus_to_place(self, X)

    def _infer(self, X: Any, stacklevel: int = 4) -> Inferred:
        check_is_fitted(self)
        corpus = self._corpus(X, reset=False)
        inputs.report_unknown(X, corpus, stacklevel)
        return answers.place(self, corpus)
