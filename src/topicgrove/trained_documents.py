"""The documents that a model was trained on: those of a topic, and all of them in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicgrove.holding_out import positions_trained_on
from topicgrove.inputs import corpus_to_place
from topicgrove.tree import TopicDocument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.nested_hdp import NestedHDP


def documents(  # noqa: D417 - a method, whose self is the model
    model: HierarchicalLDA | NestedHDP, topic: int, n: int = 20, start: int = 0, by: str = "share", corpus: Any = None
) -> list[TopicDocument]:
    """List the documents of a topic, a page at a time, the best ones first.

    Parameters
    ----------
    topic : int
        The topic's id in ``tree_``.
    n, start : int, default=20 and 0
        So many documents, from this place on: start=20 gives the second page.
    by : {"share", "log_probability"}, default="share"
        The best have the largest share of their words in the topic, or the largest log probability per word.
    corpus : texts, counts or Corpus, default=None
        What `fit` was given: it brings the log probabilities, because a model does not keep the documents' words.

    Returns
    -------
    list of TopicDocument
        ``model.tree_.n_docs[topic]`` documents in all; of a `NestedHDP`, all documents with a word in the topic.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> X = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]]
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> len(model.documents(0, n=3)), len(model.documents(0, n=3, start=3, by="log_probability", corpus=X))
    (3, 1)
    """
    return model.tree_.documents_of(topic, n, start, by, _log_probability(model, corpus))


def document_table(model: HierarchicalLDA | NestedHDP, library: str = "pandas", corpus: Any = None) -> Any:  # noqa: D417
    """Make a table of all documents of training, a row each, for pandas, polars or Arrow.

    Its columns are those of `TopicTree.document_table`.

    Parameters
    ----------
    library : {"pandas", "polars", "pyarrow"}, default="pandas"
        Whose table it shall be.
    corpus : texts, counts or Corpus, default=None
        What `fit` was given: it brings the column log_probability.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> X = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]]
    >>> model = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X)
    >>> list(model.document_table(corpus=X).columns)
    ['id', 'path', 'names', 'topic_1', 'share_0', 'share_1', 'n_words', 'log_probability']
    """
    return model.tree_.document_table(library, _log_probability(model, corpus))


def _log_probability(model: HierarchicalLDA | NestedHDP, corpus: Any) -> NDArray[np.float64] | None:
    if corpus is None:
        return None
    read = corpus_to_place(model, corpus)
    trained_on = positions_trained_on(model.held_out_, read.n_docs, len(model.paths_))
    read = read if trained_on is None else read.take(trained_on)
    return model._log_probabilities(read)
