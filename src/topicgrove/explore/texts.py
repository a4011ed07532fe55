"""Read the texts of the documents that a page shows from the files of a corpus."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from topicgrove.corpus.documents import Fields
from topicgrove.corpus.format_table import holds_counts
from topicgrove.corpus.formats import format_of
from topicgrove.corpus.sources import file_blocks
from topicgrove.corpus.textfiles import DEFAULT_MAX_BYTES, FilePath
from topicgrove.explore.data import N_DOCUMENTS
from topicgrove.explore.document_table import chosen_documents

if TYPE_CHECKING:
    from topicgrove.tree import TopicTree


def typical_documents(tree: TopicTree, n_documents: int = N_DOCUMENTS) -> set[int]:
    """Return the numbers of the topics' representative documents, whose texts the page shows.

    >>> from topicgrove.tree import Documents, TopicTree
    >>> documents = Documents(np.array([[0], [0]]), np.array([[2], [3]]))
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([2]), np.array([5]), documents=documents)
    >>> typical_documents(tree, 1)
    {0}
    """
    whole = tree if tree.source is None else tree.source
    ids = np.arange(len(tree)) if tree.original_ids is None else tree.original_ids
    return {d for topic in chosen_documents(whole, ids, n_documents) for d, _ in topic}


def read_texts(
    path: FilePath,
    numbers: Iterable[int],
    format: str | None = None,  # noqa: A002 - as in read_corpus
    **fields: Any,
) -> dict[int, str]:
    r"""Read the texts of some documents, by number, from a file or folder; counts have none.

    Parameters
    ----------
    path : str or path-like
        Documents in any format that `read_corpus` knows.
    numbers : iterable of int
        Which documents, counted from 0.
    format : str, default=None
        The format of a file, as for `read_corpus`.
    **fields
        ``text_field`` and ``encoding_errors``, as for `read_corpus`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "garden.txt"
    ...     _ = path.write_text("An old tree\nOld leaves\n")
    ...     read_texts(path, [1])
    {1: 'Old leaves'}
    """
    kind = format_of(path, format)
    if holds_counts(kind):
        return {}
    wanted, first = set(numbers), 0
    texts: dict[int, str] = {}
    for block in file_blocks(path, kind, Fields(**fields), DEFAULT_MAX_BYTES):
        documents = block()
        texts |= {first + i: text for i, text in enumerate(documents.texts) if first + i in wanted}
        first += len(documents.texts)
    return texts
