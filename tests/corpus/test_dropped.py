"""What the rules leave out is counted, kept in stores, and shown by ``corpus info``."""

import json
import subprocess
import sys

import pytest

from topicgrove.corpus import Corpus, build_store, open_store, read_corpus
from topicgrove.corpus.dropped import Dropped, read_dropped

TEXTS = [f"the moon and word{i} in 1993, see http://example.org" for i in range(120)] + ["tree leaf", "leaf tree"]


def by_reason(rows):
    return {row.reason: row for row in rows}


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_word_that_is_left_out_has_a_reason(n_jobs):
    rows = by_reason(Corpus.from_texts(TEXTS, n_jobs=n_jobs, max_features=1, max_df=121).dropped)
    assert rows["stop words"] == Dropped("stop words", 4, 480, ("and", "in", "see", "the"))
    assert rows["numbers"] == Dropped("numbers", 1, 120, ("1993",))
    assert rows["urls"] == Dropped("urls", 0, 120)
    assert rows["beyond max_features"] == Dropped("beyond max_features", 2, 4, ("leaf", "tree"))
    rare = rows["in fewer than 2 documents (min_df)"]
    assert (rare.n_words, rare.n_tokens, len(rare.examples)) == (120, 120, 8)


def test_words_in_most_documents_are_named():
    rows = by_reason(Corpus.from_texts(TEXTS).dropped)
    assert "moon" in rows["in more than 61 documents (max_df)"].examples


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_words_that_a_given_vocabulary_does_not_have_are_counted(n_jobs):
    corpus = Corpus.from_texts(TEXTS, vocabulary=["moon"], n_jobs=n_jobs)
    rows = by_reason(corpus.dropped)
    unknown = rows["not in the vocabulary"]
    assert (unknown.n_words, unknown.n_tokens) == (122, corpus.n_unknown_words) == (122, 124)
    assert unknown.examples == ("leaf", "tree", "word0", "word1", "word10", "word100", "word101", "word102")
    assert rows["stop words"] == Dropped("stop words", 4, 480, ("and", "in", "see", "the"))
    assert rows["numbers"] == Dropped("numbers", 1, 120, ("1993",))
    assert rows["urls"] == Dropped("urls", 0, 120)


def test_what_training_left_out_says_why_words_are_unknown(tmp_path):
    trained = Corpus.from_texts(TEXTS)
    path = tmp_path / "new.txt"
    path.write_text("moon moon tree\nzebra word7 moon\n")
    new = read_corpus(path, vocabulary=trained.vocabulary, rules=trained.rules, trained_without=trained.dropped)
    assert by_reason(new.dropped) == {
        "in more than 61 documents of training (max_df)": Dropped(
            "in more than 61 documents of training (max_df)", 1, 3, ("moon",)
        ),
        "rare in training, or never seen": Dropped("rare in training, or never seen", 2, 2, ("word7", "zebra")),
    }


def test_counts_by_other_words_say_so_too(tmp_path):
    Corpus.from_documents([[0, 1, 1], [2]], vocabulary=["tree", "Moon", "leaf"]).save(tmp_path / "store")
    new = read_corpus(tmp_path / "store", vocabulary=["leaf", "moon", "tree"])
    assert new.dropped == (Dropped("not in the vocabulary", 1, 2, ("Moon",)),)
    assert new.n_unknown_words == 2


def test_many_words_in_too_many_documents_are_kept_and_few_are_shown(tmp_path):
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(150)]
    texts = [" ".join(words) + " tree"] * 100 + ["tree leaf", "leaf"] * 5
    for n, kept in ((150, 100), (60, 60)):
        row = by_reason(Corpus.from_texts([" ".join(text.split()[:n]) for text in texts]).dropped)[
            "in more than 55 documents (max_df)"
        ]
        assert (row.n_words, len(row.examples)) == (n, kept)
    (tmp_path / "docs.txt").write_text("\n".join(texts))
    command = [sys.executable, "-m", "topicgrove", "corpus", "info", "docs.txt", "--json"]
    facts = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert [len(row["examples"]) for row in facts["dropped"]] == [8]


def test_stores_keep_it(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_text("\n".join(TEXTS))
    built = build_store(path, tmp_path / "store")
    assert built.dropped == open_store(tmp_path / "store").dropped == Corpus.from_texts(TEXTS).dropped


@pytest.mark.parametrize("rows", [{}, [["a", 1, 2, [3]]], [["a", "1", 2, []]], [[1, 1, 2, []]], [[]] * 101])
def test_damaged_rows_are_refused(rows):
    with pytest.raises(ValueError, match=r"dropped|unpack"):
        read_dropped(rows)


def test_corpus_info_shows_junk_before_training(tmp_path):
    (tmp_path / "docs.txt").write_text("\n".join(TEXTS))
    command = [sys.executable, "-m", "topicgrove", "corpus", "info", "docs.txt"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "frequent_words" in shown
    assert "  numbers" not in shown  # 1993 is in too many documents already
    assert "in more than 61 documents (max_df)" in shown
    assert "120 times" in shown
    facts = json.loads(
        subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    )
    assert facts["frequent_words"] == ["leaf", "tree"]
    assert {"reason": "urls", "n_words": 0, "n_tokens": 120, "examples": []} in facts["dropped"]
