"""Two trees side by side: which topics of one are which of the other."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from topicgrove.tree.exports import INERT
from topicgrove.tree.outline import escape
from topicgrove.tree.topic_tree import TopicTree
from topicgrove.whole_files import write_whole

if TYPE_CHECKING:
    from topicgrove.inputs import Model


@dataclass(frozen=True)
class Match:
    """A topic of one tree and its counterpart in the other, with their similarities from 0 to 1.

    ``words`` is that of their words, ``documents`` that of their documents, or None where the trees have not the same
    documents; ``similarity`` is the mean of both. ``is_moved`` says that their parents are not counterparts.

    >>> Match(a=3, b=5, similarity=0.75, words=0.9, documents=0.6, is_moved=False).b
    5
    """

    a: int
    b: int
    similarity: float
    words: float
    documents: float | None
    is_moved: bool


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` finds.

    Parameters
    ----------
    a, b : TopicTree
        The trees.
    matches : tuple of Match
        Topics with a counterpart, in the order of the first tree.
    vanished, appeared : tuple of int
        Topics of the first and of the second tree that have none.
    same_documents : bool
        Whether documents were compared, too.

    Examples
    --------
    >>> from topicgrove import TopicTree, compare
    >>> words = ["moon", "rocket", "goal", "team"]
    >>> a = TopicTree.from_arrays([[5, 4, 0, 0], [0, 0, 4, 5]], vocabulary=words)
    >>> b = TopicTree.from_arrays([[0, 0, 5, 5], [4, 4, 0, 0]], vocabulary=words)
    >>> [(match.a, match.b) for match in compare(a, b).matches]
    [(0, 0), (1, 2), (2, 1)]
    """

    a: TopicTree
    b: TopicTree
    matches: tuple[Match, ...]
    vanished: tuple[int, ...]
    appeared: tuple[int, ...]
    same_documents: bool

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.matches)} matched, {len(self.moved)} of them moved, "
            f"{len(self.vanished)} vanished, {len(self.appeared)} appeared)"
        )

    @property
    def moved(self) -> tuple[Match, ...]:
        """Matches whose parents are not counterparts."""
        return tuple(match for match in self.matches if match.is_moved)

    def summary(self, n: int = 10) -> str:
        """Lines for people: how much is alike, and the largest topics that moved, vanished or appeared."""
        lines = [f"{len(self.a)} and {len(self.b)} topics: {len(self.matches)} have a counterpart"]
        if self.matches:
            mean = sum(match.similarity for match in self.matches) / len(self.matches)
            how = "words and documents" if self.same_documents else "words"
            lines.append(f"mean similarity of counterparts, by {how}: {mean:.2f}")
        moved = [f"{_line(self.a, m.a)}  ->  {_line(self.b, m.b)}  ({m.similarity:.2f})" for m in self.moved]
        for title, rows in (
            ("moved to another parent", moved),
            ("only in the first", [_line(self.a, topic) for topic in self.vanished]),
            ("only in the second", [_line(self.b, topic) for topic in self.appeared]),
        ):
            lines += ["", f"{title}: {len(rows)}", *(f"  {row}" for row in rows[:n])]
            if len(rows) > n:
                lines.append(f"  and {len(rows) - n} more")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain types for JSON: matches, vanished and appeared, with the names and documents of topics."""
        return {
            "n_topics": [len(self.a), len(self.b)],
            "same_documents": self.same_documents,
            "matches": [
                asdict(match) | {"name_a": self.a.name(match.a), "name_b": self.b.name(match.b)}
                for match in self.matches
            ],
            "vanished": [_facts(self.a, topic) for topic in self.vanished],
            "appeared": [_facts(self.b, topic) for topic in self.appeared],
        }

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """`to_dict` as JSON, also written to a file if there is a path. It is safe inside an HTML script element."""
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False).translate(INERT)
        if path is not None:
            write_whole(path, text + "\n")
        return text

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str = "Two trees",
        names: tuple[str, str] = ("the first", "the second"),
    ) -> str:
        """Return a page for people, also written to a file if there is a path: what differs, and all pairs.

        The page has no scripts and loads nothing; words and names are text, whatever they hold.
        """
        from topicgrove.comparing_page import comparison_page

        page = comparison_page(self, title, names)
        if path is not None:
            write_whole(path, page)
        return page


def compare(a: Model | TopicTree, b: Model | TopicTree, *, min_similarity: float = 0.5) -> Comparison:
    """Find which topics of two models are the same, which vanished, appeared or moved to another parent.

    Roots are counterparts. The other topics are paired so that the sum of their similarities is largest. By words, the
    similarity of two topics is sum_v sqrt(p_v q_v), where p and q are their own words, or those of the topics below
    where a topic has none. If both trees have the same documents, in the same order, their shared documents count as
    much: those in both topics, divided by those in either.

    Parameters
    ----------
    a, b : HierarchicalLDA, NestedHDP or TopicTree
        The models. Both need a vocabulary; words of only one of them count against a pair.
    min_similarity : float, default=0.5
        Pairs that are less similar are no counterparts.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from topicgrove import HierarchicalLDA, compare, load_example
    >>> corpus = load_example()
    >>> model = HierarchicalLDA(2, n_iter=5, random_state=0).fit(corpus)
    >>> compare(model, model)  # doctest: +ELLIPSIS
    Comparison(... matched, 0 of them moved, 0 vanished, 0 appeared)
    """
    trees = [one if isinstance(one, TopicTree) else one.tree_ for one in (a, b)]
    if isinstance(min_similarity, bool) or not 0 <= min_similarity <= 1:
        raise ValueError(f"min_similarity must be from 0 to 1; got {min_similarity!r}")
    for name, tree in zip("ab", trees, strict=True):
        if tree.word_counts is None or tree.vocabulary is None:
            raise ValueError(f"{name} has no words: topics are compared by them; set_vocabulary gives them to a model")
    first, second = trees
    by_words = _word_similarity(first, second)
    by_documents = _document_similarity(first, second)
    similarity = by_words if by_documents is None else (by_words + by_documents) / 2
    rows, columns = linear_sum_assignment(similarity[1:, 1:], maximize=True)
    pairs = {0: 0} | {int(i) + 1: int(j) + 1 for i, j in zip(rows, columns, strict=True)}
    pairs = {i: j for i, j in pairs.items() if i == 0 or similarity[i, j] >= min_similarity}
    matches = tuple(
        Match(
            i,
            j,
            float(similarity[i, j]),
            float(by_words[i, j]),
            None if by_documents is None else float(by_documents[i, j]),
            i > 0 and pairs.get(int(first.parent[i]), -1) != int(second.parent[j]),
        )
        for i, j in sorted(pairs.items())
    )
    taken = set(pairs.values())
    return Comparison(
        first,
        second,
        matches,
        tuple(i for i in range(len(first)) if i not in pairs),
        tuple(j for j in range(len(second)) if j not in taken),
        by_documents is not None,
    )


def _word_similarity(a: TopicTree, b: TopicTree) -> NDArray[np.float64]:
    """(T_a, T_b) Bhattacharyya coefficients over the words that both know."""
    assert a.vocabulary is not None
    assert b.vocabulary is not None
    place = {word: i for i, word in enumerate(b.vocabulary)}
    shared = [(i, place[word]) for i, word in enumerate(a.vocabulary) if word in place]
    of_a, of_b = np.array([i for i, _ in shared], np.int64), np.array([j for _, j in shared], np.int64)
    roots = [_roots(tree)[:, chosen] for tree, chosen in ((a, of_a), (b, of_b))]
    return np.asarray(np.minimum((roots[0] @ roots[1].T).toarray(), 1.0))


def _roots(tree: TopicTree) -> sparse.csc_array:
    """(T, V) square roots of the words' shares of each topic; of one without tokens, of the topics below it."""
    assert tree.word_counts is not None
    counts = sparse.lil_array(tree.word_counts.astype(np.float64))
    for topic in range(len(tree) - 1, -1, -1):
        if tree.n_tokens[topic] == 0 and len(tree.children[topic]):
            counts[topic] = sparse.csr_array(counts[tree.children[topic]].sum(axis=0)[None, :])
    shares = sparse.csr_array(counts)
    totals = np.maximum(np.asarray(shares.sum(axis=1)).ravel(), 1)
    roots = sparse.csr_array(sparse.diags_array(1 / totals) @ shares)
    roots.data = np.sqrt(roots.data)
    return sparse.csc_array(roots)


