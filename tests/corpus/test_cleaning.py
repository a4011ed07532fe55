"""Words worth reading: junk is left out of texts, and nothing else is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicgrove.corpus import Corpus, TextRules
from topicgrove.corpus.cleaner import N_KINDS, Cleaner
from topicgrove.corpus.cleaning import KINDS, SPANS, is_number

MARKERS = [
    "\u2019",
    "\u00ad",
    "\u200d",
    "é",
    "In article <",
    "writes:",
    "From: ",
    "Message-ID: ",
    "--",
    "http://",
    "www.",
    ".com",
    "n't",
    "<b>",
    "<!--",
    "-->",
    "\\cite{",
    "<script>",
]
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
        ("tree &amp;lt;b&amp;gt;leaf", "tree leaf"),
        ('tree <a class="x" href="http', "tree"),
        ("tree <a and b", "tree <a and b"),
    ],
)
def test_markup_is_left_out(text, expected):
    assert cleaned(text, "html") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"over $\mathbb{R}^n$ and $$x = 1$$, \emph{trees}", "over and , {trees}"),
        (r"Schr\"odinger, Poincar\'e, Erd\H{o}s, G\"{o}del, \v{C}ech", "Schrodinger, Poincare, Erdos, Godel, Cech"),
        (r"\begin{equation} E \label{eq:e} \end{equation} see \cite[p. 5]{knuth}", "see"),
        (r"so \[ dx \frac{ab}{cd} \] and \(dy\) hold", "so and hold"),
        (r"\begin{align*} ab &= cd \\ \end{align*} oak", "oak"),
        (r"\begin{align*} ab &= cd \\ \end{align} oak", r"ab &= cd \\ oak"),
        (r"\begin{quote} oak \end{quote} \begin{tabular}{lcc} elm \end{tabular}", "oak elm"),
        (r"\section*{Oaks} \usepackage[utf8]{inputenc} \hspace*{1cm} elm", "*{Oaks} elm"),
        (r"Note:\emph{oaks}", "Note: {oaks}"),
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


UUENCODED = "M" + "AX>'" * 15
UU_WITH_BLANKS = 'M7&[!Y F;FUL92!O9B!A;B!E;F-O9&5D(&)I;F%R>2!F:6QE+"!W:71H((!A;'
BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"oak\n{UUENCODED}\n{UU_WITH_BLANKS}\n$=#4`\n`\nend\nelm", "oak ` end elm"),
        (f"oak\n{BASE64}\n{BASE64}\nQm3o=\n\nelm", "oak elm"),
        ("md5 9e107d9d372bb6826bd81d3542a419d6 of it", "md5 of it"),
    ],
)
def test_encoded_files_are_left_out(text, expected):
    assert cleaned(text, "encoded") == expected


@pytest.mark.parametrize(
    "text",
    [
        "MANY OAKS AND ELMS ARE NOT AN ENCODED FILE, ARE THEY NOW, OR?",
        "advice/recommendations/warnings/and/more",
        "XtVaCreateManagedWidgetFromTemplateName()",
        "Introduction......................................25",
        "oaks</p></td></tr></table><br/><br/><hr/><a",
        r"oaks$\frac{a_{ij}}{b_{ij}}\cdot\sqrt{c_{ij}}$",
        "<1993Apr20.232804.24632@mprgate.mpr.ca>",
        "樹" * 40,
    ],
)
def test_long_runs_of_words_are_not_encoded_files(text):
    assert cleaned(text, "encoded") == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In article <1@host.edu> jane@host.edu (Jane Doe) writes:\n> Oaks grow.", "> Oaks grow."),
        (">>In article <1@host.edu>, jane@host.edu\n>>(Jane Doe) writes...\nOaks grow.", "Oaks grow."),
        ("Jane Doe <jane@host.org> wrote:\nOaks grow.", "Oaks grow."),
        ("On Mon, Apr 5, 2021 at 3:04 PM Jane Doe\n<jane@host.org> wrote:\n> Oaks", "> Oaks"),
        ("The article that he wrote:\nOaks", "The article that he wrote: Oaks"),
        ("In articles on oaks\nhe writes well", "In articles on oaks he writes well"),
        ("From: jane@host.org\nTo: elms\nSubject: Oaks\nX-Mailer: elm\n  2.3\n\nDate: unknown", "Oaks Date: unknown"),
        ("Content-Type: text/html\noaks", "oaks"),
        ("From: beginning to end", "From: beginning to end"),
        ("--=_NextPart_01\noaks\n-----Original Message-----\nelms", "oaks elms"),
        ("-- \n---- a list ----\n--------------", "-- ---- a list ---- --------------"),
        ("Content-Transfer-Encoding: quoted-printable\n\n=E2=80=9Coa=\nks=E2=80=9D =3D =FC", "\u201coaks\u201d = ü"),
        ("a =\nb =\nc =\nd", "a = b = c = d"),
    ],
)  # fmt: skip
def test_mail_is_left_out(text, expected):
    assert cleaned(text, "mail") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ex\u00adam\u00adple wo\u2060rd\ufeff \u0645\u06cc\u200c\u062e", "example word \u0645\u06cc\u062e"),
        ("suscept-\nible, with-\r\n> out", "susceptible, without"),
        ("well-known, long -\nterm, New-\nYork, a-\n\nb", "well-known, long - term, New- York, a- b"),
        ("€ and caf\u00e9 \u201cquoted\u201d", "€ and caf\u00e9 \u201cquoted\u201d"),
    ],
)
def test_broken_words_are_joined(text, expected):
    assert cleaned(text, "hyphens") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_very_ old __init__ ____ oaks__", "very old init oaks"),
        ("border_width and hell_2", "border_width and hell_2"),
        ("x_1, a_{ij} and k_p", ", a {ij} and"),
    ],
)
def test_underscores_around_words_and_indices_are_left_out(text, expected):
    assert cleaned(text, "underscores") == expected


def test_words_of_one_letter_repeated_are_left_out():
    texts = ["xxxx hmmmmm aaaaargh www xxxii oaks"]
    assert Corpus.from_texts(texts).vocabulary == ("oaks", "www", "xxxii")
    kept = Corpus.from_texts(texts, clean=[kind for kind in KINDS if kind != "repeats"]).vocabulary
    assert {"xxxx", "hmmmmm", "aaaaargh"} <= set(kept)


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
        "encoded": "9e107d9d372bb6826bd81d3542a419d6",
        "mail": "Message-ID: 1",
        "hyphens": "\u00ad",
        "underscores": "___",
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


PIECES = [
    "<!--",
    "<script>",
    "<a ",
    "$a",
    "a@",
    "a.com",
    "n't",
    "\\a",
    "http://",
    "&",
    ":\\",
    "_",
    "x_",
    "-\n",
    "M",
    "aB1/",
]
LINES = ["From: x\n", "From: x\n\n", " \n", "In article <\n", "On 1@\n", "Message-ID: 1\n", "--1", "=\n=20", ">", "\\["]


@pytest.mark.parametrize("piece", [*PIECES, *LINES, "\\begin{align}", "\\end{align}", "=E2=80", "&amp;"])
def test_repeated_markers_take_time_in_proportion_to_the_text(piece):
    # Quadratic time would be hours.
    cleaned(piece * 500_000)
