"""The corpus that comes with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from topicgrove.corpus.read import read_corpus
from topicgrove.corpus.tokens import Corpus

EXAMPLE = Path(__file__).parents[1] / "data" / "debian.jsonl.gz"
"""Descriptions of Debian packages as JSON Lines, with the fields id, title, text and label."""

MAX_DF = 0.1
"""Words in more of the descriptions, such as "library" and "files", are left out."""


def load_example(**options: Any) -> Corpus:
    """Load the descriptions of 3,000 Debian packages that come with TopicGrove.

    Documents have ids, titles, and their section of the archive as their class.

    Parameters
    ----------
    **options
        Options of `read_corpus`, such as ``ngram_range=(1, 2)``; ``max_df`` is .1 unless it is given.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> from topicgrove import load_example
    >>> corpus = load_example()
    >>> corpus.n_docs, corpus.ids[0], corpus.titles[0]
    (3000, '0xffff', 'Open Free Fiasco Firmware Flasher')
    """
    settings: dict[str, Any] = {"titles": True, "class_field": "label"}
    if options.get("rules") is None:
        settings["max_df"] = MAX_DF
    return read_corpus(EXAMPLE, **(settings | options))
