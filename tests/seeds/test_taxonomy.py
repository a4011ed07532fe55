"""What users may write as seeds, and which words of a corpus it finds."""

from typing import Any

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.corpus import TextRules
from topicgrove.seeds.pinned import pin
from topicgrove.seeds.taxonomy import find_words, read_taxonomy

TEXTS = ["the moon and a rocket", "a rocket in orbit", "a goal for the team", "the team in a match"] * 5


@pytest.mark.parametrize(
    ("seeds", "error", "message"),
    [
        (["game"], TypeError, "seeds must be a dict from names of topics to their words; got ['game']"),
        ({}, ValueError, "seeds has no topics"),
        ({"words": ["a"]}, ValueError, "seeds['words'] would be words of the root"),
        ({"a": "game"}, TypeError, "seeds['a'] must be a list of words; got 'game'"),
        ({"a": {"words": "game"}}, TypeError, "seeds['a']['words'] must be a list of words; got 'game'"),
        ({"a": {"b": 3}}, TypeError, "seeds['a']['b'] must be a list of words; got 3"),
        ({"a": [1.5]}, TypeError, "seeds['a']: words must be text, or numbers of columns; got 1.5"),
        ({"a": []}, ValueError, "seeds['a'] has neither words nor topics"),
        ({"a": {"b": {}}}, ValueError, "seeds['a']['b'] has neither words nor topics"),
        ({" ": ["a"]}, TypeError, "seeds[' ']: the name of a topic must be text that is not blank"),
        ({4: ["a"]}, TypeError, "seeds[4]: the name of a topic"),
        ({"a": {"b": {"c": ["d"]}}}, ValueError, "seeds: 'a' > 'b' > 'c' is on level 3, but the last level is 2"),
    ],
)
def test_other_seeds_are_refused_with_their_place(seeds: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        HierarchicalLDA(3, seeds=seeds).fit(TEXTS)
    assert message in str(caught.value)


@pytest.mark.parametrize("weight", [0, 20_000, 1.5])
def test_other_weights_are_refused(weight: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="seed_weight must be"):
        HierarchicalLDA(3, seeds={"a": ["moon"]}, seed_weight=weight).fit(TEXTS)


def test_too_few_topics_for_the_seeds_are_refused() -> None:
    seeds = {"space": ["moon"], "sports": {"ball games": ["goal"]}}
    with pytest.raises(ValueError, match="max_topics must be at least 10 with these seeds; got 9"):
        HierarchicalLDA(4, seeds=seeds, max_topics=9).fit(TEXTS)
    assert len(HierarchicalLDA(4, seeds=seeds, max_topics=10, n_iter=5).fit(TEXTS).tree_) <= 10


def test_unknown_words_are_named_in_one_warning_that_points_at_the_caller() -> None:
    seeds = {"space": {"words": ["moon", "nasa"], "shuttle": ["crew"]}}
    with pytest.warns(UserWarning, match="^seeds") as caught:
        HierarchicalLDA(3, seeds=seeds, n_iter=2, random_state=0).fit(TEXTS)
    assert [str(warning.message) for warning in caught] == [
        "seeds: 2 of 3 words are not in the vocabulary and left out: 'nasa' ('space'), 'crew' ('space > shuttle')"
    ]
    assert caught[0].filename == __file__


def test_a_long_list_of_unknown_words_is_cut() -> None:
    topics = read_taxonomy({"a": [f"w{i}" for i in range(30)]})
    with pytest.warns(UserWarning, match="'w19' \\('a'\\), and 10 more$"):
        find_words(topics, Corpus.from_texts(TEXTS))


def test_words_are_read_by_the_rules_of_the_texts() -> None:
    corpus = Corpus.from_texts(["New York is big", "new york has Cafes"], rules=TextRules(ngram_range=(1, 2)))
    found = find_words(read_taxonomy({"a": ["New York", "CAFES"]}), corpus)
    assert [corpus.vocabulary[word] for word in found[0]] == ["new york", "cafes"]


def test_numbers_of_columns_are_words_of_counts() -> None:
    corpus = Corpus.from_matrix(np.eye(4, dtype=int))
    with pytest.warns(UserWarning, match="1 of 3 words are not in the vocabulary and left out: 4 "):
        found = find_words(read_taxonomy({"a": [1, 3, 4]}), corpus)
    assert found[0].tolist() == [1, 3]
    with pytest.raises(ValueError, match="X has no words, only numbers of columns"):
        find_words(read_taxonomy({"a": ["moon"]}), corpus)


def test_every_last_topic_has_a_pinned_document_with_the_words_above_it_once() -> None:
    topics = read_taxonomy({"a": {"words": [1], "b": [2], "c": {"d": [3, 0]}}, "e": [1]})
    pinned = pin(topics, [np.array(topic.words, np.int64) for topic in topics], 2)
    documents = np.split(np.stack([pinned.words, pinned.levels], axis=1), pinned.offsets[1:-1])
    assert [document.tolist() for document in documents] == [
        [[1, 1], [1, 1], [2, 2], [2, 2]],
        [[0, 3], [0, 3], [3, 3], [3, 3]],
        [[1, 1], [1, 1]],
    ]
    assert pinned.document.tolist() == [0, 0, 1, 1, 2]
    assert [key.tolist() for key in pinned.keys(4)] == [[0, 0, 4], [1, 2, 7], [5, 3, 7]]
