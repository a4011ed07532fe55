"""The words of default trees of real texts: no contraction, number, tag, part of a link or LaTeX command."""

import gzip
import html
import json
import quopri
import re
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA

DATA = Path(__file__).parents[2].parent / "shared" / "data"
N_WORDS = 30

CONTRACTIONS = (
    "ain aren cant couldn couldnt didn didnt doesn doesnt don dont hadn hasn haven isn isnt ll mustn re shan shouldn "
    "ve wasn wasnt weren won wouldn wouldnt thats youre theyre"
)
LINKS = "http https www com org edu gov html htm php href url cgi mailto asp co"
TAGS = (
    "nbsp amp lt gt quot br div span td tr th tbody table img src alt px font li ul ol colspan rowspan width height "
    "bgcolor align valign cellpadding cellspacing script javascript style css html body head doctype strong em"
)
COMMANDS = (
    "mathbb mathcal mathbf mathrm mathfrak textit textbf emph frac sqrt rm bf cal cite eqref leq geq infty ldots cdot "
    "rightarrow langle rangle overline widetilde documentclass"
)
WORDS = frozenset({"table", "style", "body", "head", "font", "strong", "gt", "asp"})
"""Words of these texts, too, such as the GT of cars and answer set programming; so is ftp, which fetches files."""


NUMBER = re.compile(r"\d+\w*|\w*\d\w*_\w*|_\w*|\w*_|\w*(\w)\1{3}\w*")
ENCODED = "ax max b8f g9v a86 giz bhj mw mq qq c8v bxn chz w7 mg9v _o c_ m_"
"""Words that the encoded files in 20news would give."""

MAIL = "organization nntp id mime charset utf"

SENDERS = frozenset({"writes", "wrote", "subject"})
"""Of lines that say who wrote what is quoted; inside the markup of HTML mail such lines are not told from others."""

JUNK = frozenset(f"{CONTRACTIONS} {LINKS} {TAGS} {COMMANDS} {ENCODED} {MAIL}".split()) - WORDS
REAL = frozenset({"3d", "2d", "1d", "5g", "4d"})


def texts_of(name, n=None):
    path = DATA / name / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared corpora are not here")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in islice(lines, n)]


def debian():
    with gzip.open(files("topicgrove") / "data" / "debian.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def as_mail(i, text):
    """A newsletter: headers, and the text inside markup, with a style sheet, entities, links and a tracking picture."""
    shown = html.escape(text).replace("\n\n", "</p>\n<p class='c'>")
    page = (
        f"<!DOCTYPE html><html><head><style type='text/css'>td {{width: {i}px; color: #fff}}</style></head>"
        f"<body bgcolor=\"#ffffff\"><!-- tracker {i} --><table width=100%><tr><td align='left'>&nbsp;"
        f"<img src=\"https://img.example.com/{i}.png?u={i}&amp;v=2\" alt=''/><p>\n{shown}</p></td></tr></table>"
        f'<a href="https://www.example.org/unsubscribe/{i}">www.example.org/unsubscribe</a> &copy; 2024 '
        f"<script>var track_{i} = document.location;</script></body></html>"
    )
    return (
        f"From: Jane Doe <jane@example.org>\nDate: Mon, 5 Jan 2026 10:00:{i % 60} +0100\nSubject: Re: {i}\n"
        f"Message-ID: <{i}.abc@example.org>\nMIME-Version: 1.0\n"
        f'Content-Type: multipart/alternative;\n boundary="=_NextPart_{i}"\nX-Mailer: Mailer 1.{i}\n\n'
        f'--=_NextPart_{i:08}\nContent-Type: text/html; charset="utf-8"\n'
        "Content-Transfer-Encoding: quoted-printable\n\n"
        + quopri.encodestring(page.encode()).decode()
        + f"\n--=_NextPart_{i:08}\nContent-Transfer-Encoding: base64\n\n"
        + "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4\n" * 3
        + f"--=_NextPart_{i:08}--\n"
    )


def as_chapter(i, text):
    """A part of a textbook: formulas, citations, soft hyphens and figures around the text."""
    broken = re.sub(r"(?<= )([a-z]{4})([a-z]{4,})(?= )", "\\1\u00ad\\2", text)
    return (
        f"\\documentclass[11pt]{{article}}\\usepackage[utf8]{{inputenc}}\\begin{{document}}\\label{{sec:{i}}}\n{broken}\n"
        f"\\cite{{ref{i}}}, \\ref{{fig:{i}}}, x_{i}, $\\mathbb{{R}}^{i}$ and \\(dx_{i}\\)\n"
        f"\\begin{{equation}} \\frac{{\\alpha_{i} dt}}{{\\sqrt{{2}}}} \\leq \\infty \\end{{equation}}\n"
        "\\begin{figure}[htbp]\\centering\\includegraphics[width=0.5\\textwidth]{plot.pdf}\\end{figure}\n"
        "\\bibliographystyle{plain}\\bibliography{refs}\\end{document}"
    )


def html_mail():
    return (as_mail(i, text) for i, text in enumerate(texts_of("20news", 4000)))


def long_science():
    """Articles: many abstracts in LaTeX each."""
    abstracts = texts_of("arxiv_dev")
    for i in range(0, len(abstracts) - 12, 12):
        yield "".join(as_chapter(k, text) for k, text in enumerate(abstracts[i : i + 12]))


@pytest.mark.parametrize("wrap", [as_mail, as_chapter])
def test_markup_around_texts_changes_no_count(wrap):
    texts = debian()
    plain = Corpus.from_texts(texts)
    wrapped = Corpus.from_texts([wrap(i, text) for i, text in enumerate(texts)])
    assert wrapped.vocabulary == plain.vocabulary
    np.testing.assert_array_equal(wrapped.offsets, plain.offsets)
    np.testing.assert_array_equal(wrapped.words, plain.words)


@pytest.mark.parametrize(
    ("texts", "more"), [
        (lambda: texts_of("20news"), SENDERS), (lambda: texts_of("arxiv_dev"), set()), (html_mail, set()),
        (long_science, set()),
    ],
    ids=["20news", "abstracts", "mail", "articles"],
)  # fmt: skip
def test_probable_words_are_words(texts, more):
    corpus = Corpus.from_texts(list(texts()))
    corpus = corpus.take(corpus.document_lengths > 0)
    model = HierarchicalLDA(n_levels=3, n_iter=12, random_state=0, n_jobs=1).fit(corpus)
    counts = model.topic_word_counts_.toarray()
    for topic in np.flatnonzero(model.tree_.level <= 1):
        order = np.argsort(-counts[topic], kind="stable")[:N_WORDS]
        words = [corpus.vocabulary[word] for word in order if counts[topic, word]]
        junk = [word for word in words if word in JUNK | more or (NUMBER.fullmatch(word) and word not in REAL)]
        assert not junk, f"topic {topic}: {words}"
