"""Documents that share an id are kept, with one warning."""

import json
import warnings

import pytest

from topicgrove.corpus import Corpus, build_store, open_store, read_corpus

IDS = ["oak", "elm", "ash", "elm", "oak", "elm"]
MESSAGE = "3 documents have the id of an earlier one; the first is document 3 with 'elm', the id of document 1"


@pytest.fixture
def repeating(tmp_path):
    path = tmp_path / "trees.jsonl"
    path.write_text("".join(json.dumps({"id": name, "text": "an old tree"}) + "\n" for name in IDS))
    return path


def test_reading_warns_once_where_the_reader_is_called(repeating):
    with pytest.warns(UserWarning, match=f"trees.jsonl: {MESSAGE}") as caught:
        corpus = read_corpus(repeating)
    assert [warning.filename for warning in caught] == [__file__]
    assert list(corpus.ids) == IDS


def test_building_a_store_warns_once_where_it_is_called(repeating, tmp_path):
    with pytest.warns(UserWarning, match=f"trees.jsonl: {MESSAGE}") as caught:
        corpus = build_store(repeating, tmp_path / "store")
    assert [warning.filename for warning in caught] == [__file__]
    assert list(corpus.ids) == IDS


def test_a_store_that_was_warned_of_is_opened_in_silence(repeating, tmp_path):
    with pytest.warns(UserWarning, match="elm"):
        build_store(repeating, tmp_path / "store")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert open_store(tmp_path / "store").n_docs == 6


def test_texts_in_memory_warn_once_where_they_are_given():
    with pytest.warns(UserWarning, match=f"texts: {MESSAGE}") as caught:
        Corpus.from_texts(["an old tree"] * 6, ids=IDS)
    assert [warning.filename for warning in caught] == [__file__]


def test_a_number_given_as_an_id_may_be_that_of_a_document_without_one():
    with pytest.warns(UserWarning, match="the first is document 1 with '1', the id of document 0"):
        Corpus.from_texts(["tree", "leaf"], ids=["1", None])


def test_ids_that_differ_warn_of_nothing():
    Corpus.from_texts(["tree", "leaf"], ids=["", " "])
