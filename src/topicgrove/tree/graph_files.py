"""The tree for graph-drawing programs and for pyLDAvis."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from topicgrove.extras import needed
from topicgrove.tree.outline import escape
from topicgrove.tree.views import branch_of
from topicgrove.validation import check_whole
from topicgrove.whole_files import write_whole
from topicgrove.words import By

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree


def to_graphml(
    tree: TopicTree, path: str | os.PathLike[str] | None = None, words: int = 10, by: By = "distinctive"
) -> str:
    """Return the tree as GraphML, for Gephi, yEd and Cytoscape; with a path, also write it to a file.

    Nodes have the columns of `to_pandas` as attributes. networkx is required.

    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> tree.to_graphml().count("<node id=")
    2
    """
    graph = tree.to_networkx(words, by)
    with needed("networkx", "to_graphml"):
        import networkx as nx
    for _, attributes in graph.nodes(data=True):
        # XML cannot hold control characters in any notation.
        attributes.update({name: escape(value) for name, value in attributes.items() if isinstance(value, str)})
    text = "\n".join(nx.generate_graphml(graph)) + "\n"
    if path is not None:
        write_whole(path, text)
    return text


def to_pyldavis(tree: TopicTree, level: int = 1) -> dict[str, Any]:  # noqa: D417 - a method
    """Return the arguments of ``pyLDAvis.prepare`` for the topics of one level.

    A topic stands for its branch, so it has the words of all topics below it. Tokens in topics above the level are left
    out, and so are documents and words that have no others.

    Parameters
    ----------
    level : int, default=1
        The level of the topics; pyLDAvis needs at least three.

    Returns
    -------
    dict
        ``topic_term_dists``, ``doc_topic_dists``, ``doc_lengths``, ``vocab`` and ``term_frequency``.

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA
    >>> X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]])
    >>> tree = HierarchicalLDA(n_levels=2, gamma=1.0, beta=0.1, n_iter=20, random_state=0).fit(X).tree_
    >>> inputs = tree.to_pyldavis()  # pyLDAvis.prepare(**inputs, sort_topics=False)
    >>> inputs["topic_term_dists"].shape == (tree.n_topics_per_level[1], len(inputs["vocab"]))
    True
    """
    check_whole("level", level, 0, tree.n_levels - 1)
    if tree.word_counts is None or tree.documents is None:
        raise ValueError("to_pyldavis needs words and documents, and this tree was made without them")
    topics = np.flatnonzero(tree.level == level)
    branch = np.full(len(tree), -1, np.int64)
    for place, topic in enumerate(topics.tolist()):
        branch[branch_of(tree, topic)] = place
    inside = np.flatnonzero(branch >= 0)
    sums = sparse.csr_array((np.ones(len(inside), np.int64), (branch[inside], inside)), (len(topics), len(tree)))
    counts = (sums @ tree.word_counts).toarray()
    used = counts.sum(axis=0) > 0
    beta = 0.01 if tree.beta is None else float(tree.beta[level])
    smoothed = counts[:, used] + beta
    documents = tree.documents
    if documents.topic_counts is not None:
        tokens = (documents.topic_counts @ sums.T).toarray()
    else:
        tokens = np.zeros((len(documents), len(topics)), np.int64)
        inside = np.flatnonzero(documents.paths[:, level] >= 0)
        own = documents.level_counts[inside, level:].sum(axis=1)
        tokens[inside, branch[documents.paths[inside, level]]] = own
    lengths = tokens.sum(axis=1)
    kept = np.flatnonzero(lengths)
    words = np.arange(counts.shape[1]) if tree.vocabulary is None else np.array(tree.vocabulary, dtype=object)
    return {
        "topic_term_dists": smoothed / smoothed.sum(axis=1, keepdims=True),
        "doc_topic_dists": tokens[kept] / lengths[kept, None],
        "doc_lengths": lengths[kept],
        "vocab": [str(word) for word in words[used]],
        "term_frequency": counts[:, used].sum(axis=0),
    }
