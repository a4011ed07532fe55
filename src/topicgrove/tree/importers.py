"""Trees from models of other libraries. None of these is imported: models are recognised by their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree


def from_sklearn(  # noqa: D417 - cls is the class
    cls: type[TopicTree],
    model: Any,
    vectorizer: Any = None,
    X: Any = None,
    *,
    ids: Iterable[object] | None = None,
    titles: Iterable[object] | None = None,
) -> TopicTree:
    """Make a tree from a fitted LatentDirichletAllocation or NMF: a root, and the model's topics below it.

    Parameters
    ----------
    model : LatentDirichletAllocation or NMF
        The model, with ``components_`` and ``transform``.
    vectorizer : CountVectorizer or sequence of str, default=None
        The source of the columns' words.
    X : counts of shape (n_docs, n_words), or texts, default=None
        Documents to show with the topics; texts go through the vectorizer.
    ids, titles : iterable, default=None
        Names of these documents.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from topicgrove import TopicTree
    >>> texts = ["moon rocket orbit", "goal team match", "rocket moon", "team goal"]
    >>> vectorizer = CountVectorizer()
    >>> lda = LatentDirichletAllocation(2, random_state=0).fit(vectorizer.fit_transform(texts))
    >>> tree = TopicTree.from_sklearn(lda, vectorizer, texts)
    >>> tree.n_docs.tolist()
    [4, 2, 2]
    """
    components = _attribute(model, "components_", "model", "a fitted model of scikit-learn")
    words = vectorizer
    if hasattr(vectorizer, "get_feature_names_out"):
        words = vectorizer.get_feature_names_out()
    prior = getattr(model, "topic_word_prior_", None)
    weights = np.maximum(components - (prior or 0.0), 0.0)
    if X is None:
        return cls.from_arrays(weights, vocabulary=words, ids=ids, titles=titles)
    counts = _counts_of(X, vectorizer)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    shares = model.transform(counts)
    return cls.from_arrays(
        weights, vocabulary=words, document_topics=shares, document_lengths=lengths, ids=ids, titles=titles
    )


def _counts_of(X: Any, vectorizer: Any) -> Any:
    if sparse.issparse(X) or getattr(X, "ndim", 1) == 2:
        return X
    if not hasattr(vectorizer, "transform"):
        raise ValueError("X holds texts: give the fitted vectorizer that counts their words")
    return vectorizer.transform(X)


def from_gensim(  # noqa: D417 - cls is the class
    cls: type[TopicTree],
    model: Any,
    corpus: Iterable[Any] | None = None,
    *,
    ids: Iterable[object] | None = None,
    titles: Iterable[object] | None = None,
) -> TopicTree:
    """Make a tree from a gensim LdaModel: a root, and the model's topics below it.

    Parameters
    ----------
    model : LdaModel, LdaMulticore or another model with ``get_topics``
        The model.
    corpus : iterable of bags of words, default=None
        Documents to show with the topics.
    ids, titles : iterable, default=None
        Names of these documents.

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> class Model:  # has what gensim's models have
    ...     id2word = {0: "moon", 1: "goal"}
    ...     def get_topics(self):
    ...         return np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> TopicTree.from_gensim(Model()).top_words(2, by="probability")
    ['goal', 'moon']
    """
    topics = np.asarray(_attribute(model, "get_topics", "model", "a model of gensim with get_topics")(), np.float64)
    state: Any = getattr(model, "state", None)
    if hasattr(state, "get_lambda"):
        topics = np.maximum(np.asarray(state.get_lambda(), np.float64) - np.asarray(getattr(model, "eta", 0.0)), 0.0)
    id2word = getattr(model, "id2word", None)
    words = None if id2word is None else [id2word[i] for i in range(topics.shape[1])]
    if corpus is None:
        return cls.from_arrays(topics, vocabulary=words, ids=ids, titles=titles)
    bags = list(corpus)
    shares = np.zeros((len(bags), len(topics)))
    for d, bag in enumerate(bags):
        for topic, share in model.get_document_topics(bag, minimum_probability=0.0):
            shares[d, topic] = share
    lengths = np.array([round(sum(n for _, n in bag)) for bag in bags], np.int64)
    return cls.from_arrays(
        topics, vocabulary=words, document_topics=shares, document_lengths=lengths, ids=ids, titles=titles
    )


def from_tomotopy(  # noqa: D417 - cls is the class
    cls: type[TopicTree],
    model: Any,
    *,
    ids: Iterable[object] | None = None,
    titles: Iterable[object] | None = None,
) -> TopicTree:
    """Make a tree from an LDAModel, HLDAModel or PAModel of tomotopy, or from another model with their methods.

    The tree of an HLDAModel has its living topics. In that of a PAModel, each sub-topic is below the super-topic that
    uses it most. Other models are flat: a root, and their topics below it. Documents are included if the version of
    tomotopy reports their topics.

    Parameters
    ----------
    model : LDAModel, HLDAModel or PAModel
        The trained model.
    ids, titles : iterable, default=None
        Names of its documents.

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> class Model:  # has what tomotopy's LDAModel has
    ...     k, used_vocabs, eta, docs = 2, ["moon", "goal"], 0.01, []
    ...     def get_topic_word_dist(self, topic, normalize=True):
    ...         return [[9.01, 0.01], [1.01, 7.01]][topic]
    >>> TopicTree.from_tomotopy(Model()).n_tokens.tolist()
    [0, 9, 8]
    """
    words = tuple(_attribute(model, "used_vocabs", "model", "a model of tomotopy"))
    if hasattr(model, "is_live_topic"):
        return _of_hlda(cls, model, words, ids, titles)
    if hasattr(model, "get_sub_topics"):
        return _of_pachinko(cls, model, words, ids, titles)
    shares = _shares(model.docs, "get_topic_dist", int(model.k))
    return _with_documents(cls, _tomotopy_counts(model, range(model.k)), words, model, shares, ids, titles)


def _of_hlda(
    cls: type[TopicTree],
    model: Any,
    words: tuple[str, ...],
    ids: Iterable[object] | None,
    titles: Iterable[object] | None,
) -> TopicTree:
    live = [topic for topic in range(model.k) if model.is_live_topic(topic)]
    number = {topic: i for i, topic in enumerate(live)}
    parent = np.array([number.get(int(model.parent_topic(topic)), -1) for topic in live])
    # The root is its own parent, or has none.
    parent[[model.level(topic) == 0 for topic in live]] = -1
    leaves = _hlda_leaves(model.docs, number)
    return _with_documents(
        cls,
        _tomotopy_counts(model, live),
        words,
        model,
        leaves,
        ids,
        titles,
        parent=parent,
        n_docs=np.array([int(model.num_docs_of_topic(topic)) for topic in live]),
    )


def _hlda_leaves(docs: Sequence[Any], number: dict[int, int]) -> NDArray[np.int64] | None:
    """Return the last topics of the documents' paths; None where tomotopy does not report them."""
    try:
        return np.array([number[int(doc.path[-1])] for doc in docs], np.int64)
    except (AttributeError, SystemError, TypeError, KeyError):
        return None


