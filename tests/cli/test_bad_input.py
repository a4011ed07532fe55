import gzip
import os

import numpy as np
import pytest

from topicgrove import free_memory
from topicgrove.corpus import textfiles
from topicgrove.persistence import checkpoints, models, sealed


@pytest.fixture
def fit(command, tmp_path):
    """Fit a file with the given content; a failure must leave nothing behind."""

    def run(content, name="texts.jsonl", *options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        done = command("fit", path, "-o", tmp_path / "m.grove", "--iterations", 2, "--seed", 0, "-q", *options)
        assert done.out == ""
        if done.code:
            assert done.err.startswith("topicgrove: error: ")
            assert len(done.err.splitlines()) == 1
            assert [left.name for left in tmp_path.iterdir()] == [name]
        return done

    return run


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "texts.jsonl", "texts.jsonl: no documents"),
        ('{"text": "the and of"}\n' * 3, "texts.jsonl", "no words are left"),
        ('{"text": "a tree"}\n{"text": "a le', "texts.jsonl", "texts.jsonl:2"),
        ('{"text": "a tree"}\n{"body": "leaves"}\n', "texts.jsonl", "texts.jsonl:2: no field 'text'"),
        ('{"text": "nul \\u0000 byte"}\n', "texts.jsonl", "texts.jsonl:1: text has a NUL"),
        ('{"text": "lone \\ud800 surrogate"}\n', "texts.jsonl", "texts.jsonl:1"),
        (b"fine\nbad \xff byte\n", "texts.txt", "texts.txt:2"),
        ("text,id\na tree,1\nleaves\n", "texts.csv", "texts.csv:3"),
        (gzip.compress(b"a tree\n" * 5000, mtime=0)[:-20], "texts.txt.gz", "texts.txt.gz: truncated or damaged gzip"),
        ("2\n3\n2\n1 1 1\n", "docword.x.txt", "docword.x.txt"),
        ("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 -4\n", "x.mtx", "x.mtx:3"),
        ("2 0:1 1:-3\n", "x.ldac", "x.ldac:1"),
        (b"PAR1 and no more", "x.parquet", "x.parquet: truncated or damaged"),
        ("1 0:2147483647\n", "x.ldac", "x.ldac:1: count 2147483647 is not from 1 to 16777216"),
        ('{"text": ' + "[" * 100_000 + "]" * 100_000 + "}\n", "texts.jsonl", "texts.jsonl:1: not a JSON object"),
    ],
)
def test_bad_documents_exit_2_and_name_the_place(fit, content, name, message):
    done = fit(content, name)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (
            "2147483647\n3\n1\n2147483647 1 1\n",
            "docword.x.txt",
            "docword.x.txt:1: the header says 2,147,483,647 documents",
        ),
        ("1 2147483646:1\n", "x.ldac", "X has 2,147,483,647 words"),
    ],
)
def test_claims_beyond_the_memory_exit_2_and_name_what_is_free(fit, monkeypatch, content, name, message):
    monkeypatch.setattr(free_memory, "free_memory", lambda: 2**31)
    done = fit(content, name)
    assert done.code == 2
    assert message in done.err
    assert "2.0 GiB are free" in done.err


