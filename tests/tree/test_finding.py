"""Topics by words, documents of topics, and all documents in a table."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from topicgrove import Corpus, HierarchicalLDA, TopicTree
from topicgrove.evaluation.own_documents import log_probabilities

WORDS = ("market", "supply", "demand", "neural network", "supplement", "moon")


@pytest.fixture(scope="module")
def tree():
    counts = [[9, 0, 0, 0, 0, 0], [0, 6, 6, 0, 0, 0], [0, 0, 0, 8, 5, 0], [0, 7, 0, 0, 0, 0], [0, 0, 9, 0, 0, 4]]
    n_tokens = np.array(counts).sum(axis=1)
    return TopicTree(
        np.array([-1, 0, 0, 1, 1]),
        np.array([0, 1, 1, 2, 2]),
        np.array([9, 6, 3, 4, 2]),
        n_tokens,
        word_counts=sparse.csr_array(counts),
        vocabulary=WORDS,
    )


def topics(found):
    return [one.topic for one in found]


def test_topics_with_more_of_the_words_come_first(tree):
    found = tree.find("supply demand")
    assert found[0].topic == 1
    assert found[0].n_terms == 2
    assert set(found[0].words) == {"supply", "demand"}
    assert [one.n_terms for one in found] == sorted((one.n_terms for one in found), reverse=True)


def test_beginnings_of_words_and_parts_of_phrases_are_found(tree):
    assert set(tree.find("Suppl")[-1].words) <= {"supply", "supplement"}
    assert tree.find("netw")[0].words == ("neural network",)
    assert tree.find("neural net")[0].topic == 2
    assert tree.find("etwork") == []


def test_whole_words_count_more_than_beginnings():
    counts = sparse.csr_array([[0, 0], [5, 0], [0, 5]])
    tree = TopicTree(
        np.array([-1, 0, 0]),
        np.array([0, 1, 1]),
        np.array([2, 1, 1]),
        np.array([0, 5, 5]),
        word_counts=counts,
        vocabulary=("arts", "art"),
    )
    assert topics(tree.find("art"))[0] == 2


def test_names_that_users_gave_are_searched(tree):
    named = TopicTree(
        tree.parent,
        tree.level,
        tree.n_docs,
        tree.n_tokens,
        word_counts=tree.word_counts,
        vocabulary=WORDS,
        names={4: "Lunar economics"},
    )
    assert named.find("econ")[0].topic == 4


def test_views_are_searched_with_their_own_ids(tree):
    part = tree.subtree(1)
    assert part.original_ids[part.find("moon")[0].topic] == tree.find("moon")[0].topic


def test_what_cannot_be_searched_is_said(tree):
    with pytest.raises(ValueError, match="words must have at least one word"):
        tree.find("  ")
    with pytest.raises(ValueError, match="set_vocabulary"):
        TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([1])).find("moon")


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    weights = np.repeat([[0.3, 0.3, 0.3, 0.1, 0, 0], [0, 0, 0, 0.1, 0.4, 0.5]], [20, 15], axis=0)
    counts = np.array([rng.multinomial(12 + d % 9, row) for d, row in enumerate(weights)])
    return Corpus.from_matrix(counts, ["a", "b", "c", "d", "e", "f"])


@pytest.fixture(scope="module")
def model(corpus):
    return HierarchicalLDA(3, gamma=0.5, beta=0.1, n_iter=20, random_state=0).fit(corpus)


def test_pages_of_documents_are_all_documents_of_a_topic_once_best_first(model):
    topic = int(model.tree_.children[0][0])
    n = int(model.tree_.n_docs[topic])
    pages = [model.documents(topic, n=4, start=start) for start in range(0, n, 4)]
    listed = [document for page in pages for document in page]
    assert sorted(document.index for document in listed) == np.flatnonzero(model.paths_[:, 1] == topic).tolist()
    assert all(a.share >= b.share for a, b in pairwise(listed))
    assert [d.index for d in listed[:3]] == [d.index for d in model.tree_.representative_documents(topic, 3)]
    assert model.documents(topic, start=n) == []


def test_log_probabilities_are_those_of_a_slow_sum(model, corpus):
    tree, hyper = model.tree_, model.hyper_parameters_
    found = log_probabilities(tree, hyper, corpus)
    counts = tree.word_counts.toarray()
    phi = (counts + hyper.beta[tree.level][:, None]) / (counts.sum(axis=1) + 6 * hyper.beta[tree.level])[:, None]
    for d in (0, 7, 34):
        theta = tree.documents.level_counts[d] + hyper.alpha
        mixed = theta / theta.sum() @ phi[model.paths_[d]]
        assert found[d] == pytest.approx(corpus.to_csr().toarray()[d] @ np.log(mixed))


def test_documents_rank_by_log_probability_per_word(model, corpus):
    listed = model.documents(0, n=100, by="log_probability", corpus=corpus)
    per_word = [document.log_probability / document.n_words for document in listed]
    assert per_word == sorted(per_word, reverse=True)
    with pytest.raises(ValueError, match="give the corpus that the model was trained on"):
        model.documents(0, by="log_probability")
    with pytest.raises(ValueError, match="corpus must be the 35 documents"):
        model.documents(0, corpus=corpus.take(slice(0, 5)))


def test_documents_that_were_held_out_are_left_out_of_the_corpus(corpus):
    model = HierarchicalLDA(2, gamma=0.5, beta=0.1, n_iter=5, random_state=0).fit(corpus, held_out=5)
    assert len(model.document_table(corpus=corpus)) == 30


@pytest.mark.parametrize(
    ("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_tables_have_every_document_in_the_library_that_was_asked_for(model, corpus, library, kind):
    table = model.document_table(library, corpus=corpus)
    assert isinstance(table, kind)
    assert len(table) == 35
    shares = [np.asarray(table[f"share_{level}"]) for level in range(3)]
    assert np.allclose(sum(shares), 1)
    assert np.asarray(table["topic_1"]).tolist() == model.paths_[:, 1].tolist()
    with pytest.raises(ValueError, match="library must be"):
        model.document_table("excel")


def test_a_tree_without_documents_says_how_to_get_them(tree):
    for ask in (lambda: tree.documents_of(0), tree.document_table):
        with pytest.raises(ValueError, match=r"this tree has no documents: .*fit a model"):
            ask()
