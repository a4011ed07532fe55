"""Meanings and usual values of the figures of ``topicgrove evaluate``."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any, NamedTuple

SOURCE = [
    "Usual: of default trees on Debian package descriptions, BBC news, arXiv abstracts",
    "and 20 Newsgroups. Other documents have other values.",
]
WIDEST = 100


class Figure(NamedTuple):
    """The meaning of a figure, in a phrase, and its usual values, or ""."""

    meaning: str
    usual: str = ""


FIGURES = {
    "perplexity": Figure(
        "How hard words are to guess from the other half of their document: as hard as a choice among so many equally "
        "likely words. Lower is better. Compare it only between models of the same words and about as many topics.",
        "1,300 to 2,300 on documents that were held out",
    ),
    "coherence npmi": Figure(
        "Do the top words of a topic occur in the same documents? 1 always, 0 as by chance, -1 never; the mean of all "
        "topics.",
        "0.1 to 0.25 looked up in the documents of training; in a tenth of them -0.2 to 0.06",
    ),
    "coherence npmi_by_level": Figure("The same for each level, the root first."),
    "coherence c_v": Figure(
        "The same question by another measure, from 0 to 1, that agrees well with what people say.",
        "0.58 to 0.72 looked up in the documents of training; in a tenth of them 0.43 to 0.54",
    ),
    "coherence c_v_by_level": Figure("The same for each level, the root first."),
    "diversity": Figure(
        "Share of different words among the top words of all topics; 1 if no topic repeats another's.", "0.57 to 0.73"
    ),
    "specialisation": Figure(
        "How far topics are from the whole corpus, by level from the root: 0 the same words, 1 none in common. It "
        "should rise.",
        "0.1 to 0.5 for the root, 0.48 to 0.73 on level 1, 0.68 to 0.9 for the leaves",
    ),
    "affinity children": Figure(
        "How similar topics are to their children, by level from the root, from 0 to 1.", "0.19 to 0.43"
    ),
    "affinity non_children": Figure(
        "The same for the children of others, which should be less similar.", "0.05 to 0.3"
    ),
    "hierarchy parent_child_coherence": Figure(
        "PCC: do the words that a topic shows occur together with those of its children? A NPMI, from -1 to 1.",
        "-0.15 to 0.12 looked up in the documents of training",
    ),
    "hierarchy parent_child_diversity": Figure(
        "PCD: share of words that only one of parent and child shows. 1 here, as trees show no word of an ancestor "
        "again.",
        "1",
    ),
    "hierarchy sibling_diversity": Figure("SD: share of words that only one of the siblings shows.", "1"),
    "hierarchy parent_non_child_diversity": Figure(
        "PnCD: share of words that only one of a topic and another's child shows.", "0.99 to 1"
    ),
    "classes n_docs": Figure("Documents that have a class, for each depth of the classes."),
    "classes nmi": Figure(
        "Normalised mutual information of topics and classes: 0 independent, 1 the same. A group for each level from 1 "
        "on, a number in it for each depth of the classes.",
        "0.3 to 0.8 for level 1 and the first depth: 0.75 to 0.8 with 5 classes, 0.33 to 0.45 with 49",
    ),
    "classes purity": Figure(
        "Share of documents in the commonest class of their topic. It grows with the number of topics by itself.",
        "0.25 to 0.95 for level 1",
    ),
    "classes dendrogram_purity": Figure(
        "Two documents of a class: the share of that class in the smallest topic that holds both, for each depth.",
        "0.15 to 0.7",
    ),
}
OLD_NAMES = ("labels",)
"""Parts of a report that repeat others."""


def explained(report: dict[str, Any], *, width: int | None = None) -> list[str]:
    r"""Return a report as lines: each figure, with its meaning below.

    >>> print("\n".join(explained({"n_topics": 3, "diversity": 0.6543}, width=60)))
    n_topics   3
    diversity  0.6543
        Share of different words among the top words of all
        topics; 1 if no topic repeats another's. Usual: 0.57 to
        0.73.
    """
    rows = flat({name: value for name, value in report.items() if name not in OLD_NAMES})
    longest = max(map(len, rows))
    across = min(WIDEST, shutil.get_terminal_size((80, 24)).columns) if width is None else width
    lines: list[str] = []
    for name, value in rows.items():
        lines.append(f"{name:{longest}}  {value}")
        if name in FIGURES:
            meaning, usual = FIGURES[name]
            text = f"{meaning} Usual: {usual}." if usual else meaning
            lines += textwrap.wrap(text, max(40, across), initial_indent="    ", subsequent_indent="    ")
    return lines


def flat(report: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Flatten a report: join the names of parts, and give numbers four digits.

    >>> flat({"n_topics": 3, "coherence": {"npmi": 0.123456, "npmi_by_level": [None, 0.2]}})
    {'n_topics': '3', 'coherence npmi': '0.1235', 'coherence npmi_by_level': '- 0.2'}
    """
    rows: dict[str, str] = {}
    for name, value in report.items():
        if isinstance(value, dict):
            rows |= flat(value, f"{prefix}{name} ")
        else:
            rows[prefix + name] = _shown(value)
    return rows


def _shown(value: Any) -> str:
    if isinstance(value, list):
        nested = any(isinstance(item, list) for item in value)
        return ("; " if nested else " ").join(map(_shown, value))
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