def test_a_file_that_uses_the_memory_up_exits_74(fit, monkeypatch):
    monkeypatch.setattr(textfiles, "free_memory", lambda: 2**20)
    done = fit(gzip.compress(b"old tree\n" * 2**20, 1), "texts.txt.gz")
    assert done.code == 74
    assert "texts.txt.gz: too large for the memory that is free" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "0"], "alpha must be positive"),
        (["--alpha", "nan"], "alpha must be positive"),
        (["--beta", "1,2"], "beta must be one number or one per level (4)"),
        (["--gamma", "inf"], "gamma must be positive"),
        (["--gamma", "some"], "gamma must be a number"),
        (["--levels", "1"], "--levels"),
        (["--iterations", "0"], "--iterations"),
        (["--seed", "-1"], "--seed"),
        (["--seed", str(2**63)], "--seed"),
        (["--threads", "0"], "--threads"),
        (["--threads", "1000000"], "--threads"),
        (["--sampler", "vi"], "--sampler"),
        (["--learn", "delta"], "learn must hold"),
        (["--min-df", "many"], "min_df must be"),
        (["--min-df", "0"], "min_df must be"),
        (["--token-pattern", "("], "token_pattern"),
        (["--ngram-range", "2,1"], "ngram_range"),
        (["--unknown"], "--unknown"),
    ],
)
def test_bad_options_exit_2_and_are_named(fit, options, message):
    done = fit('{"text": "an old tree"}\n{"text": "old leaves"}\n', "texts.jsonl", *options)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    "content",
    ['{"text": "tree"}\n', '{"text": "' + "tree " * 100_000 + '"}\n{"text": "leaf"}\n', '\ufeff{"text": "tree"}\r\n'],
    ids=["one word", "long", "byte-order mark"],
)
def test_odd_documents_are_fitted(fit, content):
    assert fit(content).code == 0


def test_bad_bytes_are_replaced_on_request(fit):
    assert fit(b"fine tree\nbad \xff byte\n", "texts.txt", "--encoding-errors", "replace").code == 0


def test_some_empty_documents_are_warned_of(process, tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "old tree"}\n{"text": "the"}\n{"text": ""}\n')
    run = process("fit", path, "-o", tmp_path / "m.grove", "--iterations", 2, "-q")
    out, err = run.communicate()
    assert (run.returncode, out) == (0, "")
    assert err.startswith("topicgrove: warning: 2 of 3 documents are empty")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("kind", ["missing", "pipe", "other model"])
def test_files_that_cannot_be_read_exit_74(command, tmp_path, kind):
    path = tmp_path / "texts.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    done = command(
        "infer" if kind == "other model" else "fit",
        path,
        *([path] if kind == "other model" else []),
        "-o",
        tmp_path / "x.jsonl",
    )
    assert done.code == 74
    assert "texts.jsonl" in done.err


@pytest.mark.parametrize("cut", [0.0, 0.5, 0.99])
def test_damaged_models_exit_2(command, model, tmp_path, cut):
    whole = model.read_bytes()
    (tmp_path / "cut.grove").write_bytes(whole[: int(cut * len(whole))])
    for arguments in (["show"], ["top-words"], ["info"], ["export", "-o", tmp_path / "x.json"]):
        done = command(arguments[0], tmp_path / "cut.grove", *arguments[1:])
        assert done.code == 2
        assert "cut.grove" in done.err
    assert not (tmp_path / "x.json").exists()


def test_text_is_no_model(command, texts):
    done = command("show", texts)
    assert done.code == 2
    assert "texts.jsonl" in done.err


@pytest.mark.parametrize("name", ["nowhere/m.grove", "texts.jsonl/m.grove", "folder", "/proc/m.grove"])
def test_output_that_cannot_be_written_fails_before_anything_is_read(command, tmp_path, name):
    (tmp_path / "texts.jsonl").write_text("no JSON: reading it would exit 2")
    (tmp_path / "folder").mkdir()
    done = command("fit", tmp_path / "texts.jsonl", "-o", tmp_path / name)
    assert done.code == 74
    assert name in done.err


def test_input_is_not_overwritten(command, texts):
    before = texts.read_bytes()
    done = command("fit", texts, "-o", texts)
    assert done.code == 2
    assert texts.read_bytes() == before


def test_unknown_suffixes_exit_2(command, model, texts, tmp_path):
    assert ".nwk" in command("export", model, "-o", tmp_path / "tree.xls").err
    assert ".parquet" in command("infer", model, texts, "-o", tmp_path / "out.xls").err
    assert list(tmp_path.iterdir()) == []


