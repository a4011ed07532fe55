"""Hints: what commands tell people besides results, and where."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import topicgrove
from tests.cli.conftest import write_texts
from topicgrove.tree.outline import Screenful, screenful

INSTALLED = Path(sys.executable).parent / "topicgrove"


def run(folder, *arguments, code=0):
    done = subprocess.run([INSTALLED, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def hinted(printed):
    """The commands that are hinted at, as lists of words."""
    lines = printed.partition("What to do next:\n")[2].splitlines()
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize(
    ("options", "third"),
    [((), "evaluate"), (("--checkpoint", "the run"), "resume"), (("--held-out", "others $HOME.jsonl"), "evaluate")],
)
def test_fit_ends_with_three_commands_that_run(tmp_path, options, third):
    write_texts(tmp_path / "my texts.jsonl")
    write_texts(tmp_path / "others $HOME.jsonl", n_docs=9, seed=1)
    done = run(tmp_path, "fit", "my texts.jsonl", "-o", "my model.grove", "--iterations", 3, *options)
    assert "topicgrove " not in done.stdout
    commands = hinted(done.stderr)
    assert [command[:2] for command in commands] == [["topicgrove", name] for name in ("show", "explore", third)]
    for command in commands:
        run(tmp_path, *command[1:])
    assert (tmp_path / "my model.html").stat().st_size > 1000
    if "--held-out" in options:
        assert commands[2][3] == "others $HOME.jsonl"


def test_hints_read_documents_as_fit_did(tmp_path):
    write_texts(tmp_path / "texts.jsonl")
    renamed = (tmp_path / "texts.jsonl").read_text().replace('"text"', '"body"')
    (tmp_path / "texts.jsonl").write_text(renamed)
    done = run(tmp_path, "fit", "texts.jsonl", "-o", "-m.grove", "--iterations", 2, "--text-field", "body")
    for command in hinted(done.stderr):
        run(tmp_path, *command[1:])


def test_resume_hints_at_more_sweeps(command, texts, tmp_path):
    checkpoints = tmp_path / "checkpoints"
    command("fit", texts, "-o", tmp_path / "m", "--iterations", 2, "--checkpoint", checkpoints, "-q")
    commands = hinted(command("resume", checkpoints, "-o", tmp_path / "m", "--iterations", 3).err)
    assert commands[2][:3] == ["topicgrove", "resume", str(checkpoints)]
    assert commands[2][-1] == "103"


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_scripts_get_no_hints(command, texts, tmp_path, option):
    done = command("fit", texts, "-o", tmp_path / "m", "--iterations", 2, option)
    assert "next" not in done.out + done.err


def test_old_name_of_class_field_is_accepted(command, model, texts, tmp_path):
    new = json.loads(command("evaluate", model, texts, "--class-field", "label_path", "--json").out)
    old = json.loads(command("evaluate", model, texts, "--label-field", "label_path", "--json").out)
    assert old == new
    for name in ("--label-field", "--class-field"):
        done = command("corpus", "build", texts, "-o", tmp_path / name, name, "label_path", "--json")
        assert "labels" in json.loads(command("corpus", "info", tmp_path / name, "--json").out)["columns"], done.err
    both = command("evaluate", model, texts, "--class-field", "label_path", "--label-field", "label_path")
    assert both.code == 2
    assert "--label-field is the old name of --class-field" in both.err
    assert "--label-field" not in command("evaluate", "--help").out


@pytest.fixture
def bushy(tmp_path):
    """Make a model of a root, 40 topics and a leaf below each, the largest first."""
    corpus = topicgrove.Corpus.from_documents([[i % 7] for i in range(820)], vocabulary=[f"word{i}" for i in range(7)])
    model = topicgrove.HierarchicalLDA(3, n_iter=1, init="none", random_state=0, n_jobs=1).fit(corpus)
    sizes = np.arange(40, 0, -1)
    counts = np.zeros((81, 7), np.int64)
    counts[:, 0] = 1
    counts = sparse.csr_array(counts)
    model.tree_ = topicgrove.TopicTree(
        np.r_[-1, np.zeros(40, int), np.arange(1, 41)],
        np.r_[0, np.ones(40, int), np.full(40, 2)],
        np.r_[820, sizes, sizes],
        np.ones(81, int),
        word_counts=counts,
        vocabulary=[f"word{i}" for i in range(7)],
    )
    return model


def test_a_screenful_of_the_largest_topics_is_shown_on_a_terminal(command, bushy, monkeypatch):
    monkeypatch.setattr("topicgrove.load", lambda path: bushy)
    monkeypatch.setattr("topicgrove.cli.show.screen_lines", lambda: 21)
    done = command("show", "my model.grove")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert 15 <= len(lines) <= 21
    assert [f"[{topic}]" in done.out for topic in (1, 5, 30)] == [True, True, False]
    shown = sum("[" in line for line in lines)
    assert done.err == (
        f"{shown} of 81 topics. All: topicgrove show 'my model.grove' --all; the tree below one: --topic ID\n"
    )


def test_a_screen_shows_the_upper_levels_before_it_goes_deeper():
    n_docs = np.r_[300, np.full(3, 100), np.full(30, 10)]
    parent, level = np.r_[-1, np.zeros(3, int), np.repeat([1, 2, 3], 10)], np.repeat([0, 1, 2], [1, 3, 30])
    tree = topicgrove.TopicTree(parent, level, n_docs, n_docs)
    assert screenful(tree, 8) == Screenful(1, 1, 4), "rather than three lines that sum up leaves"
    assert screenful(tree, 34) == Screenful(1, 2, 34)
    assert screenful(tree, 3) == Screenful(101, 1, 1)
    assert screenful(tree, 34, min_docs=11) == Screenful(11, 1, 4)


def test_the_hint_below_one_topic_stays_there(command, bushy, monkeypatch):
    monkeypatch.setattr("topicgrove.load", lambda path: bushy)
    monkeypatch.setattr("topicgrove.cli.show.screen_lines", lambda: 21)
    done = command("show", "m.grove", "--topic", 0)
    assert "All: topicgrove show m.grove --topic 0 --all;" in done.err


@pytest.mark.parametrize("options", [("--all",), ("--min-docs", 0), ("--max-depth", 2, "--min-docs", 1)])
def test_whole_tree_is_shown_on_request(command, bushy, monkeypatch, options):
    monkeypatch.setattr("topicgrove.load", lambda path: bushy)
    monkeypatch.setattr("topicgrove.cli.show.screen_lines", lambda: 21)
    done = command("show", "m", *options)
    assert len(done.out.splitlines()) == 81
    assert done.err == ""


def test_pipes_and_json_get_a_tree_that_does_not_depend_on_the_screen(command, bushy, monkeypatch):
    monkeypatch.setattr("topicgrove.load", lambda path: bushy)
    piped = command("show", "m")
    assert sum("[" in line for line in piped.out.splitlines()) == 1 + 2 * 33  # topics of at least 8 documents
    assert piped.err == ""
    monkeypatch.setattr("topicgrove.cli.show.screen_lines", lambda: 21)
    assert len(json.loads(command("show", "m", "--json").out)["children"]) == 33
    assert len(json.loads(command("show", "m", "--json", "--all").out)["children"]) == 40


def test_all_topics_and_a_least_size_contradict_each_other(command, model):
    done = command("show", model, "--all", "--min-docs", 3)
    assert done.code == 2
    assert "--all is --min-docs 0" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_show_on_a_terminal_leaves_room_for_the_prompt(model):
    import pty

    ours, theirs = pty.openpty()
    environment = os.environ | {"LINES": "13", "COLUMNS": "70", "TERM": "dumb"}
    done = subprocess.run([INSTALLED, "show", model], stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    printed = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == 0, printed
    assert 2 <= len(printed.splitlines()) <= 12
    n_shown, n_topics = printed.count(" ["), len(topicgrove.load(model).tree_)
    assert (f"{n_shown} of {n_topics} topics. All:" in printed) == (n_shown < n_topics)
