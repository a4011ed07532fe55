"""TopicTree: flat arrays, and the questions that people ask about them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.renamed import accepts_old_field
from topicgrove.seeds.pinned import SeedPrior
from topicgrove.tree import (
    document_rows,
    exports,
    graph_files,
    importers,
    notebook,
    searching,
    shares_over,
    terminal,
    views,
)
from topicgrove.tree.checking import check_tree
from topicgrove.tree.fingerprint import fingerprint
from topicgrove.tree.from_arrays import from_arrays
from topicgrove.tree.from_tables import from_table
from topicgrove.tree.names import read_names, word_names
from topicgrove.tree.naming.run import name_topics
from topicgrove.tree.old_names import OldNames
from topicgrove.tree.outline import min_docs_for
from topicgrove.tree.placed_documents import Documents, Representative, representatives
from topicgrove.validation import check_whole
from topicgrove.words import N_SHOWN, By, TopicWords

STR_LINES = 40


@accepts_old_field("labels", "names")
@dataclass(frozen=True, eq=False, repr=False)
class TopicTree(OldNames):
    """Topics 0 .. T-1 in breadth-first order: the root is 0, siblings follow each other.

    Siblings with more documents come first, unless a user orders them otherwise.

    Parameters
    ----------
    parent : array of shape (T,)
        The parent's id; -1 for the root.
    level : array of shape (T,)
        0 for the root.
    n_docs, n_tokens : arrays of shape (T,)
        Documents whose path goes through a topic, and tokens assigned to it.
    word_counts : CSR array of shape (T, V), default=None
        Tokens of each word in each topic.
    vocabulary : tuple of str, default=None
        The words; without them, word ids are shown.
    beta : array, one per level, default=None
        Dirichlet prior of topics over words, which smooths their probabilities.
    documents : Documents, default=None
        The documents' paths and names.
    names : dict from topic to str
        Names that users gave to topics. `set_names` adds to it.
    seeds : SeedPrior, default=None
        What seeds add to the prior: tokens per topic and word, and documents per topic. No count includes them.
    imported : bool, default=False
        Whether the tree comes from another program's model: branches may then end on any level, and a root may be
        silent.
    source, original_ids : TopicTree and array of shape (T,)
        For a tree made by `prune`, `subtree` or `collapse_chains`: the whole tree, and the topics' ids in it. Words and
        representative documents are those of the whole tree.

    Examples
    --------
    >>> counts = sparse.csr_array([[5, 1, 0, 0], [1, 4, 2, 0], [0, 0, 0, 3]])
    >>> tree = TopicTree(
    ...     parent=np.array([-1, 0, 0]),
    ...     level=np.array([0, 1, 1]),
    ...     n_docs=np.array([3, 2, 1]),
    ...     n_tokens=np.array([6, 7, 3]),
    ...     word_counts=counts,
    ...     vocabulary=("the", "moon", "orbit", "goal"),
    ... )
    >>> tree.check()
    >>> tree
    <TopicTree: 3 topics, 1-2 by level>
    >>> print(tree)
    3 [0] the
        2 [1] moon, orbit
        1 [2] goal
    >>> tree.children[0].tolist(), tree.path(2), len(tree)
    ([1, 2], [0, 2], 3)
    """

    parent: NDArray[np.int64]
    level: NDArray[np.int64]
    n_docs: NDArray[np.int64]
    n_tokens: NDArray[np.int64]
    _: KW_ONLY
    word_counts: sparse.csr_array | None = None
    vocabulary: tuple[str, ...] | None = None
    beta: NDArray[np.float64] | None = None
    documents: Documents | None = None
    names: dict[int, str] = field(default_factory=dict)
    seeds: SeedPrior | None = None
    imported: bool = False
    source: TopicTree | None = None
    original_ids: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"<TopicTree: {len(self)} topics, {'-'.join(map(str, self.n_topics_per_level))} by level>"

    def __str__(self) -> str:
        return self.render(min_docs=min_docs_for(self, STR_LINES))

    def __rich__(self) -> Any:
        return terminal.rich_tree(self, N_SHOWN, min_docs_for(self, STR_LINES), None, "distinctive")

    def _repr_html_(self) -> str:
        return notebook.as_html(self)

    @property
    def n_levels(self) -> int:
        """Number of levels, including the root's."""
        return int(self.level[-1]) + 1

    @property
    def n_topics_per_level(self) -> list[int]:
        """Topics on each level, the root's first."""
        return [int(n) for n in np.bincount(self.level)]

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], ...]:
        """The ids of each topic's children, most documents first."""
        # In breadth-first order, the children of one topic are consecutive, in the order of their parents.
        ends = np.cumsum(np.bincount(self.parent[1:], minlength=len(self))) + 1
        return tuple(np.split(np.arange(1, len(self)), ends[:-1] - 1))

    def path(self, topic: int) -> list[int]:
        """Return the topics from the root to this one.

        >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
        >>> tree.path(1)
        [0, 1]
        """
        path = [self._topic(topic)]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def check(self) -> None:
        """Raise ValueError, with the reason, unless everything in the tree fits together.

        >>> TopicTree(np.array([-1, 2, 1]), np.array([0, 1, 2]), np.ones(3, int), np.ones(3, int)).check()
        Traceback (most recent call last):
        ValueError: topic 1: the parent does not come before its child
        """
        check_tree(self)

    def top_words(self, topic: int, n: int = 10, by: By = "distinctive") -> list[str]:
        """Return a topic's n top words, or all of its words if it has fewer.

        Parameters
        ----------
        topic : int
            The topic's id.
        n : int, default=10
            Number of words.
        by : {"probability", "distinctive"}, default="distinctive"
            "distinctive" lists words that set the topic and those below it apart from the rest of the tree, and that no
            ancestor, descendant or sibling lists before. They rank by p log(p / q), where q is the word's share of all
            tokens plus 1e-4, and p its share of the topic's branch. In p, a token counts half as much for each level
            that it is below the topic. The root lists words of its own that tell its children apart. "probability"
            ranks by the posterior mean p(w | t) = (C_tw + beta) / (C_t + V beta).

        Examples
        --------
        >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]),
        ...     word_counts=sparse.csr_array([[1, 0, 2]]), vocabulary=("leaf", "root", "tree"))
        >>> tree.top_words(0)
        ['tree', 'leaf']
        """
        return [word for word, _ in self.top_words_with_scores(topic, n, by)]

    def top_words_with_scores(self, topic: int, n: int = 10, by: By = "distinctive") -> list[tuple[str, float]]:
        """Return top words like `top_words`, each with its probability or distinctiveness.

        >>> counts = sparse.csr_array([[1, 0, 3]])
        >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([4]), word_counts=counts)
        >>> tree.top_words_with_scores(0, by="probability")
        [('2', 0.75), ('0', 0.25)]
        """
        topic = self._topic(topic)
        if self.source is not None and self.original_ids is not None:
            return self.source.top_words_with_scores(int(self.original_ids[topic]), n, by)
        words, scores = self.topic_words.top(topic, n, by)
        names = map(str, words) if self.vocabulary is None else (self.vocabulary[w] for w in words)
        return list(zip(names, scores.tolist(), strict=True))

    @cached_property
    def topic_words(self) -> TopicWords:
        """The words of all topics as ids, with the scores that rank them."""
        if self.word_counts is None:
            raise ValueError("this tree has no words: it was made without word_counts")
        beta = np.zeros(len(self)) if self.beta is None else np.asarray(self.beta, np.float64)[self.level]
        return TopicWords(self.word_counts, self.parent, beta, self.n_docs, self.imported)

    def representative_documents(self, topic: int, n: int = 5) -> list[Representative]:
        """Return the n documents through a topic with the largest share of their tokens in it.

        The share is smoothed, so that short documents do not win by accident: each document counts as if it also
        contained one of the mean length and the mean share of the documents through the topic.

        Returns
        -------
        list of Representative
            With fields index, id, title and share. Without ids, id is the index as text; without titles, title is None.

        Examples
        --------
        >>> documents = Documents(np.array([[0], [0]]), np.array([[2], [3]]), ids=("a.txt", "b.txt"))
        >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([2]), np.array([5]), documents=documents)
        >>> tree.representative_documents(0, n=1)
        [Representative(index=0, id='a.txt', title=None, share=1.0)]
        """
        topic, n = self._topic(topic), check_whole("n", n, 1)
        if self.source is not None and self.original_ids is not None:
            return self.source.representative_documents(int(self.original_ids[topic]), n)
        if self.documents is None:
            raise ValueError("this tree has no documents: it was made without them")
        return representatives(self.documents, topic, int(self.level[topic]), n)

    def name(self, topic: int) -> str:
        """Return the name that a user gave to a topic, or else its first three distinctive words.

        If an earlier topic has the same words, further ones follow. Without words, the name is "topic" and the id.

        >>> TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([4])).name(0)
        'topic 0'
        """
        topic = self._topic(topic)
        return self.names[topic] if topic in self.names else self.word_name(topic)

    def word_name(self, topic: int) -> str:
        """Return the default name of a topic, which it has until a user gives it another.

        >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]), names={0: "everything"})
        >>> tree.word_name(0)
        'topic 0'
        """
        topic = self._topic(topic)
        if self.word_counts is None:
            return f"topic {topic}"
        if self.source is not None and self.original_ids is not None:
            return self.source.word_name(int(self.original_ids[topic]))
        return self._word_names[topic]

    @cached_property
    def _word_names(self) -> list[str]:
        return word_names([self.top_words(topic, N_SHOWN) for topic in range(len(self))])

    def set_names(self, names: Mapping[Any, str] | str | os.PathLike[str]) -> None:
        """Name topics, by a mapping from ids to names or a JSON file with one. Other names stay.

        >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))
        >>> tree.set_names({0: "everything"})
        >>> tree.name(0)
        'everything'
        """
        self.names.update(read_names(names, len(self)))

    def prune(self, *, min_docs: int = 1, max_depth: int | None = None, min_share: float = 0.0) -> TopicTree:
        """Return a smaller tree to show: topics get new ids, and ``original_ids`` has the old ones.

        Documents of a removed topic end at its nearest ancestor in the tree.

        Parameters
        ----------
        min_docs : int, default=1
            Leave out topics with fewer documents.
        max_depth : int, default=None
            The deepest level to keep; the root is on level 0.
        min_share : float, default=0
            Leave out topics with less than this share of all documents.

        Examples
        --------
        >>> n_docs = np.array([9, 6, 3, 6, 2, 1])
        >>> tree = TopicTree(np.array([-1, 0, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 2, 2]), n_docs, n_docs)
        >>> tree.prune(min_docs=3).original_ids.tolist()
        [0, 1, 2, 3]
        """
        return views.prune(self, min_docs, max_depth, min_share)

    def subtree(self, topic: int) -> TopicTree:
        """Return the tree below a topic, which becomes its root; ids are new, as in `prune`.

        >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
        >>> tree.subtree(1).original_ids.tolist()
        [1]
        """
        return views.subtree(self, self._topic(topic))

    def collapse_chains(self) -> TopicTree:
        """Return a tree to show without chains: a topic and an only child with all of its documents become one.

        Such a topic has the words and the id of the first, and the tokens of both. Paths then differ in length; ids are
        new, as in `prune`.

        >>> n_docs = np.array([9, 6, 3, 6, 3, 2, 4])
        >>> tree = TopicTree(np.array([-1, 0, 0, 1, 2, 3, 3]), np.array([0, 1, 1, 2, 2, 3, 3]), n_docs, n_docs)
        >>> print(tree.collapse_chains())
        9 [0]
            6 [1]
                2 [5]
                4 [6]
            3 [2]
        """
        return views.collapse_chains(self)

    def render(
        self,
        words: int = N_SHOWN,
        min_docs: int = 1,
        max_depth: int | None = None,
        width: int | None = None,
        by: By = "distinctive",
    ) -> str:
        """Return the tree as text, one line per topic: documents, id, words. Control characters are escaped.

        One line summarises siblings with fewer documents than ``min_docs``. Levels below ``max_depth`` are left out,
        and lines are cut at ``width`` columns.

        >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
        >>> print(tree.render(min_docs=3))
        2 [0]
            2 in 1 smaller topic
        """
        return terminal.render(self, words, min_docs, max_depth, width, by)

    def explore(self, path: str | os.PathLike[str] = "tree.html", **options: Any) -> Path:
        """Write the explorer, one HTML page; options are those of `topicgrove.explore.write_page`.

        >>> from tempfile import TemporaryDirectory
        >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
        >>> with TemporaryDirectory() as folder:
        ...     tree.explore(f"{folder}/tree.html").name
        'tree.html'
        """
        from topicgrove.explore import write_page

        return write_page(self, path, **options)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Any:
        """Plot the tree for a paper, as a matplotlib Figure; options are those of `topicgrove.plotting.plot_tree`.

        >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
        >>> tree.plot(levels=[0]).axes[0].texts[0].get_text()
        '2 documents'
        """
        from topicgrove.plotting import plot_tree

        return plot_tree(self, path, **options)

    print_tree = terminal.print_tree
    to_dict = exports.to_dict
    to_json = exports.to_json
    to_csv = exports.to_csv
    to_pandas = exports.to_pandas
    to_networkx = exports.to_networkx
    to_newick = exports.to_newick
    to_dot = exports.to_dot

    find = searching.find
    over = shares_over.over
    documents_of = document_rows.documents_of
    document_table = document_rows.document_table
    to_graphml = graph_files.to_graphml
    to_pyldavis = graph_files.to_pyldavis
    fingerprint = property(fingerprint)
    name_topics = name_topics
    from_arrays = classmethod(from_arrays)
    from_table = classmethod(from_table)
    from_sklearn = classmethod(importers.from_sklearn)
    from_gensim = classmethod(importers.from_gensim)
    from_tomotopy = classmethod(importers.from_tomotopy)

    def _topic(self, topic: int) -> int:
        return check_whole("topic", topic, 0, len(self) - 1)
