"""``fit --hold-out`` and ``evaluate --held-out``: the installed command in its own folder."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import topicgrove
from tests.cli.conftest import write_texts

INSTALLED = Path(sys.executable).parent / "topicgrove"
FIT = ("fit", "texts.jsonl", "-o", "m.grove", "--iterations", 4, "--seed", 2, "--threads", 1)


def run(folder, *arguments, code=0):
    done = subprocess.run([INSTALLED, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make documents, and a model of nine tenths of them."""
    folder = tmp_path_factory.mktemp("held out")
    write_texts(folder / "texts.jsonl", n_docs=120)
    done = run(folder, *FIT, "--hold-out", "10%")
    (folder / "stderr").write_text(done.stderr)
    (folder / "stdout").write_text(done.stdout)
    return folder


def test_a_tenth_is_held_out_measured_and_found_again(folder):
    model = topicgrove.load(folder / "m.grove")
    assert (len(model.paths_), len(model.held_out_)) == (108, 12)
    perplexity = model.history_[-1]["perplexity"]
    assert f"perplexity of 12 documents held out: {perplexity:.0f}" in (folder / "stdout").read_text()
    (hint,) = [line for line in (folder / "stderr").read_text().splitlines() if "evaluate" in line]
    command = shlex.split(hint, comments=True)
    assert command == ["topicgrove", "evaluate", "m.grove", "texts.jsonl", "--held-out"]
    report = json.loads(run(folder, *command[1:], "--json", "--class-field", "label_path").stdout)
    assert (report["n_docs"], report["n_trained_on"], report["classes"]["n_docs"]) == (12, 0, [12, 12])
    corpus = topicgrove.read_corpus(folder / "texts.jsonl", vocabulary=model.tree_.vocabulary, rules=model.rules_)
    assert report["perplexity"] == model.perplexity(corpus.take(model.held_out_), random_state=0)


@pytest.mark.parametrize("part", ["0.1", "12", " 10 % "])
def test_a_part_can_be_given_in_any_way(folder, tmp_path, part):
    write_texts(tmp_path / "texts.jsonl", n_docs=120)
    run(tmp_path, *FIT, "--hold-out", part, "-q")
    ours, theirs = topicgrove.load(tmp_path / "m.grove"), topicgrove.load(folder / "m.grove")
    assert (ours.held_out_ == theirs.held_out_).all()
    assert (ours.token_levels_ == theirs.token_levels_).all()


def test_documents_of_training_are_recognised(folder, tmp_path):
    warned = run(folder, "evaluate", "m.grove", "texts.jsonl").stderr
    assert "trained on 108 of these 120 documents, so the perplexity is optimistic; --held-out measures" in warned
    lines = (folder / "texts.jsonl").read_text().splitlines(keepends=True)
    model = topicgrove.load(folder / "m.grove")
    (tmp_path / "old.jsonl").write_text("".join(lines[d] for d in reversed(range(120)) if d not in model.held_out_))
    warned = run(tmp_path, "evaluate", folder / "m.grove", "old.jsonl").stderr
    assert "the model was trained on these documents" in warned
    write_texts(tmp_path / "new.jsonl", n_docs=120, seed=5)
    new = run(tmp_path, "evaluate", folder / "m.grove", "new.jsonl")
    assert "optimistic" not in new.stderr
    with (tmp_path / "new.jsonl").open("a") as file:
        file.writelines(lines[d] for d in range(40) if d not in model.held_out_)
    warned = run(tmp_path, "evaluate", folder / "m.grove", "new.jsonl").stderr
    assert "documents have the words of a document of training" in warned
    assert "optimistic" not in run(tmp_path, "evaluate", folder / "m.grove", "old.jsonl", "--no-perplexity").stderr


def test_the_store_of_the_same_documents_will_do(folder, tmp_path):
    run(tmp_path, "corpus", "build", folder / "texts.jsonl", "-o", "store", "--class-field", "label_path", "-q")
    report = json.loads(run(tmp_path, "evaluate", folder / "m.grove", "store", "--held-out", "--json").stdout)
    assert (report["n_docs"], report["classes"]["n_docs"]) == (12, [12, 12])


def test_other_documents_are_refused(folder, tmp_path):
    write_texts(tmp_path / "others.jsonl", n_docs=120, seed=9)
    write_texts(tmp_path / "fewer.jsonl", n_docs=100)
    for name in ("others.jsonl", "fewer.jsonl"):
        done = run(tmp_path, "evaluate", folder / "m.grove", name, "--held-out", code=2)
        assert f"{name}: these are not the 120 documents" in done.stderr


def test_a_model_of_all_documents_has_no_part_held_out(command, model, texts):
    done = command("evaluate", model, texts, "--held-out")
    assert done.code == 2
    assert "no documents were held out when it was trained; fit --hold-out 10% does" in done.err
    assert "give others, or hold some out with fit --hold-out 10%" in command("evaluate", model, texts).err


@pytest.mark.parametrize("part", ["0", "0%", "100%", "1.0", "-5", "ten", "", "nan", "inf", "80", "1e400%"])
def test_parts_that_make_no_sense_are_refused(command, texts, tmp_path, part):
    done = command("fit", texts, "-o", tmp_path / "m", "--iterations", 2, "--hold-out", part, "-q")
    assert done.code == 2
    assert done.err.startswith("topicgrove: error: ")
    assert "hold" in done.err
    assert not (tmp_path / "m").exists()


def test_documents_are_held_out_in_one_way_only(command, texts, new_texts, tmp_path):
    done = command("fit", texts, "-o", tmp_path / "m", "--hold-out", "10%", "--held-out", new_texts)
    assert done.code == 2
    assert "--hold-out takes documents out of INPUT, --held-out takes others: give one of them" in done.err


def test_a_config_file_may_hold_documents_out(command, texts, tmp_path):
    (tmp_path / "run.toml").write_text("hold-out = 0.25\niterations = 2\n")
    done = command("fit", texts, "-o", tmp_path / "m.grove", "--config", tmp_path / "run.toml", "--json")
    facts = json.loads(done.out)
    assert (facts["n_docs"], facts["n_held_out"]) == (60, 20)
    assert facts["held_out_perplexity"] > 1
    assert json.loads(command("info", tmp_path / "m.grove", "--json").out)["n_held_out"] == 20


def test_the_page_has_the_texts_of_the_documents_trained_on(folder):
    run(folder, "explore", "m.grove", "-o", "m.html", "--corpus", "texts.jsonl")
    page = (folder / "m.html").read_text()
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    lines = [json.loads(line) for line in (folder / "texts.jsonl").read_text().splitlines()]
    text_of = {line["id"]: line["text"] for line in lines}
    documents = data["documents"]
    shown = [
        (name, "".join(map(str, text[0])))
        for name, text in zip(documents["name"], documents["text"], strict=True)
        if text is not None
    ]
    assert len(shown) > 5
    for name, text in shown:
        assert text_of[name].startswith(text.rstrip("…")[:30]), name
    held_out = topicgrove.load(folder / "m.grove").held_out_
    assert not {f"doc-{d}" for d in held_out} & set(documents["name"])
