import gzip
import importlib.util
import json
import os
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from topicgrove import demo

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_demo_corpus.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo_corpus", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def topic(number: int, parent: int, level: int, n_docs: int, words: list[str], examples: list[str]) -> demo.Topic:
    return demo.Topic(number, parent, level, n_docs, n_docs, words, examples)


def test_bundled_corpus_has_the_sizes_that_its_readme_says():
    corpus, titles = demo.load_corpus()
    assert (corpus.n_docs, corpus.n_words, corpus.n_tokens) == (4000, 4778, 174_321)
    assert len(titles) == corpus.n_docs
    assert titles == sorted(titles, key=lambda title: title.split(" ")[0])
    assert corpus.document_lengths.min() > 0
    readme = (demo.DATA / "README.md").read_text(encoding="utf-8")
    assert "4,000 Debian packages" in readme
    assert "4,778 words, 174,321 tokens" in readme


def test_bundled_words_are_within_the_limits_of_the_script(script):
    corpus, _ = demo.load_corpus()
    assert corpus.vocabulary is not None
    assert all(script.tokenise(word) == [word] for word in corpus.vocabulary)
    n_docs = np.asarray((corpus.to_csr() > 0).sum(axis=0)).ravel()
    assert n_docs.min() >= script.LEAST_DOCS
    assert n_docs.max() <= script.MOST_SHARE * corpus.n_docs


def test_bundled_files_are_small():
    assert sum(path.stat().st_size for path in demo.DATA.iterdir()) < 1_000_000


def test_tokeniser_keeps_words_of_three_letters_and_drops_the_rest(script):
    text = "This package provides the X11 front-end: a Qt5 viewer for FITS-images, Ünïcode, and I/O."
    assert script.tokenise(text) == ["end", "viewer", "fits", "images", "code"]


def test_stanzas_join_continuation_lines(script, tmp_path):
    path = tmp_path / "Packages"
    path.write_text("Package: a\nDescription: short\n long\n .\n more\n\nPackage: b\n", encoding="utf-8")
    assert list(script.stanzas(path)) == [{"Package": "a", "Description": "short\nlong\n.\nmore"}, {"Package": "b"}]


def test_one_package_is_kept_per_source_and_text(script):
    words = " ".join(f"word{'abcdefghijklmnop'[i]}" for i in range(16))
    a = script.Package("tool", "tool", "utils", words)
    b = script.Package("tool-extra", "tool", "utils", words + " longer")
    c = script.Package("tool2", "tool2", "utils", words)
    assert script.one_per_source([b, a, c]) == [a]


def test_script_writes_the_same_bytes_every_time(script):
    documents = [Counter(["leaf", "root", "leaf"]), Counter(["root"])]
    packed = script.bag_of_words(documents, ["leaf", "root"])
    assert packed == script.bag_of_words(documents, ["leaf", "root"])
    assert packed[4:8] == bytes(4), "the time in the header"
    assert gzip.decompress(packed) == b"2\n2\n3\n1 1 2\n1 2 1\n2 2 1\n"


def test_demo_prints_a_tree_and_writes_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "N_ITER", 2)
    demo.main()
    out = capsys.readouterr().out
    assert "\n 4000  " in out
    assert "e.g. " in out
    assert f"All topics are in {demo.OUT}" in out
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["debian-tree.json"], "no half-written file is left"
    content = json.loads((tmp_path / demo.OUT).read_text(encoding="utf-8"))
    topics = content["topics"]
    assert [t["id"] for t in topics] == list(range(len(topics)))
    assert (topics[0]["parent"], topics[0]["n_docs"]) == (-1, 4000)
    assert sum(t["n_docs"] for t in topics if t["level"] == 3) == 4000
    assert sum(t["n_tokens"] for t in topics) == content["corpus"]["n_tokens"] == 174_321
    assert all(t["examples"] for t in topics if t["level"] == 3)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("é 木", "é 木"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("a\r\nb\tc\x00\x7f", r"a\r\nb\tc\x00\x7f"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eright to left\u2028", r"\u202eright to left\u2028"),
        ("\udc80", r"\udc80"),
    ],
)
def test_control_characters_are_shown_and_not_obeyed(text, shown):
    assert demo.escape(text) == shown


def test_tree_lines_escape_words_and_titles():
    root = topic(0, -1, 0, 5, ["clear\x1b[2J"], [])
    leaf = topic(1, 0, 1, 5, [], ["bell\x07"])
    assert list(demo.tree_lines([root, leaf])) == [
        r"    5  clear\x1b[2J",
        "        5  (no words of its own)",
        "           e.g. bell\\x07",
    ]


def test_tree_lines_sum_up_small_siblings():
    topics = [
        topic(0, -1, 0, 13, ["all"], []),
        topic(1, 0, 1, 10, ["large"], []),
        topic(2, 0, 1, 2, ["small"], []),
        topic(3, 0, 1, 1, ["smaller"], []),
        topic(4, 1, 2, 10, ["below"], []),
    ]
    lines = [line.split() for line in demo.tree_lines(topics, least_docs=5)]
    assert [" ".join(line) for line in lines] == ["13 all", "10 large", "10 below", "3 in 2 smaller topics"]


def test_telling_words_of_an_empty_topic_are_none():
    assert [w.tolist() for w in demo.telling_words(sparse.csr_array([[6, 0], [0, 0]]), n=3)] == [[], []]


def test_telling_words_prefer_what_is_rare_elsewhere():
    counts = sparse.csr_array([[100, 0, 50], [40, 30, 1]])
    assert [w.tolist() for w in demo.telling_words(counts, n=3)] == [[2, 0], [1]]


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "tree.json"
    demo.write_json({"a": 1}, path)
    with pytest.raises(TypeError):
        demo.write_json({"a": object()}, path)
    assert json.loads(path.read_text(encoding="utf-8")) == {"a": 1}
    assert os.listdir(tmp_path) == ["tree.json"]
