"""tomotopy 0.13.0: the fastest peer whose trees grow, and its flat LDA, converted to the shape of our models.

It needs other versions of libraries, so ``tomotopy_program.py`` runs it in its own environment.
"""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove import Corpus, TopicTree
from topicgrove.prior import HyperParameters

ENVIRONMENT = Path(__file__).parents[1] / ".venv-peer"
PROGRAM = Path(__file__).with_name("tomotopy_program.py")
PACKAGES = ("tomotopy", "numpy")


class PeerMissingError(Exception):
    """The peer has no environment to run in."""


class Flat(NamedTuple):
    """A flat topic model: words by topic, the weights of topics in a document, and the training time."""

    counts: sparse.csr_array
    alpha: NDArray[np.float64]
    eta: float
    seconds: float
    cpu_seconds: float


class Fitted(NamedTuple):
    """A tree of topics from any package, with the wall-clock and processor seconds of training."""

    tree: TopicTree
    counts: sparse.csr_array
    hyper: HyperParameters
    seconds: float
    cpu_seconds: float


def fit_tomotopy(corpus: Corpus, *, eta: float, gamma: float, n_iter: int, seed: int) -> Fitted:
    """Train tomotopy's hierarchical LDA, four levels, alpha .2, in one thread; reading the corpus is not timed."""
    found = _train(corpus, n_iter=n_iter, depth=4, alpha=0.2, eta=eta, gamma=gamma, seed=seed)
    counts = _word_counts(found, len(found["level"]), corpus.n_words)
    n_tokens = np.asarray(counts.sum(axis=1)).ravel()
    tree = TopicTree(found["parent"], found["level"], found["n_docs"], n_tokens)
    hyper = HyperParameters.of(4, 0.2, eta, gamma)
    return Fitted(tree, counts, hyper, float(found["seconds"]), float(found["cpu_seconds"]))


def fit_flat_lda(corpus: Corpus, *, k: int, eta: float, n_iter: int, seed: int) -> Flat:
    """Train tomotopy's flat LDA in one thread; it starts from alpha .1, and learns one for each topic."""
    found = _train(corpus, n_iter=n_iter, k=k, eta=eta, seed=seed)
    counts = _word_counts(found, k, corpus.n_words)
    return Flat(counts, found["alpha"], eta, float(found["seconds"]), float(found["cpu_seconds"]))


def level_one_topics(corpus: Corpus, *, n_iter: int, seed: int) -> NDArray[np.int64]:
    """Return the level-1 topic of every document in tomotopy's default hierarchical LDA; -1 for empty documents."""
    topics = np.full(corpus.n_docs, -1)
    topics[np.diff(corpus.offsets) > 0] = _train(corpus, n_iter=n_iter, seed=seed)["paths"][:, 1]
    return topics


def peer_packages() -> dict[str, str]:
    """Return the versions in the peer's environment."""
    folders = [str(path) for path in ENVIRONMENT.glob("lib/python*/site-packages")]
    return {found.name: found.version for found in distributions(path=folders) if found.name in PACKAGES}


def _word_counts(found: dict[str, NDArray[Any]], n_topics: int, n_words: int) -> sparse.csr_array:
    """Count tokens by topic and word."""
    ones = np.ones(len(found["words"]), np.int64)
    return sparse.coo_array((ones, (found["topics"], found["words"])), shape=(n_topics, n_words)).tocsr()


def _train(corpus: Corpus, **settings: Any) -> dict[str, NDArray[Any]]:
    """Run the program on a corpus, and return its result."""
    if not (ENVIRONMENT / ".installed").exists():
        raise PeerMissingError(f"tomotopy is not installed: `make peer` installs it in {ENVIRONMENT}")
    with TemporaryDirectory() as folder:
        given, found = Path(folder, "corpus.npz"), Path(folder, "topics.npz")
        np.savez(given, words=corpus.words, offsets=corpus.offsets)
        python = ENVIRONMENT / "bin" / "python"
        subprocess.run([str(python), "-I", str(PROGRAM), json.dumps(settings), str(given), str(found)], check=True)
        with np.load(found, allow_pickle=False) as arrays:
            return dict(arrays)
