"""``topicgrove suggest``."""

import json


def test_sizes_are_measured(command, texts, tmp_path):
    options = ("--sizes", "5,12", "--iterations", 2, "--levels", 2, "--threads", 1)
    done = command("suggest", texts, *options, "-o", tmp_path / "sizes.svg")
    assert done.code == 0
    assert "suggested:" in done.out
    assert (tmp_path / "sizes.svg").exists()
    report = json.loads(command("suggest", texts, *options, "--runs", 1, "--json").out)
    assert [row["size"] for row in report["sizes"]] == [5, 12]


def test_wrong_options_are_refused(command, texts, tmp_path):
    assert "must end in one of" in command("suggest", texts, "-o", tmp_path / "x.txt").err
    refused = command("suggest", texts, "--sizes", "a,b")
    assert (refused.code, "--sizes must be" in refused.err) == (2, True)
