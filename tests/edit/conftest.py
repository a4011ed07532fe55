"""A model with three levels, trained for a moment, and a check that its counts are those of its assignments."""

from collections.abc import Callable

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA

THEMES = ("moon orbit rocket crater", "hockey puck skate rink", "bread flour oven crust", "chord guitar drum tune")


def make_corpus(n_docs: int = 160, seed: int = 0) -> Corpus:
    """Documents of four themes, each with four variants that share half of their words."""
    rng = np.random.default_rng(seed)
    texts = []
    for d in range(n_docs):
        words = [*THEMES[d % 4].split(), *(f"{word}{d // 4 % 4}" for word in THEMES[d % 4].split()), "news", "year"]
        texts.append(" ".join(rng.choice(words, size=30)))
    texts[7] = ""
    return Corpus.from_texts(texts, ids=[f"doc-{d}" for d in range(n_docs)], n_jobs=1)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return make_corpus()


@pytest.fixture
def model(corpus: Corpus) -> HierarchicalLDA:
    options = {"gamma": 0.5, "beta": [0.5, 0.2, 0.1], "n_init": 2, "min_docs": 2, "n_iter": 8, "random_state": 1}
    with pytest.warns(UserWarning, match="empty"):
        return HierarchicalLDA(3, **options).fit(corpus)


@pytest.fixture(scope="session")
def check(corpus: Corpus) -> Callable[[HierarchicalLDA], None]:
    """Recount everything in plain Python."""

    def recount(model: HierarchicalLDA) -> None:
        tree = model.tree_
        tree.check()
        counts, n_docs = np.zeros(tree.word_counts.shape, int), np.zeros(len(tree), int)
        tokens = iter(zip(corpus.words.tolist(), model.token_levels_.tolist(), strict=True))
        for path, length, levels in zip(
            model.paths_.tolist(), corpus.document_lengths, tree.documents.level_counts.tolist(), strict=True
        ):
            assert [tree.parent[topic] for topic in path] == [-1, *path[:-1]]
            n_docs[path] += 1
            seen = [0] * len(path)
            for word, level in (next(tokens) for _ in range(length)):
                counts[path[level], word] += 1
                seen[level] += 1
            assert seen == levels
        assert np.array_equal(counts, tree.word_counts.toarray())
        assert np.array_equal(counts, model.topic_word_counts_.toarray())
        assert np.array_equal(n_docs, tree.n_docs)
        assert (n_docs > 0).all()
        assert tree.documents.ids == corpus.ids

    return recount
