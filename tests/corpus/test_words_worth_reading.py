"""The words of default trees of real texts: no contraction, number, tag, part of a link or LaTeX command."""

import gzip
import json
import re
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
WORDS = frozenset({"table", "style", "body", "head", "font", "strong"})
"""Tags that are words of these texts, too; so is ftp, by which people fetch files in 20news."""

JUNK = frozenset(f"{CONTRACTIONS} {LINKS} {TAGS} {COMMANDS}".split()) - WORDS

NUMBER = re.compile(r"\d+\w*|\w*\d\w*_\w*|_+")
ENCODED = re.compile(r"^\S{60,}$", re.MULTILINE)
"""A line of an encoded binary, which cleaning leaves in."""

REAL = frozenset({"3d", "2d", "1d", "5g", "4d"})


def texts_of(name, n=None):
    path = DATA / name / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared corpora are not here")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in islice(lines, n)]


def html_mail():
    """Newsletters: texts inside markup, with style sheets, entities, links and tracking pictures."""
    readable = (text for text in texts_of("20news", 8000) if not ENCODED.search(text))
    for i, text in enumerate(islice(readable, 4000)):
        shown = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n\n", "</p>\n<p class='c'>")
        yield (
            f"<!DOCTYPE html><html><head><style type='text/css'>td {{width: {i}px; color: #fff}}</style></head>"
            f"<body bgcolor=\"#ffffff\"><!-- tracker {i} --><table width=100%><tr><td align='left'>&nbsp;"
            f"<img src=\"https://img.example.com/{i}.png?u={i}&amp;v=2\" alt=''/><p>{shown}</p></td></tr></table>"
            f'<a href="https://www.example.org/unsubscribe/{i}">www.example.org/unsubscribe</a> &copy; 2024 '
            f"<script>var track_{i} = document.location;</script></body></html>"
        )


def long_science():
    """Articles: many abstracts in LaTeX each."""
    abstracts = texts_of("arxiv_dev")
    for i in range(0, len(abstracts) - 12, 12):
        parts = (
            f"\\section{{Part {k}}}\\label{{sec:{k}}} {text} See \\cite{{ref{k}}} and Fig.~\\ref{{fig:{k}}}.\n"
            f"\\begin{{equation}} \\frac{{\\alpha_{k}}}{{\\sqrt{{2}}}} \\leq \\infty \\end{{equation}}\n"
            for k, text in enumerate(abstracts[i : i + 12])
        )
        yield "\\documentclass{article}\n" + "".join(parts)


@pytest.mark.parametrize(
    "texts", [lambda: texts_of("20news"), lambda: texts_of("arxiv_dev"), html_mail, long_science],
    ids=["20news", "abstracts", "mail", "articles"],
)  # fmt: skip
def test_probable_words_are_words(texts):
    corpus = Corpus.from_texts(list(texts()))
    corpus = corpus.take(corpus.document_lengths > 0)
    model = HierarchicalLDA(n_levels=3, n_iter=12, random_state=0, n_jobs=1).fit(corpus)
    counts = model.topic_word_counts_.toarray()
    for topic in np.flatnonzero(model.tree_.level <= 1):
        order = np.argsort(-counts[topic], kind="stable")[:N_WORDS]
        words = [corpus.vocabulary[word] for word in order if counts[topic, word]]
        junk = [word for word in words if word in JUNK or (NUMBER.fullmatch(word) and word not in REAL)]
        assert not junk, f"topic {topic}: {words}"
