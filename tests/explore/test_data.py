import json
from dataclasses import replace

import numpy as np
import pytest

from topicgrove import Corpus
from topicgrove.evaluation.coherence import npmi_coherence
from topicgrove.explore import data as data_module
from topicgrove.explore import explorer_data, read_texts, typical_documents
from topicgrove.explore.passages import word_levels
from topicgrove.tree import TopicTree


def words_of(data, topic):
    flat = data["topics"]["words"][topic]
    return [(data["words"][flat[i]], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 3)]


def test_data_are_plain_json(model, corpus, texts):
    data = explorer_data(model, corpus=corpus, texts=dict(enumerate(texts)), title="small")
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_columns_of_topics_are_as_long_as_the_tree(tree):
    data = explorer_data(tree)
    assert {len(column) for column in data["topics"].values()} == {len(tree)}
    assert {len(column) for column in data["documents"].values()} == {len(tree.documents)}
    assert len(data["words"]) == len(data["where"]) == len(data["word_totals"])


def test_words_come_with_their_tokens_most_probable_first(tree):
    data = explorer_data(tree, n_words=3)
    for topic in range(len(tree)):
        found = words_of(data, topic)
        assert [word for word, count, _ in found if count][:3] == tree.top_words(topic, 3, "probability")
        for word, count, _ in found:
            assert count == tree.word_counts[topic, tree.vocabulary.index(word)]


def test_distinctiveness_is_that_of_the_tree(tree):
    data = explorer_data(tree)
    for topic in range(len(tree)):
        expected = dict(tree.top_words_with_scores(topic, 8))
        scores = {word: score for word, _, score in words_of(data, topic) if score > 0}
        assert scores == pytest.approx(expected, rel=1e-3)


def test_labels_of_the_page_are_those_of_the_tree(tree):
    tree.set_names({2: "games"})
    labels = [tree.word_name(topic) for topic in range(len(tree))]
    assert explorer_data(tree)["topics"]["label"] == labels
    assert explorer_data(tree.subtree(2))["topics"]["label"] == [labels[2], labels[7], labels[8]]


def test_every_word_says_where_its_tokens_are(tree):
    data = explorer_data(tree)
    for i, word in enumerate(data["words"]):
        column = tree.word_counts.toarray()[:, tree.vocabulary.index(word)]
        pairs = data["where"][i]
        assert dict(zip(pairs[::2], pairs[1::2], strict=True)) == {t: n for t, n in enumerate(column) if n}
        assert data["word_totals"][i] == column.sum()


def test_only_the_most_frequent_unused_words_can_be_found(tree, monkeypatch):
    monkeypatch.setattr(data_module, "N_FOUND_WORDS", 5)
    data = explorer_data(tree, n_words=1)
    used = {word for topic in range(len(tree)) for word, _, _ in words_of(data, topic)}
    assert used <= set(data["words"])
    assert len(data["words"]) < len(tree.vocabulary)


def test_small_topics_can_be_left_out_and_ids_stay(tree):
    data = explorer_data(tree, min_docs=5)
    assert data["topics"]["id"] == [0, 1, 2, 3, 4, 5, 7, 9]
    assert data["topics"]["parent"] == [-1, 0, 0, 0, 1, 1, 2, 3]
    star = data["documents"]["name"].index("doc-18")
    assert data["topics"]["id"][data["documents"]["leaf"][star]] == 1, "its own topic is left out"


def test_page_of_a_subtree_has_its_documents_and_the_levels_of_the_whole_tree(tree):
    tree.set_names({2: "games"})
    data = explorer_data(tree.subtree(2))
    assert data["topics"]["id"] == [2, 7, 8]
    assert data["topics"]["level"] == [1, 2, 2]
    assert data["labels"] == {"2": "games"}
    assert len(data["documents"]["name"]) == 12
    assert words_of(data, 0)[0][0] == "sport"


def test_documents_beyond_the_limit_are_a_spread_of_the_corpus(tree, monkeypatch):
    monkeypatch.setattr(data_module, "N_FOUND_DOCUMENTS", 20)
    data = explorer_data(tree, n_documents=1)
    names = data["documents"]["name"]
    assert len(names) == 20
    standing = {names[row] for pairs in data["topics"]["documents"] for row in pairs[::2]}
    assert standing == {f"doc-{d}" for d in typical_documents(tree, 1)}


