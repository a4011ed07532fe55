"""Answers of a trained model about new documents: their places in its tree, and how well it predicts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicgrove.corpus import Corpus
from topicgrove.evaluation.completion import completion_perplexity
from topicgrove.inference import Inferred, infer
from topicgrove.validation import check_threads

if TYPE_CHECKING:
    from topicgrove.fitted_model import FittedModel

PLACING_SWEEPS = 10
"""Samples of a new document's path and proportions."""


def place(model: FittedModel, corpus: Corpus) -> Inferred:
    """Place documents in the words of a model, with as many threads as its ``n_jobs`` asks for."""
    return infer(
        model.tree_,
        model.topic_word_counts_,
        model.hyper_parameters_,
        corpus,
        n_sweeps=PLACING_SWEEPS,
        seed=0,
        n_threads=check_threads(model.n_jobs),
    )


def perplexity(model: FittedModel, corpus: Corpus, seed: int, n_samples: int, burn_in: int) -> float:
    """Return the perplexity of documents in the words of a model, by document completion."""
    return completion_perplexity(
        model.tree_,
        model.topic_word_counts_,
        model.hyper_parameters_,
        corpus,
        seed=seed,
        n_samples=n_samples,
        burn_in=burn_in,
        n_threads=check_threads(model.n_jobs),
    )
