"""Files of edits: the form agreed with the page, ids of before all edits, and kind refusals."""

import json

import pytest

from topicgrove.edit.edits import read_edits


@pytest.fixture
def write(model, tmp_path):
    def write(edits, **changes):
        made = {"format": "topicgrove-edits", "version": 1, "model": model.tree_.fingerprint, "edits": edits}
        path = tmp_path / "edits.json"
        path.write_text(json.dumps(made | changes), encoding="utf-8")
        return path

    return write


def test_ids_are_those_before_all_edits(model, corpus, check, write):
    a, b, c = model.tree_.children[0][:3].tolist()
    leaf = int(model.tree_.children[c][0])
    words = model.tree_.top_words(leaf)
    done = model.apply_edits(
        write(
            [
                {"do": "merge", "topics": [a, b], "into": b},
                {"do": "rename", "topic": b, "name": "both"},
                {"do": "rename", "topic": leaf, "name": "still here"},
                {"do": "move", "topic": leaf, "parent": b},
            ]
        ),
        corpus=corpus,
    )
    check(model)
    assert done == 4
    named = {name: topic for topic, name in model.tree_.names.items()}
    assert model.tree_.parent[named["still here"]] == named["both"]
    assert set(model.tree_.top_words(named["still here"])) & set(words)


def test_a_topic_that_an_earlier_edit_removed_is_refused_with_that_edits_number(model, corpus, write):
    before = model.tree_
    edits = [
        {"do": "rename", "topic": 0, "name": "all"},
        {"do": "delete", "topic": 1},
        {"do": "rename", "topic": 1, "name": "gone"},
    ]
    with pytest.raises(ValueError, match=r"edit 3 \(rename\): topic 1 is gone: edit 2 deleted it"):
        model.apply_edits(write(edits), corpus=corpus)
    assert model.tree_ is before
    merged = [{"do": "merge", "topics": [1, 2], "into": 1}, {"do": "split", "topic": 2, "into": 2}]
    with pytest.raises(ValueError, match="edit 1 merged it into 1"):
        model.apply_edits(write(merged), corpus=corpus)


def test_another_models_edits_are_refused(model, write):
    with pytest.raises(ValueError, match="these edits are for another model: their fingerprint is 'abc'"):
        model.apply_edits(write([], model="abc"))
    edits = write([{"do": "rename", "topic": 1, "name": "one"}])
    assert model.apply_edits(edits) == 1
    assert model.apply_edits(edits) == 1, "names do not change the fingerprint"
    model.merge_topics([1, 2])
    with pytest.raises(ValueError, match="for another model"):
        model.apply_edits(edits)


def test_undo_takes_a_whole_list_back(model, corpus, write):
    before = model.tree_
    model.apply_edits(write([{"do": "delete", "topic": 1}, {"do": "delete", "topic": 2}]), corpus=corpus)
    model.undo_edits()
    assert model.tree_ is before


@pytest.mark.parametrize(
    ("edits", "changes", "message"),
    [
        ([], {"format": "other"}, 'whose "format" is "topicgrove-edits"'),
        ([], {"version": 2}, "version 2 of edits; this program reads version 1"),
        ([], {"version": True}, "version True"),
        ([], {"model": 7}, '"model" must be the fingerprint'),
        ({}, {}, '"edits" must be a list'),
        ([7], {}, 'edit 1: "do" must be one of merge, move'),
        ([{"do": "explode"}], {}, 'edit 1: "do" must be one of'),
        ([{"do": ["merge"]}], {}, 'edit 1: "do" must be one of'),
        ([{"do": "delete"}], {}, 'edit 1: delete needs "topic"'),
        ([{"do": "delete", "topic": 1, "\x1b[2J": 1}], {}, r"delete has '\\x1b\[2J', which is no part of it"),
        ([{"do": "delete", "topic": "1"}], {}, r"edit 1 \(delete\): topic must be a whole number"),
        ([{"do": "delete", "topic": 1.0}], {}, "topic must be a whole number"),
        ([{"do": "delete", "topic": 10**30}], {}, "topic must be between 0 and"),
        ([{"do": "merge", "topics": "12", "into": 1}], {}, "topics must be a list of ids"),
        ([{"do": "rename", "topic": 1, "name": None}], {}, "a name must be a string"),
        ([{"do": "rename", "topic": 1, "name": " \n"}], {}, "a name must not be blank"),
    ],
)
def test_damaged_edits_are_refused(model, write, edits, changes, message):
    before = model.tree_
    with pytest.raises(ValueError, match=message):
        model.apply_edits(write(edits, **changes))
    assert model.tree_ is before


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{\n]", "edits.json:2: not JSON"),
        (b"\xff\xff", "not UTF-8"),
        (b"[" * 100_000, "too deep"),
        (b'{"version": ' + b"9" * 10_000 + b"}", "numbers too long"),
        (b"[]", "not a file of edits"),
    ],
)
def test_files_that_are_no_edits_are_refused(tmp_path, data, message):
    path = tmp_path / "edits.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_edits(path, "abc")
