"""A short hash of a tree, by which files that refer to its topics recognise it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree


def fingerprint(tree: TopicTree) -> str:
    """A short hash of topics, words and counts: trees with the same one have the same topics under the same ids.

    Names of topics are not part of it. An edits file names the fingerprint of the model that it is for.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]), names={0: "all"}).fingerprint
    '6a24d2ab11325bbb'
    """
    digest = hashlib.sha256()
    parts = [tree.parent, tree.n_docs, tree.n_tokens]
    if tree.word_counts is not None:
        counts = tree.word_counts.copy()
        counts.sum_duplicates()
        counts.eliminate_zeros()
        parts += [counts.indptr, counts.indices, counts.data]
    for part in parts:
        numbers = np.ascontiguousarray(part, "<i8")
        digest.update(len(numbers).to_bytes(8, "little") + numbers.tobytes())
    for word in tree.vocabulary or ():
        encoded = word.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()[:16]