def test_drawn_levels_colour_the_words_of_a_text(model, corpus, texts):
    data = explorer_data(model, corpus=corpus, texts=dict(enumerate(texts)), n_documents=48)
    row = data["documents"]["name"].index("d2")
    pieces, levels = data["documents"]["text"][row]
    assert "".join(pieces) == texts[2]
    assert [piece.lower() for piece in pieces[1::2]] == ["team", "scored", "goal", "striker", "won", "match"]
    tokens = slice(corpus.offsets[2], corpus.offsets[3])
    drawn = dict(
        zip([corpus.vocabulary[w] for w in corpus.words[tokens]], model.token_levels_[tokens].tolist(), strict=True)
    )
    assert [int(level) for level in levels] == [drawn[piece.lower()] for piece in pieces[1::2]]


def test_repeated_words_use_up_their_drawn_levels(model, corpus):
    repeated = Corpus.from_documents([[0, 0, 0]], vocabulary=corpus.vocabulary)
    level_of = word_levels(model.tree_, 0, repeated, np.array([2, 0, 1], np.uint8))
    assert [level_of(0) for _ in range(4)] == [2, 0, 1, 1]


def test_without_a_corpus_titles_are_coloured_by_the_most_probable_level(make_tree):
    tree = make_tree(titles=("Moon over people, not soup",) + ("x",) * 37)
    data = explorer_data(tree, n_documents=38)
    pieces, levels = data["documents"]["text"][0]
    assert list(zip(pieces[1::2], levels, strict=True)) == [("Moon", "2"), ("people", "0"), ("soup", "0")]


def test_corpus_without_texts_gives_bags_of_words(model, corpus):
    data = explorer_data(model, corpus=corpus)
    row = data["topics"]["documents"][0][0]
    flat = data["documents"]["bag"][row]
    index = int(data["documents"]["name"][row][1:])
    found = {data["words"][flat[i]]: flat[i + 1] for i in range(0, len(flat), 3)}
    words, counts = np.unique(corpus.words[corpus.offsets[index] : corpus.offsets[index + 1]], return_counts=True)
    assert found == {corpus.vocabulary[w]: int(n) for w, n in zip(words, counts, strict=True)}


def test_coherence_is_that_of_the_corpus(model, corpus):
    data = explorer_data(model, corpus=corpus)
    index = {word: i for i, word in enumerate(corpus.vocabulary)}
    top = [[index[word] for word in model.tree_.top_words(t, 10, "probability")] for t in range(len(model.tree_))]
    found = np.array(data["topics"]["npmi"], np.float64)
    assert found == pytest.approx(npmi_coherence(top, corpus), rel=1e-3, nan_ok=True)
    assert explorer_data(model)["topics"]["npmi"] == [None] * len(model.tree_)


def test_foreign_corpora_are_refused(model, corpus):
    with pytest.raises(ValueError, match="corpus has 10 documents, but the tree was learned from 48"):
        explorer_data(model, corpus=corpus.take(np.arange(10)))
    with pytest.raises(ValueError, match="document 0 has other words"):
        explorer_data(model, corpus=corpus.take(np.arange(48)[::-1]))
    with pytest.raises(ValueError, match="another vocabulary"):
        explorer_data(model, corpus=replace(corpus, vocabulary=corpus.vocabulary[::-1]))


def test_long_histories_are_thinned_but_keep_what_was_measured():
    rows = [
        {"iteration": i, "seconds": 0.1, "n_topics_per_level": [1], "log_joint": -1.0 * i if i % 333 == 0 else None}
        for i in range(1, 2001)
    ]
    columns = data_module.history_columns(rows)
    assert len(columns["iteration"]) < 520
    assert columns["iteration"][-1] == 2000
    assert [value for value in columns["log_joint"] if value is not None] == [-333.0 * k for k in range(1, 7)]


def test_history_of_a_model_is_in_its_page(model):
    history = explorer_data(model)["history"]
    assert history["iteration"] == list(range(1, 31))
    assert history["topics"][-1] == model.history_[-1]["n_topics_per_level"]


def test_tree_without_words_and_documents_has_a_page_too():
    bare = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    data = explorer_data(bare)
    assert data["words"] == []
    assert data["topics"]["words"] == [[], []]
    assert data["documents"]["name"] == []


def test_texts_are_read_by_their_numbers(tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("one\ntwo\nthree\n", encoding="utf-8")
    assert read_texts(lines, {0, 2}) == {0: "one", 2: "three"}
    matrix = tmp_path / "counts.ldac"
    matrix.write_text("1 0:1\n", encoding="utf-8")
    assert read_texts(matrix, {0}) == {}


@pytest.mark.parametrize(("name", "value"), [("n_words", 0), ("n_documents", -1), ("min_docs", -1)])
def test_bad_numbers_are_refused_by_name(tree, name, value):
    with pytest.raises(ValueError, match=name):
        explorer_data(tree, **{name: value})
