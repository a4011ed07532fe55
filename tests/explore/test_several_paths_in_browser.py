"""Documents with several themes: the page shows all their branches, and documents of topics by share of words."""

from __future__ import annotations

import re

import numpy as np
import pytest

from topicgrove import Corpus, NestedHDP
from topicgrove.explore import explorer_data

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect

WORDS = ["moon", "orbit", "goal", "team", "bread", "oven"]
X = np.array([[6, 5, 4, 4, 0, 0], [0, 0, 6, 5, 4, 4], [4, 4, 0, 0, 6, 5]] * 10)


@pytest.fixture(scope="module")
def corpus():
    ids = [f"doc-{d}" for d in range(len(X))]
    plain = Corpus.from_matrix(X, WORDS)
    return Corpus(plain.words, plain.offsets, plain.n_words, vocabulary=plain.vocabulary, ids=ids)


@pytest.fixture(scope="module")
def model(corpus):
    weights = {"stop_weight": 0.05, "child_weight": 2.0}
    options = {"init": "none", "grow": False, "learn": (), "n_iter": 100, "random_state": 0}
    return NestedHDP(2, tree=[-1, 0, 0, 0], **weights, **options).fit(corpus)


def test_data_has_the_topics_of_documents_and_of_their_words(model, corpus):
    data = explorer_data(model, corpus=corpus)
    rows = {name: row for row, name in enumerate(data["documents"]["name"])}
    for d in range(len(X)):
        spread = data["documents"]["spread"][rows[f"doc-{d}"]]
        counts = model.document_topics_[[d]].toarray()[0]
        assert dict(zip(spread[::2], spread[1::2], strict=True)) == {t: n for t, n in enumerate(counts.tolist()) if n}
        assert spread[1::2] == sorted(spread[1::2], reverse=True)
    for topics, bag in zip(data["documents"]["word_topics"], data["documents"]["bag"], strict=True):
        assert (topics is None) == (bag is None)
        assert topics is None or len(topics) == len(bag) // 3


def test_a_document_shows_all_its_branches_with_words_by_topic(visit, model, corpus):
    counts = model.document_topics_.toarray()
    documents = explorer_data(model, corpus=corpus)["documents"]
    several = [
        name
        for name, topics in zip(documents["name"], documents["word_topics"], strict=True)
        if len({*(topics or ())}) > 1
    ]
    d = int(several[0].removeprefix("doc-"))
    page = visit(model, f"#document=doc-{d}", options={"corpus": corpus})
    expect(page.locator("#document-branches li")).to_have_count(int((counts[d] > 0).sum()))
    shares = page.locator("#document-branches .value").all_inner_texts()
    assert sorted(shares) == sorted(f"{n / counts[d].sum():.0%}" for n in counts[d] if n)
    marks = page.locator("#words-by-topic .mark")
    words = {re.match(r"[a-z]+", mark.inner_text())[0]: mark.get_attribute("class") for mark in marks.all()}
    assert set(words) == {WORDS[w] for w in np.flatnonzero(X[d])}
    assert len(set(words.values())) > 1
    page.click("#document-branches a >> nth=0")
    expect(page.locator("#panel .kind")).not_to_be_visible()
    expect(page.locator("#all-documents")).to_be_visible()


def test_a_topic_lists_documents_by_share_of_words(visit, model, corpus):
    for topic in range(1, len(model.tree_)):
        page = visit(model, f"#topic={topic}", options={"corpus": corpus})
        expected = model.tree_.documents_of(topic, n=1000)
        expect(page.locator("#all-documents h3 small")).to_have_text(str(len(expected)))
        shares = page.locator("#titles .value").all_inner_texts()
        assert shares == [f"{one.share:.0%}" for one in expected[:20]]


def test_pages_of_one_path_have_no_such_columns(tree):
    documents = explorer_data(tree)["documents"]
    assert {value for name in ("spread", "word_topics") for value in documents[name]} == {None}
