"""Document vectors whose directions represent what the documents are about.

Half of a vector comes from leaves. A leaf's vector is the square root of its word distribution (so that distances are
Hellinger's), centred and projected onto the leading singular vectors of all leaves; a document gets the mean of its
leaves over several fits. The other half is latent semantic analysis of the document's own words. Leaves are smooth and
agree across spellings of a theme; a document's own words tell it from the others of its leaf.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from topicgrove.corpus import Corpus
from topicgrove.samplers.two_levels import Leaves

DIMENSIONS = 30
"""Dimensions of each half."""

OWN_WEIGHT = 1.25
"""Length of the half from a document's own words, relative to the other half."""

POWER_ITERATIONS = 4
"""Power iterations of the randomised singular value decomposition."""

Vectors = NDArray[np.float32]


def document_vectors(own: Vectors, members: Sequence[Leaves], seed: int) -> Vectors:
    """Return unit vectors of documents, from their own vectors and the mean of their leaves in several fits."""
    leaves = _leaf_vectors([member.counts for member in members], seed)
    ends = np.cumsum([member.counts.shape[0] for member in members])
    parts = np.split(leaves, ends[:-1])
    mean = np.mean([part[member.of_document] for part, member in zip(parts, members, strict=True)], axis=0)
    return unit(np.hstack([unit(mean), OWN_WEIGHT * own]))


def own_vectors(corpus: Corpus, seed: int) -> Vectors:
    """Return unit vectors of documents by latent semantic analysis: (1 + log n_dv) idf_v, rows of length 1.

    The first singular vector is left out, because it is close to the mean of all documents.
    """
    counts = corpus.to_csr().astype(np.float32)
    n_docs = np.bincount(counts.indices, minlength=corpus.n_words)
    idf = np.log((1 + corpus.n_docs) / (1 + n_docs)) + 1
    counts.data = ((1 + np.log(counts.data)) * idf[counts.indices]).astype(np.float32)
    rows = scaled(counts, 1 / np.maximum(np.sqrt(counts.multiply(counts).sum(axis=1)), 1e-30))
    left, values, _ = _svd(rows, seed)
    return unit(left[:, 1:] * values[1:])


def _leaf_vectors(counts: Sequence[sparse.csr_array], seed: int) -> Vectors:
    """Return unit vectors of the leaves of all fits, in order."""
    together = sparse.csr_array(sparse.vstack(counts)).astype(np.float32)
    n_tokens = together.sum(axis=1)
    share = n_tokens / max(n_tokens.sum(), 1)
    roots = scaled(together, 1 / np.maximum(n_tokens, 1))
    roots.data = np.sqrt(roots.data)
    _, _, basis = _svd(scaled(roots, np.sqrt(share)), seed)
    return unit(roots @ basis.T - share @ (roots @ basis.T))


def _svd(matrix: sparse.csr_array, seed: int) -> tuple[Vectors, Vectors, Vectors]:
    n_components = min(DIMENSIONS + 1, *matrix.shape)
    if matrix.nnz == 0:
        zeros = [np.zeros(shape, np.float32) for shape in ((matrix.shape[0], 1), 1, (1, matrix.shape[1]))]
        return zeros[0], zeros[1], zeros[2]
    found = randomized_svd(matrix, n_components, n_iter=POWER_ITERATIONS, random_state=seed % 2**32)
    left, values, right = (np.asarray(part, np.float32) for part in found)
    return left, values, right


def scaled(matrix: sparse.csr_array, factors: NDArray[np.floating]) -> sparse.csr_array:
    """Multiply the rows of a matrix by factors.

    >>> scaled(sparse.csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([2.0, 1.0])).toarray().tolist()
    [[2.0, 4.0], [0.0, 3.0]]
    """
    scaled_data = (matrix.data * np.repeat(factors, np.diff(matrix.indptr))).astype(matrix.dtype)
    return sparse.csr_array((scaled_data, matrix.indices, matrix.indptr), shape=matrix.shape)


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Scale rows to length 1; rows of zeros stay as they are.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-30), np.float32)