def test_rules_of_text_are_refused_for_counts(command, tmp_path):
    (tmp_path / "x.ldac").write_text("1 0:2\n2 0:1 1:3\n")
    done = command("fit", tmp_path / "x.ldac", "-o", tmp_path / "m.grove", "--min-df", 2)
    assert done.code == 2
    assert "min_df can only be applied to text" in done.err


def test_model_of_counts_without_words_refuses_text(command, texts, tmp_path):
    (tmp_path / "x.ldac").write_text("1 0:2\n2 0:1 1:3\n")
    saved = tmp_path / "m.grove"
    assert command("fit", tmp_path / "x.ldac", "-o", saved, "--iterations", 2, "-q").code == 0
    assert command("infer", saved, tmp_path / "x.ldac", "-o", tmp_path / "out.jsonl").code == 0
    done = command("infer", saved, texts, "-o", tmp_path / "more.jsonl")
    assert done.code == 2
    assert "holds text" in done.err


def test_checkpoints_of_an_earlier_run_are_not_mixed_with_new_ones(command, texts, tmp_path):
    arguments = ("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 2, "--checkpoint", tmp_path / "c", "-q")
    assert command(*arguments).code == 0
    again = command(*arguments)
    assert again.code == 2
    assert "topicgrove resume" in again.err


def test_resume_without_checkpoints_exits_74(command, tmp_path):
    done = command("resume", tmp_path, "-o", tmp_path / "m.grove")
    assert done.code == 74
    assert "no checkpoint there" in done.err


def test_labels_that_are_not_there_exit_2(command, model, texts, tmp_path):
    assert "no field 'class'" in command("evaluate", model, texts, "--class-field", "class").err
    command("corpus", "build", texts, "-o", tmp_path / "store", "-q")
    done = command("evaluate", model, tmp_path / "store", "--class-field", "label_path")
    assert done.code == 2
    assert "has no classes" in done.err


def test_a_checkpoint_that_contradicts_itself_exits_2(command, texts, tmp_path):
    run = tmp_path / "run"
    command("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 2, "--checkpoint", run, "--threads", 1, "-q")
    (path,) = run.glob("checkpoint-*")
    facts, arrays = sealed.read_sealed(path, checkpoints.KIND, checkpoints.VERSION)
    arrays["layout.rapid_start"] = np.zeros_like(arrays["layout.rapid_start"])
    sealed.write_sealed(path, checkpoints.KIND, checkpoints.VERSION, facts, arrays)
    done = command("resume", run, "-o", tmp_path / "more.grove", "--iterations", 4)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert f"{path.name}: the checkpoint contradicts itself: rapid_start" in done.err


def test_a_pattern_that_might_take_forever_is_asked_for(command, model, tmp_path):
    facts, arrays = sealed.read_sealed(model, models.KIND, models.VERSION)
    facts["rules"]["token_pattern"] = "(a+)+$"
    doubtful, documents = tmp_path / "doubtful.grove", tmp_path / "new.txt"
    sealed.write_sealed(doubtful, models.KIND, models.VERSION, facts, arrays)
    documents.write_text("moon orbit " + "a" * 60 + "!\n")
    assert command("show", doubtful).code == 0
    for arguments in (["infer", doubtful, documents, "-o", tmp_path / "out.jsonl"], ["evaluate", doubtful, documents]):
        done = command(*arguments)
        assert done.code == 2
        assert "--token-pattern" in done.err
    done = command("infer", doubtful, documents, "-o", tmp_path / "out.jsonl", "--token-pattern", r"\w+")
    assert done.code == 0
    assert "1 of 3 words are unknown" in done.err


def test_repeated_ids_are_warned_of_in_one_line(process, tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"id": "oak", "text": "old tree"}\n' * 3)
    run = process("corpus", "build", path, "-o", tmp_path / "store", "-q")
    out, err = run.communicate()
    assert (run.returncode, out) == (0, "")
    assert err.startswith(f"topicgrove: warning: {path}: 2 documents have the id of an earlier one; the first is")
    assert len(err.splitlines()) == 1
