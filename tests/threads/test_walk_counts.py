"""After every sweep, with any number of threads, the counts of walks match the tokens' topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from topicgrove import Corpus, NestedHDP


def recounted(event: Any, corpus: Corpus) -> None:
    """Compare all that the state keeps with a count of the tokens, in plain NumPy."""
    state, topics = event.state, event.token_topics
    n_topics = len(event.parent)
    assert topics.min() >= 0
    assert topics.max() < n_topics
    assert (event.parent[1:] < np.arange(1, n_topics)).all()
    words = np.zeros((corpus.n_words, n_topics), np.int64)
    np.add.at(words, (corpus.words, topics), 1)
    np.testing.assert_array_equal(state.words.counts.reshape(words.shape), words)
    np.testing.assert_array_equal(state.words.totals, words.sum(axis=0))
    np.testing.assert_allclose(state.words.inverse, 1 / (state.words.totals + state.words.mass), rtol=1e-6)
    np.testing.assert_allclose(state.words.mass, state.words.beta * corpus.n_words, rtol=1e-6)
    for space in state.spaces:
        assert not space.own.any()
        assert not space.through.any()
        assert (space.slot == -1).all()


@pytest.mark.parametrize("n_threads", [1, 2, 4, 8])
@pytest.mark.parametrize(("learn", "n_iter"), [(("beta", "child_weight", "stop_weight"), 12), ((), 45)])
def test_counts_of_walks_are_those_of_the_topics_after_every_sweep(
    mixture: Any, n_threads: int, learn: tuple[str, ...], n_iter: int
) -> None:
    """Without learning, tables are made after fewer and fewer of the sweeps, so that drift would show."""
    corpus = Corpus.from_matrix(np.tile(mixture(n_docs=300), (4, 1)))
    n_moved: list[int] = []

    def check(event: Any) -> None:
        recounted(event, corpus)
        n_moved.append(event.state.n_moved)

    schedule: dict[str, Any] = {"init_iterations": 8, "n_iter": n_iter, "learn": learn, "learn_after": 5}
    model = NestedHDP(3, target_topics=60, n_jobs=n_threads, random_state=2, callbacks=[check], **schedule).fit(corpus)
    assert min(n_moved) > corpus.n_tokens / 50
    assert model.topic_word_counts_.sum() == corpus.n_tokens
    document = np.repeat(np.arange(corpus.n_docs), corpus.document_lengths)
    own = np.zeros(model.document_topics_.shape, np.int64)
    np.add.at(own, (document, model.token_topics_), 1)
    np.testing.assert_array_equal(model.document_topics_.toarray(), own)
