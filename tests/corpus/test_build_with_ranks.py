"""``corpus build`` under mpiexec: the same bytes as from one process, or nothing at all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from topicgrove.corpus import build_store, textfiles

pytest.importorskip("mpi4py")

MPIEXEC = Path(sys.executable).with_name("mpiexec")
SMALL_BLOCKS = """
import sys
from topicgrove.cli import main
from topicgrove.corpus import folders, tables, textfiles
textfiles._CHUNK_BYTES = tables._BLOCK_CHARACTERS = folders._BLOCK_BYTES = int(sys.argv.pop(1))
main()
"""


@pytest.fixture
def build(tmp_path):
    if not MPIEXEC.exists():
        pytest.skip("there is no mpiexec beside the interpreter")

    def run(n_ranks, *arguments, chunk=3000):
        command = [MPIEXEC, "-n", str(n_ranks), sys.executable, "-c", SMALL_BLOCKS, str(chunk), "corpus", "build"]
        return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=300)

    return run


@pytest.fixture
def texts(tmp_path):
    """Write documents, some of them named, in about thirty blocks."""
    rng = np.random.default_rng(0)
    path = tmp_path / "docs.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for d in range(400):
            words = " ".join(f"word{w % 3000}" for w in rng.zipf(1.2, rng.integers(0, 60))) + " hong kong" * (
                d % 7 == 0
            )
            record = {"text": words + (" Bäume" if d % 9 == 0 else ""), "path": [f"l{d % 3}", "x"]}
            file.write(json.dumps(record | ({"id": f"doc{d}"} if d % 2 else {})) + "\n")
    return path


def contents(store):
    return {file.name: file.read_bytes() for file in store.iterdir()}


@pytest.mark.parametrize("n_ranks", [2, 3])
def test_ranks_make_the_same_bytes_as_one_process(build, texts, tmp_path, monkeypatch, n_ranks):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 3000)
    rules = {"max_features": 300, "min_df": 1, "phrases": n_ranks == 2}
    build_store(texts, tmp_path / "alone", titles=True, class_field="path", n_jobs=1, **rules)
    options = ["--class-field", "path", "--max-features", 300, "--min-df", 1, "--threads", 2]
    options += ["--phrases"] if n_ranks == 2 else []
    done = build(n_ranks, texts, "-o", tmp_path / "store", *options, "--json")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "store") == contents(tmp_path / "alone")
    assert json.loads(done.stdout)["n_docs"] == 400
    assert sorted(os.listdir(tmp_path)) == ["alone", "docs.jsonl", "store"]


def test_more_ranks_than_blocks(build, tmp_path):
    path = tmp_path / "docs.txt"
    path.write_text("an old tree\nold leaves\n")
    build_store(path, tmp_path / "alone", titles=True)
    done = build(3, path, "-o", tmp_path / "store", "-q")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "store") == contents(tmp_path / "alone")


def test_counts_are_copied_by_one_rank(build, tmp_path):
    path = tmp_path / "docword.a.txt"
    path.write_text("2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n")
    build_store(path, tmp_path / "alone")
    done = build(2, path, "-o", tmp_path / "store", "-q")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "store") == contents(tmp_path / "alone")


@pytest.mark.parametrize("line", [20, 390])
def test_a_bad_line_is_named_and_leaves_nothing_whichever_rank_meets_it(build, texts, tmp_path, line):
    lines = texts.read_text().splitlines()
    lines[line - 1] = '{"text": 5}'
    texts.write_text("\n".join(lines))
    done = build(3, texts, "-o", tmp_path / "store", "-q")
    assert done.returncode == 2
    assert f"{texts}:{line}: text is 5; it must be a string" in done.stderr
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == ["docs.jsonl"]


def test_a_file_that_is_not_there_ends_all_ranks(build, tmp_path):
    done = build(2, tmp_path / "none.jsonl", "-o", tmp_path / "store", "-q")
    assert done.returncode == 74
    assert "none.jsonl" in done.stderr
    assert os.listdir(tmp_path) == []


def test_a_store_that_is_there_is_refused(build, texts, tmp_path):
    (tmp_path / "store").mkdir()
    done = build(2, texts, "-o", tmp_path / "store", "-q")
    assert done.returncode == 74
    assert done.stderr.count("--overwrite would replace it") == 1
