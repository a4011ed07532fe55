"""Two models side by side, on the command line."""

import json


def test_a_model_compared_with_itself_has_no_differences(command, model, tmp_path):
    shown = command("compare", model, model, "-o", tmp_path / "pairs.json")
    assert shown.code == 0
    assert "only in the first: 0" in shown.out
    pairs = json.loads((tmp_path / "pairs.json").read_text(encoding="utf-8"))["matches"]
    assert all(pair["a"] == pair["b"] for pair in pairs if pair["documents"] == 1 and pair["words"] > 0.999)
    assert json.loads(command("compare", model, model, "--json").out)["vanished"] == []


def test_the_output_must_be_json(command, model, tmp_path):
    wrong = command("compare", model, model, "-o", tmp_path / "pairs.txt")
    assert (wrong.code, "must end in .json" in wrong.err) == (2, True)