def _document_similarity(a: TopicTree, b: TopicTree) -> NDArray[np.float64] | None:
    """(T_a, T_b) documents in both topics by those in either; None where the trees have other documents."""
    if a.documents is None or b.documents is None or len(a.documents) != len(b.documents):
        return None
    if a.documents.ids != b.documents.ids:
        return None
    lengths = [tree.documents.level_counts.sum(axis=1) for tree in (a, b) if tree.documents is not None]
    if a.documents.ids is None and not np.array_equal(*lengths):
        return None
    several = a.documents.topic_counts is not None and b.documents.topic_counts is not None
    inside = [_memberships(tree, several) for tree in (a, b)]
    both = (inside[0].T @ inside[1]).toarray()
    sizes = [np.asarray(one.sum(axis=0)).ravel() for one in inside]
    return np.asarray(both / np.maximum(sizes[0][:, None] + sizes[1][None, :] - both, 1))


def _memberships(tree: TopicTree, several: bool) -> sparse.csc_array:
    """(D, T) 1 where a document's path goes through a topic, or, if it has several, where its words are."""
    assert tree.documents is not None
    if several:
        return sparse.csc_array(tree.documents.topic_counts).astype(np.bool_).astype(np.float64)
    document, level = np.nonzero(tree.documents.paths >= 0)
    topic = tree.documents.paths[document, level]
    ones = np.ones(len(topic))
    return sparse.csc_array((ones, (document, topic)), shape=(len(tree.documents), len(tree)))


def _line(tree: TopicTree, topic: int) -> str:
    return f"[{topic}] {escape(tree.name(topic))} ({tree.n_docs[topic]:,} documents)"


def _facts(tree: TopicTree, topic: int) -> dict[str, Any]:
    return {
        "id": topic,
        "parent": int(tree.parent[topic]),
        "name": tree.name(topic),
        "n_docs": int(tree.n_docs[topic]),
    }
