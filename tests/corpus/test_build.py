"""Building a store: the same corpus as in memory, in bounded memory, or nothing at all."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove.corpus import build_store, open_store, read_corpus, read_uci, textfiles


def assert_same(one, other):
    assert one.words.tolist() == other.words.tolist()
    assert one.offsets.tolist() == other.offsets.tolist()
    for field in ("n_words", "vocabulary", "ids", "titles", "classes", "rules"):
        assert getattr(one, field) == getattr(other, field), field


def records(n_docs, seed=0):
    rng = np.random.default_rng(seed)
    for d in range(n_docs):
        words = [f"word{w % 3000}" for w in rng.zipf(1.2, rng.integers(0, 60))]
        yield {"id": f"doc{d}", "text": " ".join(words) + (" Bäume" if d % 9 == 0 else ""), "path": [f"l{d % 3}", "x"]}


@pytest.fixture
def jsonl(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records(1500)))
    return path


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_store_equals_the_corpus_in_memory_whatever_the_threads_and_blocks(jsonl, tmp_path, monkeypatch, n_jobs):
    options = {"titles": True, "class_field": "path", "max_features": 500}
    expected = read_corpus(jsonl, n_jobs=1, **options)
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 5000)
    built = build_store(jsonl, tmp_path / "store", n_jobs=n_jobs, **options)
    assert_same(built, expected)
    assert_same(open_store(tmp_path / "store"), expected)


def test_counts_are_those_of_count_vectorizer(jsonl, tmp_path):
    built = build_store(jsonl, tmp_path / "store", min_df=3, max_df=0.4, stop_words=None, clean=None)
    vectorizer = CountVectorizer(min_df=3, max_df=0.4)
    X = vectorizer.fit_transform([json.loads(line)["text"] for line in jsonl.read_text().splitlines()])
    assert built.vocabulary == tuple(vectorizer.get_feature_names_out())
    assert (built.to_csr() != X).nnz == 0


def test_counts_become_a_store_too(tmp_path):
    (tmp_path / "docword.a.txt").write_text("2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n")
    assert_same(build_store(tmp_path / "docword.a.txt", tmp_path / "store"), read_uci(tmp_path / "docword.a.txt"))


def test_the_manifest_names_source_and_rules(jsonl, tmp_path):
    build_store(jsonl, tmp_path / "store", min_df=3)
    manifest = json.loads((tmp_path / "store" / "manifest.json").read_text())
    assert manifest["source"] == "docs.jsonl"
    assert manifest["rules"]["min_df"] == 3
    assert set(manifest["files"]) == {"words.bin", "offsets.bin", "ids.bin", "ids.offsets.bin", "vocabulary.json"}


def test_progress_is_told(jsonl, tmp_path, monkeypatch):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 20_000)
    told = []
    build_store(jsonl, tmp_path / "store", progress=lambda n_docs, n_bytes: told.append((n_docs, n_bytes)))
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == (1500, jsonl.stat().st_size)


class Stages:
    """Remembers the stages of a build."""

    def __init__(self):
        self.told = []

    def on_stage(self, event):
        self.told.append(event)

    def of(self, stage):
        return [event for event in self.told if event.stage == stage]


def test_all_stages_are_told(jsonl, tmp_path, monkeypatch):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 20_000)
    stages = Stages()
    build_store(jsonl, tmp_path / "store", progress=stages)
    assert list(dict.fromkeys(event.stage for event in stages.told)) == ["reading", "choosing words", "writing"]
    for stage in ("reading", "writing"):
        shares = [event.share for event in stages.of(stage)]
        assert shares == sorted(shares)
        assert 0 < shares[0] < shares[-1] == 1
        assert stages.of(stage)[-1].n_docs == 1500


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
def test_share_of_a_file_is_by_its_bytes_on_disk(tmp_path, monkeypatch, pack):
    """Random words hardly compress, so all kinds of files advance evenly; the file is much larger than a buffer."""
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 20_000)
    rng = np.random.default_rng(0)
    lines = [rng.bytes(300).hex() for _ in range(5000)]
    path = tmp_path / "docs.txt"
    path.write_bytes(pack("\n".join(lines).encode()))
    stages = Stages()
    read_corpus(path, progress=stages, min_df=1, clean=None)
    for event in stages.of("reading"):
        assert event.share == pytest.approx(event.n_docs / 5000, abs=0.15)
    assert stages.of("reading")[-1].share == 1


@pytest.mark.parametrize("kind", ["folder", "csv", "parquet"])
def test_other_sources_tell_their_share_too(tmp_path, kind):
    path = tmp_path / f"docs.{kind}"
    texts = [f"tree {i} " * 3000 for i in range(2000)]
    if kind == "folder":
        path.mkdir()
        for i, text in enumerate(texts[:1500]):
            (path / f"{i}.txt").write_text(text[:500])
    elif kind == "csv":
        path.write_text("text\n" + "\n".join(text[:2000] for text in texts))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"text": [text[:10] for text in texts]}), path)
    stages = Stages()
    read_corpus(path, progress=stages, min_df=1)
    shares = [event.share for event in stages.of("reading")]
    assert len(shares) > 1
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fault_in_the_middle_leaves_nothing_behind(jsonl, tmp_path, monkeypatch, n_jobs):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 5000)
    with jsonl.open("a") as file:
        file.write('{"text": "cut')
    with pytest.raises(ValueError, match=r"docs\.jsonl:1501: not a JSON object"):
        build_store(jsonl, tmp_path / "store", n_jobs=n_jobs)
    assert os.listdir(tmp_path) == ["docs.jsonl"]


def test_interrupt_leaves_nothing_behind(jsonl, tmp_path, monkeypatch):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 5000)

    def interrupt(n_docs, n_bytes):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_store(jsonl, tmp_path / "store", progress=interrupt)
    assert os.listdir(tmp_path) == ["docs.jsonl"]


def test_no_words_left_leaves_nothing_behind(tmp_path):
    (tmp_path / "docs.txt").write_text("the\nand\n")
    with pytest.raises(ValueError, match="no words are left"):
        build_store(tmp_path / "docs.txt", tmp_path / "store")
    assert os.listdir(tmp_path) == ["docs.txt"]


def test_existing_store_is_refused_before_anything_is_read(jsonl, tmp_path):
    build_store(jsonl, tmp_path / "store")
    with pytest.raises(FileExistsError, match="overwrite"):
        build_store(jsonl, tmp_path / "store", progress=pytest.fail)
    assert build_store(jsonl, tmp_path / "store", overwrite=True, min_df=1).n_docs == 1500


def test_real_corpus_has_the_counts_of_count_vectorizer(tmp_path):
    path = Path(__file__).parents[2].parent / "shared" / "data" / "arxiv_dev" / "arxiv_dev.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared corpora are not here")
    built = build_store(path, tmp_path / "store", class_field="label_path", clean=None)
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    vectorizer = CountVectorizer(stop_words="english", min_df=5, max_df=0.5)
    X = vectorizer.fit_transform([line["text"] for line in lines])
    assert built.vocabulary == tuple(vectorizer.get_feature_names_out())
    assert (built.to_csr() != X).nnz == 0
    assert built.ids == [line["id"] for line in lines]
    assert built.classes == tuple(tuple(line["label_path"]) for line in lines)


MEASURE = """
import resource, sys
from topicgrove.corpus import Corpus, build_store
Corpus.from_texts(["machine code is ready"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
corpus = build_store(sys.argv[1], sys.argv[2])
print(corpus.n_docs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    lines = "".join(json.dumps(record) + "\n" for record in records(2000)).encode()
    with open(tmp_path / "docs.jsonl", "wb") as file:
        n_copies = 300_000_000 // len(lines)
        for _ in range(n_copies):
            file.write(lines)
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "docs.jsonl"), str(tmp_path / "store")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    n_docs, kilobytes = map(int, done.stdout.split())
    assert n_docs == 2000 * n_copies
    assert kilobytes * 1024 < 100_000_000
