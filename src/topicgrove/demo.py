"""``python -m topicgrove.demo``: fit the bundled descriptions of Debian packages and show their tree of topics."""

from __future__ import annotations

import json
import os
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from topicgrove.corpus import Corpus, read_uci
from topicgrove.estimator import HierarchicalLDA
from topicgrove.tree import TopicTree

DATA = Path(__file__).parent / "data"
OUT = Path("out") / "debian-tree.json"
N_ITER = 100
N_WORDS = 8
N_EXAMPLES = 3
LEAST_COUNT = 5
"""Words with fewer tokens in a topic tell nothing about it."""

LEAST_DOCS = 40
"""Topics with fewer documents are not printed; the file has them all."""

WIDTH = 110


class Topic(NamedTuple):
    """A topic as it is shown: its place in the tree, its most telling words, and documents that end in it."""

    id: int
    parent: int
    level: int
    n_docs: int
    n_tokens: int
    words: list[str]
    examples: list[str]


def load_corpus(folder: Path = DATA) -> tuple[Corpus, list[str]]:
    """The bundled corpus, and the names of its documents: package (section)."""
    corpus = read_uci(folder / "docword.debian.txt.gz")
    lines = (folder / "titles.debian.txt").read_text(encoding="utf-8").splitlines()
    titles = ["{} ({})".format(*line.split("\t")) for line in lines]
    return corpus, titles


def escape(text: str) -> str:
    r"""Text from a file, safe to print: what a terminal would obey instead of showing is written as an escape.

    >>> escape("tree\x1b[2J")
    'tree\\x1b[2J'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def telling_words(counts: sparse.csr_array, n: int, least: int = LEAST_COUNT) -> list[NDArray[np.int64]]:
    """For each topic at most n words with the largest p(w | t) log(p(w | t) / p(w)), the most telling first.

    They are frequent in the topic, and more so than elsewhere; at least ``least`` tokens of each are in the topic.

    >>> [words.tolist() for words in telling_words(sparse.csr_array([[9, 9, 0], [5, 1, 3]]), n=2, least=2)]
    [[1], [2, 0]]
    """
    everywhere = np.asarray(counts.sum(axis=0), np.float64).ravel() / counts.sum()
    chosen = []
    for begin, end in pairwise(counts.indptr):
        words, here = counts.indices[begin:end].astype(np.int64), counts.data[begin:end]
        share = here / max(here.sum(), 1)
        score = np.where(here >= least, share * np.log(share / everywhere[words]), -np.inf)
        order = np.argsort(-score, kind="stable")[:n]
        chosen.append(words[order[score[order] > 0]])
    return chosen


def typical_documents(corpus: Corpus, leaf_of: NDArray[np.int32], token_levels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """All documents, by leaf, and for each leaf those with most tokens in it first."""
    is_leaf = np.append(0, np.cumsum(token_levels == token_levels.max(initial=0)))
    in_leaf = np.diff(is_leaf[corpus.offsets])
    return np.lexsort((-in_leaf, leaf_of))


def describe(model: HierarchicalLDA, corpus: Corpus, titles: Sequence[str]) -> list[Topic]:
    """Every topic of a fitted model, in the tree's order."""
    tree: TopicTree = model.tree_
    vocabulary = corpus.vocabulary or tuple(map(str, range(corpus.n_words)))
    leaf_of = model.paths_[:, -1]
    typical = typical_documents(corpus, leaf_of, model.token_levels_)
    telling = telling_words(model.topic_word_counts_, N_WORDS)
    first = np.searchsorted(leaf_of[typical], np.arange(len(tree) + 1))
    return [
        Topic(
            id=t,
            parent=int(tree.parent[t]),
            level=int(tree.level[t]),
            n_docs=int(tree.n_docs[t]),
            n_tokens=int(tree.n_tokens[t]),
            words=[vocabulary[w] for w in telling[t]],
            examples=[titles[d] for d in typical[first[t] : first[t + 1]][:N_EXAMPLES]],
        )
        for t in range(len(tree))
    ]


def topic_lines(topic: Topic) -> Iterator[str]:
    """A topic's documents and words, and below them documents that end in it."""
    indent = "    " * topic.level
    words = " ".join(topic.words) or "(no words of its own)"
    yield f"{indent}{topic.n_docs:5d}  {escape(words)}"
    if topic.examples:
        text = "e.g. " + ", ".join(map(escape, topic.examples))
        below, further = indent + " " * 7, indent + " " * 12
        yield from textwrap.wrap(text, WIDTH, initial_indent=below, subsequent_indent=further, break_on_hyphens=False)


def tree_lines(topics: Sequence[Topic], least_docs: int = 1) -> Iterator[str]:
    """The tree, indented; siblings with fewer documents than ``least_docs`` are summed up in one line."""
    children: defaultdict[int, list[Topic]] = defaultdict(list)
    for topic in topics:
        children[topic.parent].append(topic)

    def below(parent: Topic) -> Iterator[str]:
        yield from topic_lines(parent)
        small = [topic for topic in children[parent.id] if topic.n_docs < least_docs]
        for topic in children[parent.id]:
            if topic.n_docs >= least_docs:
                yield from below(topic)
        if small:
            what = "smaller topic" if len(small) == 1 else "smaller topics"
            n_docs = sum(topic.n_docs for topic in small)
            yield f"{'    ' * small[0].level}{n_docs:5d}  in {len(small)} {what}"

    return below(topics[0])


def as_json(topics: Sequence[Topic], corpus: Corpus, log_joint: float) -> dict[str, Any]:
    """What the file holds."""
    sizes = {"n_docs": corpus.n_docs, "n_words": corpus.n_words, "n_tokens": corpus.n_tokens}
    return {"corpus": sizes, "log_joint": log_joint, "topics": [topic._asdict() for topic in topics]}


def write_json(content: dict[str, Any], path: Path) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def main() -> None:
    """Fit, print, write."""
    corpus, titles = load_corpus()
    print(f"{corpus.n_docs:,} descriptions of Debian packages: {corpus.n_tokens:,} tokens, {corpus.n_words:,} words")
    model = HierarchicalLDA(n_iter=N_ITER, random_state=0, n_jobs=-1, verbose=1).fit(corpus)
    topics = describe(model, corpus, titles)
    per_level = "-".join(map(str, model.tree_.n_topics_per_level))
    print(f"\n{len(topics)} topics on {model.tree_.n_levels} levels ({per_level}); documents and telling words:\n")
    print("\n".join(tree_lines(topics, LEAST_DOCS)))
    write_json(as_json(topics, corpus, model.log_joint_), OUT)
    print(f"\nAll topics are in {OUT}")


if __name__ == "__main__":
    main()
