"""Perplexity of held-out documents during training."""

from __future__ import annotations

from collections.abc import Callable

from topicgrove.corpus import Corpus
from topicgrove.distributed.shards import gathered
from topicgrove.evaluation.completion import completion_perplexity
from topicgrove.fitted import tree_of_state
from topicgrove.state import State

N_SAMPLES, BURN_IN = 5, 10
"""Chains per document and their first sweeps: fewer than for a final figure, as it is measured many times."""


def held_out_perplexity(corpus: Corpus, held_out: Corpus) -> Callable[[State], float | None]:
    """Return a function of the state of training on ``corpus``; all ranks call it, and rank 0 gets the perplexity."""

    def perplexity(state: State) -> float | None:
        drawn = gathered(state)
        if drawn is None:
            return None
        tree = tree_of_state(state, corpus, drawn)
        return completion_perplexity(
            tree,
            tree.word_counts,
            state.hyper,
            held_out,
            seed=0,
            n_samples=N_SAMPLES,
            burn_in=BURN_IN,
            n_threads=state.workers.n_threads,
        )

    return perplexity
