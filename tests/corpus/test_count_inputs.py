"""Counts in place of text: every format through read_corpus, gensim's corpora, and another vocabulary."""

from itertools import pairwise

import numpy as np
import pytest

from topicgrove.corpus import Corpus, TextRules, read_corpus, shard_bounds, with_vocabulary

UCI = "2\n3\n3\n1 1 2\n1 3 1\n2 2 1\n"
LDAC = "2 0:2 2:1\n1 1:1\n"
COUNTS = [[2, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(("name", "content"), [("docword.a.txt", UCI), ("a.ldac", LDAC)])
def test_counts_are_read_whatever_the_compression(write_packed, name, content):
    assert read_corpus(write_packed(content, name)).to_csr().toarray().tolist() == COUNTS


def test_columns_are_mapped_to_a_given_vocabulary_by_word(write):
    write("tree\nleaf\nroot\n", "vocab.a.txt")
    path = write(UCI, "docword.a.txt")
    corpus = read_corpus(path, vocabulary=["root", "branch", "tree"], rules=TextRules())
    assert corpus.to_csr().toarray().tolist() == [[1, 0, 2], [0, 0, 0]]
    assert corpus.n_unknown_words == 1
    assert corpus.vocabulary == ("root", "branch", "tree")


def test_columns_without_words_must_be_as_many_as_the_vocabulary(write):
    path = write(LDAC, "a.ldac")
    assert read_corpus(path, vocabulary=["a", "b", "c"]).vocabulary == ("a", "b", "c")
    with pytest.raises(ValueError, match=r"a\.ldac has 3 words, without their spelling; the vocabulary has 2"):
        read_corpus(path, vocabulary=["a", "b"])


def test_the_same_vocabulary_changes_nothing():
    corpus = Corpus.from_texts(["tree leaf"])
    assert with_vocabulary(corpus, list(corpus.vocabulary)) is corpus


@pytest.mark.parametrize("options", [{"rules": TextRules()}, {"min_df": 2}])
def test_rules_of_text_are_refused_for_counts(write, options):
    with pytest.raises(ValueError, match=r"holds counts .* can only be applied to text"):
        read_corpus(write(UCI, "docword.a.txt"), **options)


class TestGensim:
    def test_gensim_corpus_and_dictionary_are_read(self):
        corpora = pytest.importorskip("gensim.corpora")
        texts = [["tree", "leaf", "tree"], [], ["root"]]
        dictionary = corpora.Dictionary(texts)
        corpus = Corpus.from_gensim([dictionary.doc2bow(text) for text in texts], dictionary)
        spelled = [[corpus.vocabulary[w] for w in corpus.words[a:b]] for a, b in pairwise(corpus.offsets)]
        assert [sorted(doc) for doc in spelled] == [sorted(text) for text in texts]

    def test_matrix_market_of_gensim_is_read(self, tmp_path):
        corpora = pytest.importorskip("gensim.corpora")
        bags = [[(0, 2.0), (2, 1.0)], [(1, 1.0)]]
        corpora.MmCorpus.serialize(str(tmp_path / "bags.mm"), bags)
        assert read_corpus(tmp_path / "bags.mm").to_csr().toarray().tolist() == COUNTS

    def test_unsorted_and_repeated_ids_are_accepted(self):
        assert Corpus.from_gensim([[(2, 1), (0, 1), (0, 1)]]).words.tolist() == [0, 0, 2]

    @pytest.mark.parametrize(
        ("bag", "message"),
        [
            ([(0, 0.5)], "document 1 has a count that is no whole number"),
            ([(0, -1)], "document 1 has a count"),
            ([(0, float("nan"))], "document 1 has a count"),
            ([(0, 2**31)], "document 1 has a count"),
            ([(-1, 1)], "document 1 has a word id"),
            ([(0.5, 1)], "document 1 has a word id"),
        ],
    )
    def test_wrong_bag_is_refused_naming_the_document(self, bag, message):
        with pytest.raises(ValueError, match=message):
            Corpus.from_gensim([[(0, 1)], bag])

    @pytest.mark.parametrize(
        "bag", [3, [3], [0, 1], (0, 1), ["tree"], [(1, 2, 3)], [()], [(0, "1")], [[(0, 1), (1, 1)]]]
    )
    def test_document_that_is_no_bag_is_refused(self, bag):
        with pytest.raises(TypeError, match=r"document 0 .* pairs"):
            Corpus.from_gensim([bag])

    def test_wrong_words_are_refused(self):
        with pytest.raises(ValueError, match="id2word must have the ids from 0 to 1"):
            Corpus.from_gensim([[(0, 1)]], {0: "a", 2: "b"})
        with pytest.raises(TypeError, match="id2word"):
            Corpus.from_gensim([[(0, 1)]], ["a"])
        with pytest.raises(ValueError, match="word id that is not from 0 to 0"):
            Corpus.from_gensim([[(1, 1)]], {0: "a"})

    def test_nothing_is_refused(self):
        with pytest.raises(ValueError, match="no documents"):
            Corpus.from_gensim([])
        with pytest.raises(ValueError, match="no words"):
            Corpus.from_gensim([[]])


class TestShards:
    @pytest.mark.parametrize("n_shards", [1, 2, 3, 7, 50])
    def test_shards_are_consecutive_and_balanced(self, n_shards):
        lengths = np.random.default_rng(0).integers(0, 40, 1000)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        bounds = shard_bounds(offsets, n_shards)
        assert [begin for begin, _ in bounds] == [0, *(end for _, end in bounds[:-1])]
        assert bounds[-1][1] == 1000
        tokens = np.array([offsets[end] - offsets[begin] for begin, end in bounds])
        assert np.abs(tokens - offsets[-1] / n_shards).max() <= 42

    def test_more_shards_than_documents_leave_some_empty(self):
        bounds = shard_bounds(np.array([0, 5, 10]), 4)
        assert sum(end - begin for begin, end in bounds) == 2
        assert len(bounds) == 4

    def test_empty_documents_are_shared_out(self):
        assert shard_bounds(np.zeros(101, np.int64), 2) == [(0, 50), (50, 100)]

    def test_no_documents_are_shared_out(self):
        assert shard_bounds(np.array([0]), 2) == [(0, 0), (0, 0)]

    @pytest.mark.parametrize("n_shards", [0, -1, 1.5, True])
    def test_wrong_number_of_shards_is_refused(self, n_shards):
        with pytest.raises(ValueError, match="n_shards"):
            shard_bounds(np.array([0, 1]), n_shards)
