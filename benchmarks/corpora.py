"""Corpora for the benchmarks: UCI files in a folder of corpora, or corpus stores by their path."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from topicgrove import Corpus, open_store, read_uci

FOLDER = Path(os.environ.get("TOPICGROVE_DATA", Path(__file__).parents[2] / "shared" / "data"))
"""One folder per corpus, with ``docword.<name>.txt.gz`` inside; set TOPICGROVE_DATA to use yours."""


def load(name: str) -> Corpus:
    """Load a corpus by its name, or a store by its path."""
    if Path(name).is_dir():
        return open_store(name)
    path = FOLDER / name / f"docword.{name}.txt.gz"
    if not path.exists():
        raise SystemExit(
            f"benchmark corpus {name} is not there: {path} (set TOPICGROVE_DATA to the folder that has it)"
        )
    return read_uci(path)


def split(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """Return training and test documents: those with index 7 modulo 10 are held out."""
    return hold_out(corpus, 7)


def hold_out(corpus: Corpus, fold: int) -> tuple[Corpus, Corpus]:
    """Return training documents, and those whose index is ``fold`` modulo 10."""
    index = np.arange(corpus.n_docs)
    return corpus.take(index[index % 10 != fold]), corpus.take(index[index % 10 == fold])
