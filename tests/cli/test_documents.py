"""Documents of a topic and topics by words, on the command line."""

import json


def test_documents_of_a_topic_come_in_pages(command, model):
    first = command("documents", model, 1, "-n", 3)
    assert first.code == 0
    assert len(first.out.splitlines()) == 3
    assert "--start 3" in first.err
    rest = json.loads(command("documents", model, 1, "-n", 1000, "--start", 3, "--json").out)
    ids = [line.split("\t")[1] for line in first.out.splitlines()] + [one["id"] for one in rest]
    assert len(ids) == len(set(ids))
    assert all(one.startswith("doc-") for one in ids)
    assert rest[0]["title"].startswith("Title ")


def test_topics_are_found_by_words_and_beginnings(command, model):
    found = command("find", model, "hock", "puck")
    assert found.code == 0
    assert "hockey" in found.out.splitlines()[0]
    assert json.loads(command("find", model, "moon", "--json").out)[0]["words"] == ["moon"]
    nothing = command("find", model, "zebra")
    assert (nothing.code, nothing.out) == (0, "")
    assert "no topic has these words" in nothing.err


def test_a_topic_that_is_not_there_is_an_error_in_one_line(command, model):
    wrong = command("documents", model, 9999)
    assert wrong.code == 2
    assert wrong.err.startswith("topicgrove: error: topic must be")
