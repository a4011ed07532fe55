"""Documents for people to read: those of a topic in pages, and all of them in a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topicgrove.extras import needed
from topicgrove.tree.placed_documents import Documents, representatives
from topicgrove.validation import check_choice, check_whole

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

LIBRARIES = ("pandas", "polars", "pyarrow")
SEPARATOR = " > "


@dataclass(frozen=True)
class TopicDocument:
    """A document of a topic: its number, its names, its share in the topic, and its log probability.

    ``share`` is the smoothed share of its words in the topic, as in `TopicTree.representative_documents`.
    ``log_probability`` is that of its words given its path, where the words are known.

    >>> TopicDocument(index=3, id="c.txt", title=None, share=0.5, n_words=80).id
    'c.txt'
    """

    index: int
    id: str
    title: str | None
    share: float
    n_words: int
    classes: tuple[str, ...] = ()
    log_probability: float | None = None


def documents_of(
    tree: TopicTree,
    topic: int,
    n: int = 20,
    start: int = 0,
    by: str = "share",
    log_probability: ArrayLike | None = None,
) -> list[TopicDocument]:
    """List the documents of a topic, a page at a time, the best ones first.

    Parameters
    ----------
    tree : TopicTree
        The tree.
    topic : int
        The topic's id.
    n, start : int, default=20 and 0
        Number of documents, and position of the first: start=20 gives the second page.
    by : {"share", "log_probability"}, default="share"
        Rank by the share of a document's words in the topic, or by the log probability per word, the largest first.
    log_probability : array of shape (n_docs,), default=None
        Log probabilities of all documents; `HierarchicalLDA.documents` computes them.

    Returns
    -------
    list of TopicDocument

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> from topicgrove.tree import Documents
    >>> documents = Documents(np.array([[0], [0]]), np.array([[2], [3]]), ids=("a.txt", "b.txt"))
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([2]), np.array([5]), documents=documents)
    >>> [document.id for document in tree.documents_of(0, n=1, start=1)]
    ['b.txt']
    """
    topic = check_whole("topic", topic, 0, len(tree) - 1)
    check_whole("n", n, 1)
    check_whole("start", start, 0)
    check_choice("by", by, ("share", "log_probability"))
    if tree.source is not None and tree.original_ids is not None:
        return documents_of(tree.source, int(tree.original_ids[topic]), n, start, by, log_probability)
    documents = documents_in(tree)
    known = None if log_probability is None else np.asarray(log_probability, np.float64)
    if known is not None and known.shape != (len(documents),):
        raise ValueError(f"log_probability must be {len(documents)} numbers, one for each document")
    found = representatives(documents, topic, int(tree.level[topic]), len(documents) or 1)
    lengths = documents.level_counts.sum(axis=1)
    if by == "log_probability":
        if known is None:
            raise ValueError('by="log_probability" needs the documents: give the corpus that the model was trained on')
        per_word = known / np.maximum(lengths, 1)
        found = sorted(found, key=lambda one: -per_word[one.index])
    return [
        TopicDocument(
            one.index,
            one.id,
            one.title,
            one.share,
            int(lengths[one.index]),
            documents.classes[one.index] if documents.classes is not None else (),
            None if known is None else float(known[one.index]),
        )
        for one in found[start : start + n]
    ]


def n_documents_of(tree: TopicTree, topic: int) -> int:
    """Return how many documents `documents_of` lists in all.

    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([2]), np.array([5]))
    >>> n_documents_of(tree, 0)
    2
    """
    counts = None if tree.documents is None else tree.documents.topic_counts
    return int(tree.n_docs[topic]) if counts is None else counts[:, [topic]].nnz


def document_table(tree: TopicTree, library: str = "pandas", log_probability: ArrayLike | None = None) -> Any:
    """Make a table with a row for each document, for pandas, polars or Arrow.

    Its columns are id, title and class (where documents have them), path (ids of topics), names (of these topics),
    the topic on each level (topic_1, topic_2 ...), the share of words on each level (share_0, share_1 ...), n_words,
    and log_probability (where it is known).

    Parameters
    ----------
    tree : TopicTree
        The tree.
    library : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library of the table.
    log_probability : array of shape (n_docs,), default=None
        Log probabilities of the documents; `HierarchicalLDA.document_table` computes them.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table

    Examples
    --------
    >>> from topicgrove import TopicTree
    >>> from topicgrove.tree import Documents
    >>> documents = Documents(np.array([[0, 1]]), np.array([[1, 3]]), ids=("a.txt",))
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([1, 1]), np.array([1, 3]), documents=documents)
    >>> tree.document_table().iloc[0].to_dict()  # doctest: +NORMALIZE_WHITESPACE
    {'id': 'a.txt', 'path': '0 1', 'names': 'topic 0 > topic 1', 'topic_1': 1, 'share_0': 0.25, 'share_1': 0.75,
     'n_words': 4}
    """
    check_choice("library", library, LIBRARIES)
    documents = documents_in(tree)
    lengths = documents.level_counts.sum(axis=1)
    shares = documents.level_counts / np.maximum(lengths, 1)[:, None]
    columns: dict[str, Any] = {
        "id": documents.ids if documents.ids is not None else [str(d) for d in range(len(documents))]
    }
    if documents.titles is not None:
        columns["title"] = documents.titles
    if documents.classes is not None:
        columns["class"] = [SEPARATOR.join(path) for path in documents.classes]
    columns |= _path_columns(tree, documents.paths)
    n_levels = documents.paths.shape[1]
    columns |= {f"topic_{level}": documents.paths[:, level] for level in range(1, n_levels)}
    columns |= {f"share_{level}": shares[:, level] for level in range(n_levels)}
    columns["n_words"] = lengths
    if log_probability is not None:
        columns["log_probability"] = np.asarray(log_probability, np.float64)
    return as_table(columns, library)


def documents_in(tree: TopicTree) -> Documents:
    """Return the documents of a tree; if it has none, raise ValueError with advice."""
    if tree.documents is None:
        raise ValueError("this tree has no documents: it was made without them; fit a model, or give an importer some")
    return tree.documents


def _path_columns(tree: TopicTree, paths: NDArray[np.integer]) -> dict[str, list[str]]:
    """Return ids and names along each path, computed once per distinct path."""
    names = [tree.name(topic) for topic in range(len(tree))]
    made: dict[bytes, tuple[str, str]] = {}
    rows = []
    for path in np.ascontiguousarray(paths):
        key = path.tobytes()
        if key not in made:
            topics = [topic for topic in path.tolist() if topic >= 0]
            made[key] = (" ".join(map(str, topics)), SEPARATOR.join(names[topic] for topic in topics))
        rows.append(made[key])
    return {"path": [ids for ids, _ in rows], "names": [text for _, text in rows]}


def as_table(columns: dict[str, Any], library: str) -> Any:
    """Return columns as a library's table."""
    columns = {name: list(values) if isinstance(values, tuple) else values for name, values in columns.items()}
    if library == "polars":
        with needed("polars", "document_table"):
            import polars as pl
        return pl.DataFrame(columns)
    if library == "pyarrow":
        with needed("pyarrow", "document_table"):
            import pyarrow as pa
        return pa.table(columns)
    with needed("pandas", "document_table"):
        import pandas as pd
    return pd.DataFrame(columns)
