"""Shared corpora, if available, have their published sizes."""

from pathlib import Path

import pytest

from topicgrove.corpus import Corpus, read_uci


@pytest.fixture(scope="module")
def shared_data():
    folder = Path(__file__).parents[2].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared corpora are not here")
    return folder


@pytest.mark.parametrize(
    ("name", "n_docs", "n_tokens", "n_words"),
    [
        ("lda_reuters395", 395, 84_010, 4_258),
        ("bbc", 2_225, 382_521, 8_770),
        ("ap", 2_246, 435_838, 10_473),
        ("kos", 3_430, 467_714, 6_906),
        ("news3k", 3_000, 699_900, 102_660),
        ("nips", 1_500, 1_870_706, 7_605),
        ("20news", 18_845, 2_265_543, 29_109),
        ("arxiv_dev", 11_750, 977_879, 11_230),
    ],
)
def test_real_corpus_has_its_published_size(shared_data, name, n_docs, n_tokens, n_words):
    corpus = read_uci(shared_data / name / f"docword.{name}.txt.gz")
    assert (corpus.n_docs, corpus.n_tokens, corpus.n_words) == (n_docs, n_tokens, n_words)
    assert corpus.vocabulary is not None


def test_real_corpus_survives_the_way_through_a_matrix(shared_data):
    corpus = read_uci(shared_data / "kos" / "docword.kos.txt.gz")
    again = Corpus.from_matrix(corpus.to_csr())
    assert (again.words == corpus.words).all()
    assert (again.offsets == corpus.offsets).all()
