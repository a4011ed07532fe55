"""How many topics: figures of several sizes, measured on documents that no run has seen."""

import json

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA, suggest_topics
from topicgrove.suggesting import SizeTried, Suggestion


@pytest.fixture(scope="module")
def counts():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(60, 0.1), 12)
    return np.array([rng.multinomial(30, topics[d % 12]) for d in range(120)])


@pytest.fixture(scope="module")
def found(counts):
    return suggest_topics(counts, [20, 6], model=HierarchicalLDA(2, n_iter=5), held_out=20)


def test_every_size_has_a_row(found):
    assert [row.size for row in found.rows] == [6, 20]
    assert found.n_held_out == 20
    assert all(len(row.perplexities) == 2 and 1 < row.perplexity < 60 for row in found.rows)
    assert all(0 <= row.stability <= 1 and -1 <= row.coherence <= 1 for row in found.rows)
    assert found.rows[0].n_topics < found.rows[1].n_topics
    assert found.size in (6, 20)


def test_perplexity_is_that_of_documents_that_were_held_out(counts, found):
    from topicgrove.holding_out import HeldOut

    train, test = HeldOut(120, 20, 0).split(Corpus.from_matrix(counts))
    model = HierarchicalLDA(2, n_iter=5, target_topics=6, random_state=1).fit(train)
    assert model.perplexity(test, random_state=0) == pytest.approx(found.rows[0].perplexities[1])


def test_runs_that_agree_are_stable(counts):
    row = suggest_topics(counts, [12], model=HierarchicalLDA(2, n_iter=30, gamma=None), n_runs=2).rows[0]
    noise = suggest_topics(np.random.default_rng(0).poisson(1, (120, 30)), [12], model=HierarchicalLDA(2, n_iter=5))
    assert row.stability > noise.rows[0].stability + 0.1


def test_a_single_run_has_no_stability(counts):
    found = suggest_topics(counts, [6], model=HierarchicalLDA(2, n_iter=2), n_runs=1)
    assert found.rows[0].stability is None
    assert "-" in found.summary()
    assert len(found.plot().axes) == 2


def test_of_sizes_that_predict_as_well_the_most_stable_is_suggested():
    def row(size, perplexity, stability):
        return SizeTried(size, size, perplexity, (perplexity,), 0.1, stability)

    assert Suggestion((row(10, 200, 0.9), row(50, 101, 0.6), row(90, 100, 0.5)), 9).size == 50
    assert Suggestion((row(10, 101, None), row(50, 100, None)), 9).size == 10


def test_figures_are_written(found, tmp_path):
    found.to_json(tmp_path / "sizes.json")
    assert json.loads((tmp_path / "sizes.json").read_text(encoding="utf-8"))["suggested"] == found.size
    found.plot(tmp_path / "sizes.svg")
    assert b"<svg" in (tmp_path / "sizes.svg").read_bytes()


@pytest.mark.parametrize("sizes", ["25", [], 25, [2.5], [1], [True]])
def test_wrong_sizes_are_refused(counts, sizes):
    with pytest.raises((ValueError, TypeError), match="sizes must be"):
        suggest_topics(counts, sizes)


def test_progress_is_told(counts):
    seen = []
    suggest_topics(counts, [6], model=HierarchicalLDA(2, n_iter=1), on_run=lambda done, of: seen.append((done, of)))
    assert seen == [(0, 2), (1, 2)]
