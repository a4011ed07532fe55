"""``infer`` says how many words it leaves out, why, and which: the installed command in its own folder."""

import subprocess
import sys
from pathlib import Path

import pytest

import topicgrove

INSTALLED = Path(sys.executable).parent / "topicgrove"
GARDEN = "oak leaf root bark branch"
STARS = "moon orbit star comet planet"
TEXTS = [f"common {(GARDEN, STARS)[i % 2]} and rare{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(120)]


def run(folder, *arguments, code=0):
    done = subprocess.run([INSTALLED, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unknown words")
    (folder / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    run(folder, "fit", "texts.txt", "-o", "m.grove", "--iterations", 3, "--seed", 0, "--threads", 1, "-q")
    return folder


def test_reasons_and_the_commonest_words_are_told(folder):
    new = "common oak leaf root bark branch\nthe moon orbit rareab zebra zebra 1999 http://example.org\n"
    (folder / "new.txt").write_text(new)
    told = run(folder, "infer", "m.grove", "new.txt", "-o", "placed.jsonl").stderr.splitlines()
    assert told[:4] == [
        "topicgrove: 4 of 11 words are unknown to the model and left out",
        "  1 in more than 60 documents of training (max_df): common",
        "  3 rare in training, or never seen: zebra, rareab",
        "  and, as in training: 1 stop words, 1 numbers, 1 urls",
    ]
    assert "most of the words" not in "\n".join(told)
    assert run(folder, "infer", "m.grove", "new.txt", "-o", "placed.jsonl", "-q").stderr == ""


def test_nothing_is_told_where_every_word_is_known(folder):
    (folder / "known.txt").write_text("oak leaf\nmoon orbit\n")
    told = run(folder, "infer", "m.grove", "known.txt", "-o", "placed.jsonl").stderr
    assert "unknown" not in told


@pytest.mark.parametrize("option", ["--quiet", "--threads=1"])
def test_another_language_is_suspected(folder, option):
    (folder / "german.txt").write_text("Der Hund bellt im Wald\nDie Katze schläft auf dem Sofa, moon\n")
    told = run(folder, "infer", "m.grove", "german.txt", "-o", "placed.jsonl", option).stderr
    assert "german.txt: the model does not know most of the words; are they in another language" in told


def test_counts_by_other_rules_are_suspected(folder):
    corpus = topicgrove.Corpus.from_documents([[0, 1], [1, 2]], vocabulary=["Oak", "Leaf", "moon"])
    corpus.save(folder / "store")
    told = run(folder, "infer", "m.grove", "store", "-o", "placed.jsonl").stderr
    assert "3 rare in training, or never seen: Leaf, Oak" in told
    assert "were these counts made by other rules" in told


def test_unknown_words_are_inert(folder):
    corpus = topicgrove.Corpus.from_documents([[0, 1]], vocabulary=["\x1b[31mred", "oak"])
    corpus.save(folder / "hostile")
    told = run(folder, "infer", "m.grove", "hostile", "-o", "placed.jsonl").stderr
    assert "\x1b" not in told
    assert "red" in told


def test_a_model_keeps_what_was_left_out(folder):
    model = topicgrove.load(folder / "m.grove")
    assert model.dropped_ == topicgrove.read_corpus(folder / "texts.txt").dropped
    assert sum(len(row.examples) for row in model.dropped_) < 120


def test_evaluate_is_short_about_it(folder):
    (folder / "new.txt").write_text("common oak leaf root bark branch\n")
    told = run(folder, "evaluate", "m.grove", "new.txt", "--no-perplexity").stderr
    assert told == "topicgrove: 1 of 6 words are unknown to the model and left out\n"