def _of_pachinko(
    cls: type[TopicTree],
    model: Any,
    words: tuple[str, ...],
    ids: Iterable[object] | None,
    titles: Iterable[object] | None,
) -> TopicTree:
    n_super, n_sub = int(model.k1), int(model.k2)
    used = np.zeros((n_super, n_sub))
    totals = np.asarray(model.get_count_by_super_topic(), np.float64)
    for one in range(n_super):
        for sub, share in model.get_sub_topics(one):
            used[one, sub] = share * max(totals[one], 1e-9)
    above = used.argmax(axis=0)
    # Super-topics without sub-topics have no words, and are left out.
    kept = np.unique(above)
    parent = np.append(np.full(len(kept), -1), np.searchsorted(kept, above))
    counts = _tomotopy_counts(model, range(n_sub))
    counts = np.vstack([np.zeros((len(kept), counts.shape[1])), counts])
    shares = _shares(model.docs, "get_sub_topic_dist", n_sub)
    if shares is not None:
        shares = np.hstack([np.zeros((len(shares), len(kept))), shares])
    return _with_documents(cls, counts, words, model, shares, ids, titles, parent=parent)


def _tomotopy_counts(model: Any, topics: Iterable[int]) -> NDArray[np.float64]:
    """Return tokens of each word in each topic, without the prior."""
    rows = [np.asarray(model.get_topic_word_dist(topic, normalize=False), np.float64) for topic in topics]
    return np.maximum(np.array(rows) - np.asarray(getattr(model, "eta", 0.0), np.float64), 0.0)


def _shares(docs: Sequence[Any], method: str, n_topics: int) -> NDArray[np.float64] | None:
    """Return the (n_docs, n_topics) result of a method of the documents; None if it fails or there are no documents."""
    try:
        shares = np.array([getattr(doc, method)() for doc in docs], np.float64)
    except (AttributeError, SystemError, TypeError, ValueError):
        return None
    return shares if shares.shape == (len(docs), n_topics) and len(docs) else None


def _with_documents(
    cls: type[TopicTree],
    counts: NDArray[np.float64],
    words: tuple[str, ...],
    model: Any,
    document_topics: NDArray[Any] | None,
    ids: Iterable[object] | None,
    titles: Iterable[object] | None,
    **shape: Any,
) -> TopicTree:
    if document_topics is None:
        if ids is not None or titles is not None:
            raise ValueError("ids and titles are for documents, and this model does not say the topics of its own")
        return cls.from_arrays(counts, vocabulary=words, **shape)
    shape.pop("n_docs", None)
    lengths = np.array([len(doc.words) for doc in model.docs], np.int64)
    return cls.from_arrays(
        counts,
        vocabulary=words,
        document_topics=document_topics,
        document_lengths=lengths,
        ids=ids,
        titles=titles,
        **shape,
    )


def _attribute(model: Any, name: str, argument: str, accepted: str) -> Any:
    if not hasattr(model, name):
        raise TypeError(f"{argument} must be {accepted}; {type(model).__name__} has no {name}")
    return cast(Any, getattr(model, name))
