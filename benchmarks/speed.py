"""Whole runs, initialisation included, against tomotopy 0.13.0 in one thread at equal numbers of topics."""

from __future__ import annotations

import time
from typing import Any

from corpora import load
from peers import Fitted, fit_tomotopy

from topicgrove import Corpus, HierarchicalLDA

N_ITER = 70
SETTINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    # Chosen so that both packages end at about the same number of topics.
    "nips": ({"eta": 0.27, "gamma": 0.1}, {"beta": [1, 0.5, 0.25, 0.25], "gamma": 1e-12}),
    "20news": ({"eta": 0.05, "gamma": 0.1}, {"beta": [0.7, 0.35, 0.14, 0.14], "gamma": 6e-6}),
}


def fit_ours(corpus: Corpus, *, seed: int, n_jobs: int = 1, **settings: Any) -> Fitted:
    model = HierarchicalLDA(4, alpha=0.2, n_iter=N_ITER, n_jobs=n_jobs, random_state=seed, **settings)
    started = time.perf_counter()
    model.fit(corpus)
    seconds = time.perf_counter() - started
    return Fitted(model.tree_, model.topic_word_counts_, model.hyper_parameters_, seconds)


def main() -> None:
    print(f"whole runs of {N_ITER} iterations, depth 4; tomotopy 0.13.0 and TopicGrove in one thread each")
    for name, (theirs, ours) in SETTINGS.items():
        corpus = load(name)
        fit_ours(corpus.take(range(50)), seed=0, **ours)  # machine code ready
        one = fit_ours(corpus, seed=1, **ours)
        peer = fit_tomotopy(corpus, n_iter=N_ITER, seed=1, **theirs)
        again = fit_ours(corpus, seed=2, **ours)
        two = fit_ours(corpus, seed=1, n_jobs=2, **ours)
        seconds = (one.seconds + again.seconds) / 2
        print(f"{name}: {corpus.n_docs} documents, {corpus.n_tokens} tokens, {corpus.n_words} words")
        print(f"  tomotopy    {len(peer.tree):4d} topics  {peer.seconds:7.1f} s")
        for label, fitted in (("seed 1", one), ("seed 2", again)):
            print(f"  ours {label} {len(fitted.tree):4d} topics  {fitted.seconds:7.1f} s")
        print(f"  ours 2 thr. {len(two.tree):4d} topics  {two.seconds:7.1f} s")
        ratio = len(one.tree) / len(peer.tree)
        print(f"  speed-up over tomotopy {peer.seconds / seconds:.2f}x at {ratio:.2f}x its topics")
        print(f"  two threads over one   {one.seconds / two.seconds:.2f}x", flush=True)


if __name__ == "__main__":
    main()
