"""Collocations: those that gensim finds, joined as it joins them, the same whoever reads the texts."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicgrove import Corpus, TextRules, build_store, read_corpus
from topicgrove.corpus import phrases as module

WORDS = ["aa", "bb", "cc", "dd", "ee", "the"]
ALL_WORDS = {"stop_words": None, "min_df": 1, "max_df": 1.0, "clean": None}


def made_texts(seed=0, n_docs=60):
    """Random words, with collocations strewn in."""
    rng = np.random.default_rng(seed)
    words = [f"word{i}" for i in range(30)] + ["the"] * 10
    fixed = ["neural network", "black hole", "black hole star", "hong kong", "network hole"]
    pieces = [*words, *fixed * 3]
    return [" ".join(rng.choice(pieces, rng.integers(1, 40))) for _ in range(n_docs)]


def slow_twin(texts, stop_words=frozenset()):
    """Join phrases in documents, in plain Python and without min_df."""
    documents = [[word for word in text.split() if len(word) > 1] for text in texts]
    of_words = Counter(word for words in documents for word in words)
    of_pairs = Counter(pair for words in documents for pair in pairwise(words))
    n = sum(of_words.values())
    found = set()
    for (a, b), count in of_pairs.items():
        if count >= module.least_count(n) and not {a, b} & stop_words:
            score = np.log(count / n / (of_words[a] / n * (of_words[b] / n))) / -np.log(count / n)
            found |= {(a, b)} if score > module.THRESHOLD else set()
    joined = []
    for words in documents:
        joined.append([])
        while words:
            length = 2 if tuple(words[:2]) in found else 1
            joined[-1].append(" ".join(words[:length]))
            words = words[length:]
    return [[word for word in words if word not in stop_words] for words in joined]


def documents_of(corpus):
    spelled = np.array(corpus.vocabulary)
    bounds = zip(corpus.offsets, corpus.offsets[1:], strict=False)
    return [Counter(spelled[corpus.words[begin:end]].tolist()) for begin, end in bounds]


@pytest.mark.parametrize("seed", range(3))
def test_phrases_and_counts_are_those_of_gensim(seed):
    gensim_phrases = pytest.importorskip("gensim.models.phrases")
    texts = made_texts(seed)
    sentences = [text.split() for text in texts]
    least = module.least_count(sum(map(len, sentences)))
    theirs = gensim_phrases.Phrases(
        sentences, min_count=least, threshold=module.THRESHOLD, scoring="npmi", delimiter=" "
    )
    ours = Corpus.from_texts(texts, phrases=True, **ALL_WORDS)
    assert documents_of(ours) == [Counter(theirs[sentence]) for sentence in sentences]
    assert {"neural network", "hong kong"} <= set(ours.vocabulary)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=30), min_size=1, max_size=12))
def test_phrases_are_those_of_plain_python(documents):
    texts = [" ".join(words) for words in [*documents, ["aa", "bb"] * 3]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FIRST_PAIRS", 2)
        ours = Corpus.from_texts(texts, phrases=True, n_jobs=1, **ALL_WORDS | {"stop_words": ["the"]})
    assert documents_of(ours) == [Counter(words) for words in slow_twin(texts, frozenset(["the"]))]


def test_phrases_do_not_reach_across_stop_words():
    corpus = Corpus.from_texts(["state of art"] * 9 + ["old trees"] * 9, phrases=True)
    assert corpus.vocabulary == ("art", "old trees", "state")


def test_words_that_only_occur_in_phrases_are_left_out_even_of_min_df_0():
    corpus = Corpus.from_texts(["hong kong"] * 9 + ["tree"] * 200, phrases=True, min_df=0.0, max_df=1.0)
    assert corpus.vocabulary == ("hong kong", "tree")


def test_rare_pairs_are_no_phrases():
    assert Corpus.from_texts(["hong kong"] * 4, phrases=True).vocabulary == ("hong", "kong")


@pytest.mark.parametrize("options", [{}, {"max_features": 20}, {"min_df": 8}, {"token_pattern": "[a-z0-9]{2,}"}])
def test_a_vocabulary_that_is_given_joins_the_same_phrases(options):
    texts = made_texts()
    corpus = Corpus.from_texts(texts, phrases=True, **options)
    again = Corpus.from_texts(texts, vocabulary=corpus.vocabulary, rules=corpus.rules)
    assert any(" " in word for word in corpus.vocabulary)
    assert documents_of(again) == documents_of(corpus)


def test_unknown_words_are_counted_in_joined_text():
    rules = TextRules(phrases=True)
    corpus = Corpus.from_texts(["a black hole, old hole"], vocabulary=["black hole"], rules=rules)
    assert (documents_of(corpus), corpus.n_unknown_words) == ([{"black hole": 1}], 2)


def test_an_analyzer_of_one_s_own_gives_the_words_to_join():
    def of_hyphens(text):
        return text.split("-")

    corpus = Corpus.from_texts(["black-hole-old tree"] * 9, phrases=True, analyzer=of_hyphens)
    assert corpus.vocabulary == ("black hole", "old tree")


def test_threads_and_readers_agree(tmp_path):
    texts = made_texts(n_docs=3000)
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts))
    one = read_corpus(path, phrases=True, max_df=1.0, n_jobs=1)
    for other in (
        read_corpus(path, phrases=True, max_df=1.0, n_jobs=3),
        build_store(path, tmp_path / "store", phrases=True, max_df=1.0, n_jobs=2),
    ):
        assert other.vocabulary == one.vocabulary
        np.testing.assert_array_equal(other.words, one.words)
        np.testing.assert_array_equal(other.offsets, one.offsets)
    assert "hong kong" in one.vocabulary


def test_rules_without_the_key_join_nothing():
    stored = TextRules(phrases=True).to_dict()
    assert TextRules.from_dict(stored).phrases
    del stored["phrases"]
    assert not TextRules.from_dict(stored).phrases


@pytest.mark.parametrize(("options", "error"), [({"phrases": 1}, TypeError), ({"ngram_range": (1, 2)}, ValueError)])
def test_phrases_that_cannot_be_are_refused(options, error):
    with pytest.raises(error, match="phrases"):
        TextRules(**{"phrases": True} | options)
