"""Flat LDA of tomotopy 0.13.0, trained once per setting and kept in a folder outside the repository.

``python benchmarks/flat_lda.py [CORPUS ...] [--k 100 200] [--eta .01 .02 .05] [--fold 3] [--seeds 1]`` trains the
models that are missing there.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import numpy as np
from corpora import hold_out, load
from peers import Flat, fit_flat_lda
from scipy import sparse

from topicgrove import Corpus

KEPT = Path(os.environ.get("TOPICGROVE_PEER_RESULTS", Path.home() / ".cache" / "topicgrove-peer"))
"""Where trained models are kept; set TOPICGROVE_PEER_RESULTS to use another folder."""

CORPORA = ("arxiv_dev", "nips", "20news")
N_ITER = 300
N_TOPICS = (100, 200)
ETAS = (0.01, 0.02, 0.05)


def flat_lda(corpus: Corpus, *, k: int, eta: float, seed: int, n_iter: int = N_ITER) -> Flat:
    """Load the model of these documents and settings, or train and keep it."""
    digest = blake2b(corpus.words.tobytes() + corpus.offsets.tobytes(), digest_size=8).hexdigest()
    path = KEPT / f"lda-{digest}-k{k}-eta{eta}-iter{n_iter}-seed{seed}.npz"
    if not path.exists():
        _keep(path, fit_flat_lda(corpus, k=k, eta=eta, n_iter=n_iter, seed=seed))
    with np.load(path, allow_pickle=False) as kept:
        counts = sparse.csr_array((kept["data"], kept["indices"], kept["indptr"]), shape=(k, corpus.n_words))
        return Flat(counts, kept["alpha"], eta, float(kept["seconds"]), float(kept["cpu_seconds"]))


def _keep(path: Path, flat: Flat) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.npz")
    np.savez(
        unfinished,
        data=flat.counts.data,
        indices=flat.counts.indices,
        indptr=flat.counts.indptr,
        alpha=flat.alpha,
        seconds=flat.seconds,
        cpu_seconds=flat.cpu_seconds,
    )
    unfinished.replace(path)


def main(names: Iterable[str], fold: int, ks: Iterable[int], etas: Iterable[float], seeds: Iterable[int]) -> None:
    for k, seed, name, eta in itertools.product(ks, seeds, names, etas):
        train, _ = hold_out(load(name), fold)
        flat = flat_lda(train, k=k, eta=eta, seed=seed)
        speed = flat.cpu_seconds / train.n_tokens / N_ITER * 1e9
        print(f"{name} without {fold} mod 10, K {k}, eta {eta}, seed {seed}: {speed:.0f} ns a token", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=CORPORA)
    parser.add_argument("--fold", type=int, default=3)
    parser.add_argument("--k", nargs="+", type=int, default=N_TOPICS)
    parser.add_argument("--eta", nargs="+", type=float, default=ETAS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(1,))
    given = parser.parse_args()
    main(given.names, given.fold, given.k, given.eta, given.seeds)
