"""NPMI and C_v: as in gensim, as from counting windows by hand, and defined in odd cases."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from topicgrove.corpus import Corpus, read_uci
from topicgrove.evaluation import cooccurrence
from topicgrove.evaluation.coherence import EPSILON, cv_coherence, npmi_coherence, topic_coherence

N_WORDS = 60
MEASURES = {"c_npmi": npmi_coherence, "c_v": cv_coherence}


def draw_texts(n_texts, seed=0, lengths=(1, 30)):
    """Texts of common and rare words, in which words repeat."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(N_WORDS, 0.3), 5) + 1e-3
    p /= p.sum(axis=1, keepdims=True)
    return [rng.choice(N_WORDS, rng.integers(*lengths), p=p[rng.integers(5)]).tolist() for _ in range(n_texts)]


def draw_texts_without_repeats(n_texts, gap, seed=0):
    """Texts in which a word comes back after `gap` tokens at the earliest: one order of words, over and over."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n_texts):
        order = rng.permutation(gap + 20)
        texts.append(np.tile(order, 3)[: rng.integers(1, 3 * gap)].tolist())
    return texts


def draw_topics(texts, n_topics=8, seed=1):
    """Topics of words that occur."""
    rng = np.random.default_rng(seed)
    words = sorted({word for text in texts for word in text})
    sizes = rng.integers(2, 11, n_topics)
    return [rng.choice(words, size, replace=False).tolist() for size in sizes]


def gensim_coherence(measure, topics, texts, window):
    gensim = pytest.importorskip("gensim")
    texts = [[f"w{word}" for word in text] for text in texts]
    topics = [[f"w{word}" for word in topic] for topic in topics]
    dictionary = gensim.corpora.Dictionary(texts)
    model = gensim.models.CoherenceModel(
        topics=topics, texts=texts, dictionary=dictionary, coherence=measure, window_size=window, processes=1
    )
    return model.get_coherence_per_topic()


def windows_by_hand(texts, window):
    return [set(text[i : i + window]) for text in texts for i in range(max(len(text) - window + 1, 1))]


def npmi_by_hand(topic, windows):
    values = []
    for v, w in permutations(topic, 2):
        p_v, p_w, p_vw = (sum(words <= window for window in windows) / len(windows) for words in ({v}, {w}, {v, w}))
        values.append(np.log((p_vw + EPSILON) / (p_v * p_w)) / -np.log(p_vw + EPSILON))
    return np.mean(values)


@pytest.mark.parametrize("measure", MEASURES)
def test_document_coherence_is_gensims_with_windows_of_whole_documents(measure):
    texts = [*draw_texts(150), []]
    topics = draw_topics(texts)
    expected = gensim_coherence(measure, topics, texts, window=1000)
    corpus = Corpus.from_documents(texts, n_words=N_WORDS)
    np.testing.assert_allclose(MEASURES[measure](topics, corpus), expected, atol=1e-9)
    np.testing.assert_allclose(MEASURES[measure](topics, texts=texts, window=None), expected, atol=1e-9)
    together = topic_coherence(topics, corpus.to_csr())
    np.testing.assert_allclose(together.npmi if measure == "c_npmi" else together.c_v, expected, atol=1e-9)


# gensim loses a word that leaves a window while a repeat of it stays inside, so its texts have no such repeats here.
@pytest.mark.parametrize(("measure", "window"), [("c_npmi", 10), ("c_v", 110)])
def test_sliding_windows_are_gensims(measure, window):
    texts = [*draw_texts_without_repeats(30, gap=window), []]
    topics = draw_topics(texts)
    expected = gensim_coherence(measure, topics, texts, window)
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(MEASURES[measure](topics, texts=texts), expected, atol=1e-9)


@pytest.mark.parametrize("window", [1, 2, 5, 40])
def test_sliding_windows_are_those_counted_by_hand(window):
    texts = draw_texts(40, lengths=(0, 30))
    topics = draw_topics(texts)
    windows = windows_by_hand(texts, window)
    expected = [npmi_by_hand(topic, windows) for topic in topics]
    np.testing.assert_allclose(npmi_coherence(topics, texts=iter(texts), window=window), expected, atol=1e-9)


def test_a_word_that_ends_one_document_and_begins_the_next_is_in_both():
    texts = [[0, 1], [], [1, 2], [2], [2, 3]]
    windows = windows_by_hand(texts, 2)
    expected = [npmi_by_hand(topic, windows) for topic in ([1, 2], [2, 3])]
    np.testing.assert_allclose(npmi_coherence([[1, 2], [2, 3]], Corpus.from_documents(texts)), expected, atol=1e-9)


def test_blocks_of_topics_do_not_change_results(monkeypatch):
    texts = draw_texts(60)
    topics = draw_topics(texts, n_topics=20)
    corpus = Corpus.from_documents(texts, n_words=N_WORDS)
    expected = npmi_coherence(topics, corpus)
    monkeypatch.setattr(cooccurrence, "TOPICS_AT_ONCE", 3)
    np.testing.assert_array_equal(npmi_coherence(topics, corpus), expected)


def test_real_corpus_agrees_with_gensim():
    folder = Path(__file__).parents[2].parent / "shared" / "data" / "lda_reuters395"
    if not folder.is_dir():
        pytest.skip("the shared corpora are not here")
    corpus = read_uci(folder / "docword.lda_reuters395.txt.gz")
    frequent = np.argsort(-np.bincount(corpus.words), kind="stable")
    topics = frequent[:200].reshape(20, 10).tolist()
    texts = [words.tolist() for words in np.split(corpus.words, corpus.offsets[1:-1])]
    coherence = topic_coherence(topics, corpus)
    np.testing.assert_allclose(coherence.npmi, gensim_coherence("c_npmi", topics, texts, 10**6), atol=1e-6)
    np.testing.assert_allclose(coherence.c_v, gensim_coherence("c_v", topics, texts, 10**6), atol=1e-6)


class TestOddTopics:
    X = np.array([[1, 1, 0, 0, 1], [2, 1, 0, 0, 1], [0, 0, 3, 0, 1], [1, 0, 1, 0, 1]])

    def test_topics_of_less_than_two_words_have_no_coherence(self):
        coherence = topic_coherence([[0], [], [0, 1]], self.X)
        assert np.isnan(coherence.npmi).tolist() == np.isnan(coherence.c_v).tolist() == [True, True, False]
        assert coherence.to_dict()["npmi_per_topic"][:2] == [None, None]
        assert coherence.to_dict()["npmi"] == coherence.npmi[2]

    @pytest.mark.parametrize("topics", [[], [[]]])
    def test_no_words_at_all(self, topics):
        assert len(npmi_coherence(topics, self.X)) == len(cv_coherence(topics, texts=[[0, 1]])) == len(topics)
        assert topic_coherence(topics, self.X).to_dict()["c_v"] is None

    def test_a_word_that_never_occurs_counts_as_independent(self):
        known = npmi_coherence([[0, 1]], self.X)[0]
        assert npmi_coherence([[0, 1, 3]], self.X)[0] == pytest.approx(known / 3)
        assert cv_coherence([[0, 1, 3]], self.X)[0] == pytest.approx(cv_coherence([[0, 1]], self.X)[0] * 2 / 3)
        assert npmi_coherence([[7, 8]], texts=[[0], [-1]])[0] == 0

    def test_words_of_every_document_go_together(self):
        X = np.ones((3, 2), np.int64)
        assert topic_coherence([[0, 1]], X).npmi[0] == 1
        assert topic_coherence([[0, 1]], X).c_v[0] == pytest.approx(1)
        assert npmi_coherence([[0, 4]], self.X)[0] == pytest.approx(0, abs=1e-9)

    def test_words_never_together_are_worse_than_independent_ones(self):
        assert -1 < npmi_coherence([[1, 2]], self.X)[0] < -0.9


class TestRefusals:
    X = np.ones((2, 3), np.int64)

    @pytest.mark.parametrize(
        ("topics", "error", "message"),
        [
            ([[0, 0]], ValueError, r"top_words\[0\] has a word twice"),
            ([[0, 1], [0, -1]], ValueError, r"top_words\[1\] has the word id -1"),
            ([[0, 3]], ValueError, "word id 3, but corpus has ids from 0 to 2"),
            ([["tree"]], TypeError, r"top_words\[0\] must be a sequence of word ids"),
            ([[0.5, 1.0]], TypeError, r"top_words\[0\] must be a sequence of word ids"),
        ],
    )
    def test_wrong_topics(self, topics, error, message):
        with pytest.raises(error, match=message):
            npmi_coherence(topics, self.X)

    def test_corpus_or_texts(self):
        with pytest.raises(ValueError, match="either corpus or texts"):
            npmi_coherence([[0, 1]])
        with pytest.raises(ValueError, match="either corpus or texts"):
            cv_coherence([[0, 1]], self.X, texts=[[0, 1]])

    @pytest.mark.parametrize("window", [0, -1, True, 2.5, "10"])
    def test_wrong_window(self, window):
        with pytest.raises(ValueError, match="window must be a whole number"):
            npmi_coherence([[0, 1]], texts=[[0, 1]], window=window)

    @pytest.mark.parametrize("text", ["tree", [0.5], [[1, 2]], 3])
    def test_wrong_text(self, text):
        with pytest.raises(TypeError, match=r"texts\[1\]"):
            npmi_coherence([[0, 1]], texts=[[0, 1], text])

    def test_no_texts(self):
        with pytest.raises(ValueError, match="texts has no texts"):
            npmi_coherence([[0, 1]], texts=[])
