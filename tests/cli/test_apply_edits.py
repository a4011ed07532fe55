"""Edits from a file, on the command line."""

import json

import pytest

from topicgrove import load


@pytest.fixture
def edits(model, tmp_path):
    def write(*edits, fingerprint=None):
        path = tmp_path / "edits.json"
        made = {"format": "topicgrove-edits", "version": 1, "edits": edits}
        path.write_text(json.dumps(made | {"model": fingerprint or load(model).tree_.fingerprint}), encoding="utf-8")
        return path

    return write


def test_edits_make_a_new_model(command, model, texts, edits, tmp_path):
    before = load(model).tree_
    path = edits({"do": "rename", "topic": 2, "name": "sport & <b>"}, {"do": "delete", "topic": 1})
    done = command("apply-edits", model, path, "-o", tmp_path / "new.grove", "--corpus", texts)
    assert (done.code, done.out) == (0, "")
    assert "2 edits applied" in done.err
    after = load(tmp_path / "new.grove").tree_
    assert len(after) < len(before)
    assert list(after.names.values()) == ["sport & <b>"]
    assert load(model).tree_.fingerprint == before.fingerprint
    assert command("show", tmp_path / "new.grove").code == 0


def test_renaming_needs_no_documents_and_deleting_says_so(command, model, edits, tmp_path):
    new = tmp_path / "new.grove"
    renamed = command("apply-edits", model, edits({"do": "rename", "topic": 1, "name": "one"}), "-o", new, "-q")
    assert (renamed.code, renamed.err) == (0, "")
    new.unlink()
    refused = command("apply-edits", model, edits({"do": "delete", "topic": 1}), "-o", new)
    assert (refused.code, "edit 1 (delete)" in refused.err, "--corpus INPUT" in refused.err) == (2, True, True)
    assert not new.exists()


def test_edits_of_another_model_are_refused(command, model, edits, tmp_path):
    refused = command("apply-edits", model, edits(fingerprint="0123"), "-o", tmp_path / "new.grove")
    assert (refused.code, "for another model" in refused.err) == (2, True)


def test_the_output_is_no_input(command, model, edits):
    assert command("apply-edits", model, edits(), "-o", model).code == 2
