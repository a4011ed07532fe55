"""Effect of words on trees: CountVectorizer's, ours, and ours with phrases; six seeds per corpus.

``python benchmarks/words.py [CORPUS ...] [--seeds 1 2 3]`` runs some of them. Documents with index 7 modulo 10 are held
out. In mail, addresses, names of senders and attached files reveal the class of a document but not its topic, so
CountVectorizer's words without them are measured as well.

Perplexities of different vocabularies are not comparable, so two comparisons replace them: between CountVectorizer's
words and ours, the perplexity of the words that both have, each model renormalised to them; between ours without and
with phrases, the likelihood of the same text by the number of words before phrases are joined. Proportions come from
the first half of a text, and the second half is predicted. Coherence is that of each tree's own words.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from corpora import FOLDER, split
from numpy.typing import NDArray
from scipy import sparse
from trees import Labels, Row, label_paths, labels_of, measure

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.evaluation.report import evaluate_tree

SEEDS = (1, 2, 3, 4, 5, 6)
CORPORA = ("20news", "arxiv_dev")
BEFORE, STRIPPED, AFTER, JOINED = range(4)
SETTINGS: dict[str, dict[str, Any]] = {
    "CountVectorizer's words": {"clean": None, "phrases": False},
    "the same without senders and files": {"clean": ["urls", "emails", "mail", "encoded"], "phrases": False},
    "our words": {"phrases": False},
    "our words and phrases": {"phrases": True},
}
N_WORDS = 10


class Words(NamedTuple):
    """A corpus with one of the settings, and halves of the held-out texts with the same words."""

    title: str
    corpus: Corpus
    observed: Corpus
    held: Corpus


class Result(NamedTuple):
    """Measurements of a tree."""

    row: Row
    npmi: float
    c_v: float
    model: HierarchicalLDA


def texts_of(name: str) -> list[str]:
    with gzip.open(FOLDER / name / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def halves(text: str) -> tuple[str, str]:
    """Split a text at the first blank after its middle."""
    middle = text.find(" ", len(text) // 2)
    return (text, "") if middle < 0 else (text[:middle], text[middle:])


def words_of(texts: list[str], title: str, options: dict[str, Any]) -> Words:
    corpus = Corpus.from_texts(texts, **options)
    cut = [halves(text) for text in texts[7::10]]
    sides = [
        Corpus.from_texts([pair[i] for pair in cut], vocabulary=corpus.vocabulary, rules=corpus.rules) for i in (0, 1)
    ]
    return Words(title, corpus, *sides)


def fit(words: Words, labels: Labels, seed: int) -> Result:
    train, test = split(words.corpus)
    known = [label[np.arange(words.corpus.n_docs) % 10 != 7] for label in labels]
    model = HierarchicalLDA(random_state=seed).fit(train)
    quality = evaluate_tree(model.tree_, model.topic_word_counts_, model.hyper_parameters_, train, None, N_WORDS)
    coherence = quality["coherence"]
    return Result(measure(model, known, test, 0.0), coherence["npmi"], coherence["c_v"], model)


def log_likelihood(
    model: HierarchicalLDA, observed: Corpus, counts: sparse.csr_array, kept: NDArray[np.int64]
) -> float:
    """Return the log probability of the counts of kept words, with probabilities renormalised over these words."""
    tree = model.tree_
    beta = model.hyper_parameters_.beta[tree.level][:, None]
    word_counts: sparse.csr_array = model.topic_word_counts_
    phi = (word_counts[:, kept].toarray() + beta) / (tree.n_tokens[:, None] + beta * observed.n_words)
    theta = model.transform(observed)
    total = 0.0
    for first in range(0, len(theta), 200):
        rows = counts[first : first + 200].tocoo()
        p = theta[first : first + 200] @ phi
        p /= p.sum(axis=1, keepdims=True)
        total += float((rows.data * np.log(p[rows.row, rows.col])).sum())
    return total


def perplexity_of_common_words(one: Words, other: Words, models: list[HierarchicalLDA]) -> list[float]:
    """Return exp(-log likelihood / tokens) by each model, for the tokens that both corpora keep."""
    common = sorted(set(one.corpus.vocabulary or ()) & set(other.corpus.vocabulary or ()))
    columns = [np.searchsorted(np.array(words.corpus.vocabulary), common) for words in (one, other)]
    counts = one.held.to_csr()[:, columns[0]].minimum(other.held.to_csr()[:, columns[1]])
    n_tokens = counts.sum()
    return [
        float(np.exp(-log_likelihood(model, words.observed, counts, kept) / n_tokens))
        for model, words, kept in zip(models, (one, other), columns, strict=True)
    ]


def perplexity_of_text(words: Words, model: HierarchicalLDA) -> float:
    """Return exp(-log likelihood / words), where a phrase counts as the words that it joins."""
    counts = words.held.to_csr()
    n_joined = np.array([word.count(" ") + 1 for word in words.corpus.vocabulary or ()])
    score = log_likelihood(model, words.observed, counts, np.arange(words.corpus.n_words))
    return float(np.exp(-score / (counts @ n_joined).sum()))


def report(name: str, seeds: Iterable[int]) -> None:
    texts = texts_of(name)
    labels = labels_of(label_paths(name))
    settings = [words_of(texts, title, options) for title, options in SETTINGS.items()]
    results: list[list[Result]] = [[] for _ in settings]
    common, by_text = [], []
    for seed in seeds:
        for words, of_setting in zip(settings, results, strict=True):
            of_setting.append(fit(words, labels, seed))
        models = [of_setting[-1].model for of_setting in results]
        both = [models[BEFORE], models[AFTER]]
        common.append(perplexity_of_common_words(settings[BEFORE], settings[AFTER], both))
        by_text.append([perplexity_of_text(settings[i], models[i]) for i in (AFTER, JOINED)])
    for words, of_setting in zip(settings, results, strict=True):
        show(f"{name}, {words.title} (V {words.corpus.n_words:,})", of_setting)
    print(f"  perplexity of common words, before and after: {_all(common)}")
    print(f"  perplexity of the text by single words, without and with phrases: {_all(by_text)}", flush=True)


def show(title: str, results: list[Result]) -> None:
    rows = [result.row for result in results]
    row, spread = Row(*np.mean(rows, axis=0)), Row(*np.std(rows, axis=0))
    npmi, c_v = np.mean([(result.npmi, result.c_v) for result in results], axis=0)
    print(
        f"{title}: NMI {row.nmi_1:.3f} / {row.nmi_2:.3f} (deviation {spread.nmi_1:.3f} / {spread.nmi_2:.3f}), "
        f"perplexity {row.perplexity:.1f} at {row.n_topics:.0f} topics, NPMI {npmi:.3f}, C_v {c_v:.3f}"
    )


def _all(rows: list[list[float]]) -> str:
    mean = " -> ".join(f"{value:.1f}" for value in np.mean(rows, axis=0))
    return f"{mean} (by seed {', '.join(' -> '.join(f'{value:.1f}' for value in row) for row in rows)})"


def main(names: Iterable[str] = CORPORA, seeds: Iterable[int] = SEEDS) -> None:
    for name in names:
        report(name, seeds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=CORPORA)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    arguments = parser.parse_args()
    main(arguments.names, arguments.seeds)
