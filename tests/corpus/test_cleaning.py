"""Words worth reading: junk is left out of texts, and nothing else is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicgrove.corpus import Corpus, TextRules
from topicgrove.corpus.cleaning import KINDS, N_KINDS, SPANS, Cleaner, is_number

MARKERS = ["\u2019", "é", "http://", "www.", ".com", "n't", "<b>", "<!--", "-->", "\\cite{", "<script>"]
CHARACTERS = st.sampled_from([*"aAn0 .:/@<>!-=\\${}'\"&;\n_", *MARKERS])
TEXTS = st.lists(CHARACTERS, max_size=25).map("".join)


def cleaned(text, *kinds):
    removed = np.zeros(N_KINDS, np.int64)
    (result,) = Cleaner(kinds or KINDS).clean([text], removed)
    return " ".join(result.decode().split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see http://example.org/a?b=1&c=2#d now", "see now"),
        ("HTTPS://EXAMPLE.ORG and ftp://host/file", "and"),
        ("(www.example.org/tree)", "("),
        ("at example.com/path or example.co.uk, or sub-domain.example.edu.", "at or , or ."),
        ("the end.The next e.g. one.", "the end.The next e.g. one."),
        ("http:// alone, https", "http:// alone, https"),
        ("whittle www fhttp", "whittle www fhttp"),
    ],
)
def test_links_are_left_out(text, expected):
    assert cleaned(text, "urls") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to jane.doe+news@mail.example.org today", "write to today"),
        ("<1993Apr5.12@host.edu>", "< >"),
        ("@mention and tree @ leaf", "@mention and tree @ leaf"),
    ],
)
def test_addresses_are_left_out(text, expected):
    assert cleaned(text, "emails") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p class='x'>a <b>bold</b><br/>tree</p>", "a bold tree"),
        ("caf&eacute;&nbsp;&amp; &lt;i&gt;bar&lt;/i&gt;", "café & bar"),
        ("a<!-- no <b>words</b> here -->b", "a b"),
        ("<!DOCTYPE html><?xml version='1.0'?>tree", "tree"),
        ("<style>p {color: red}</style>tree<script type='x'>var leaf = 1 < 2;</script>!", "tree !"),
        ("<script>no end", "no end"),
        ("if x<y and z>w or a < b", "if x<y and z>w or a < b"),
        ("AT&T and R&D", "AT&T and R&D"),
        ("<your name here> <3", "<your name here> <3"),
    ],
)
def test_markup_is_left_out(text, expected):
    assert cleaned(text, "html") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"over $\mathbb{R}^n$ and $$x = 1$$, \emph{trees}", "over and , {trees}"),
        (r"Schr\"odinger, Poincar\'e, Erd\H{o}s, G\"{o}del, \v{C}ech", "Schrodinger, Poincare, Erdos, Godel, Cech"),
        (r"\begin{equation} E \label{eq:e} \end{equation} see \cite[p. 5]{knuth}", "E see"),
        ("from $5 to $10, or $20-$30", "from $5 to $10, or $20-$30"),
        (r"c:\windows\system and \\ more", r"c:\windows\system and \\ more"),
        (r"one line\nThe next", "one line The next"),
    ],
)
def test_formulas_and_commands_are_left_out(text, expected):
    assert cleaned(text, "latex") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't think they've seen the tree's leaves, she'll say", "I think they seen the tree leaves, she say"),
        ("can\u2019t we\u2019re", "we"),
        ("O'Brien, l'homme, rock 'n' roll, 'quoted'", "O'Brien, l'homme, rock 'n' roll, 'quoted'"),
        ("the trees' leaves, 1990's", "the trees' leaves, 1990's"),
    ],
)
def test_contractions_are_left_out(text, expected):
    assert cleaned(text, "contractions") == expected


def test_an_escaped_apostrophe_is_an_apostrophe():
    assert cleaned(r"don\'t go") == "go"


def test_numbers_do_not_become_words():
    texts = ["1993 25 3.14 1st 25th 1990s 0x1f 10pm 2_000 __ trees", "3d 5g mp3 x86 h2o trees"]
    assert Corpus.from_texts(texts).vocabulary == ("3d", "5g", "h2o", "mp3", "trees", "x86")
    assert "1993" in Corpus.from_texts(texts, clean=[kind for kind in KINDS if kind != "numbers"]).vocabulary


def test_no_part_of_an_n_gram_is_a_number():
    assert Corpus.from_texts(["tree 25 leaf"], ngram_range=(1, 2)).vocabulary == ("leaf", "tree")
    assert is_number("tree 25")


def test_fragments_of_contractions_go_where_the_text_is_english():
    assert Corpus.from_texts(["don ve doesn dont trees"]).vocabulary == ("trees",)
    assert Corpus.from_texts(["don ve trees"], stop_words=None).vocabulary == ("don", "trees", "ve")


@pytest.mark.parametrize("kind", SPANS)
def test_each_kind_can_be_switched_off(kind):
    junk = {
        "urls": "http://example.org",
        "emails": "me@host",
        "html": "<b>",
        "latex": r"\emph",
        "contractions": "don't",
    }[kind]
    others = [other for other in KINDS if other != kind]
    assert cleaned(junk, *others) == junk
    assert cleaned(junk) == ""


def test_own_patterns_and_analyzers_rule():
    text = ["don't http://example.org 25"]
    assert Corpus.from_texts(text, token_pattern=r"\S+").vocabulary == ("25", "don't", "http://example.org")
    assert Corpus.from_texts(text, analyzer=str.split).vocabulary == ("25", "don't", "http://example.org")
    assert Corpus.from_texts(text, token_pattern=r"\S+", clean=["urls"]).vocabulary == ("25", "don't")


def test_rules_of_older_files_clean_nothing():
    old = TextRules().to_dict()
    del old["clean"]
    assert TextRules.from_dict(old) == replace(TextRules(), clean=None)


def test_junk_is_no_unknown_word():
    corpus = Corpus.from_texts(["trees 1993 don't http://example.org"], vocabulary=["leaf"])
    assert corpus.n_unknown_words == 1


@given(TEXTS)
def test_words_without_markers_are_kept_as_they_are(text):
    plain = "".join(letter if letter.isalnum() else " " for letter in text)
    assert cleaned(plain, *SPANS) == " ".join(plain.split())


@given(st.lists(TEXTS, max_size=6))
def test_a_document_is_cleaned_whatever_its_neighbours(texts):
    cleaner = Cleaner(KINDS)
    together = cleaner.clean(texts, np.zeros(N_KINDS, np.int64))
    assert together == [cleaner.clean([text], np.zeros(N_KINDS, np.int64))[0] for text in texts]


@given(TEXTS)
def test_cleaned_text_is_text_and_no_longer(text):
    (result,) = Cleaner(SPANS).clean([text], np.zeros(N_KINDS, np.int64))
    assert len(result) <= len(text.encode())
    result.decode()


@pytest.mark.parametrize("piece", ["<!--", "<script>", "<a ", "$a", "a@", "a.com", "n't", "\\a", "http://", "&", ":\\"])
def test_repeated_markers_take_time_in_proportion_to_the_text(piece):
    # Quadratic time would be hours.
    cleaned(piece * 500_000)
