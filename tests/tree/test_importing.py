"""Models of other programs as trees: printed, searched, exported and explored like our own."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove import TopicTree

SPACE, SPORT = "moon orbit rocket crater star", "goal team match ball league"
TEXTS = [" ".join(np.random.default_rng(i).choice((SPACE if i % 2 else SPORT).split(), 12)) for i in range(40)]


def check_journey(tree, folder):
    """Do what people do with a tree: check, print, export, draw a page."""
    tree.check()
    assert len(tree.render(min_docs=1).splitlines()) == len(tree)
    assert tree.to_csv().count("\n") == len(tree) + 1
    assert tree.to_graphml().count("<node id=") == len(tree)
    page = tree.explore(folder / "page.html").read_text(encoding="utf-8")
    assert all(word in page for word in tree.top_words(len(tree) - 1, 2))


def topic_with(tree, word):
    return next(topic for topic in range(1, len(tree)) if word in tree.top_words(topic, 5, by="probability"))


@pytest.mark.parametrize("kind", [LatentDirichletAllocation, NMF])
def test_a_model_of_scikit_learn_becomes_a_tree_with_its_documents(kind, tmp_path):
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(TEXTS)
    model = kind(2, random_state=0).fit(X)
    tree = TopicTree.from_sklearn(model, vectorizer, TEXTS, ids=[f"d{i}" for i in range(40)])
    check_journey(tree, tmp_path)
    assert tree.n_docs.tolist() == [40, 20, 20]
    assert set(tree.top_words(topic_with(tree, "moon"), 5, by="probability")) == set(SPACE.split())
    assert all(int(d.id[1:]) % 2 for d in tree.representative_documents(topic_with(tree, "moon"), 20))
    by_counts = TopicTree.from_sklearn(model, vectorizer.get_feature_names_out(), X)
    assert by_counts.documents.paths.tolist() == tree.documents.paths.tolist()
    assert TopicTree.from_sklearn(model, vectorizer).n_docs.tolist() == [2, 1, 1]


def test_flat_topics_keep_their_numbers_and_probabilities():
    weights = np.array([[0.5, 0.3, 0.2, 0.0], [0.0, 0.1, 0.2, 0.7], [0.25, 0.25, 0.25, 0.25]])
    tree = TopicTree.from_arrays(weights, vocabulary=list("abcd"))
    for topic, row in enumerate(weights, start=1):
        found = dict(tree.top_words_with_scores(topic, 4, by="probability"))
        assert found == pytest.approx({word: p for word, p in zip("abcd", row, strict=True) if p})
    assert tree.parent.tolist() == [-1, 0, 0, 0]


def test_topics_in_any_order_become_breadth_first():
    tree = TopicTree.from_arrays(
        sparse.eye_array(5, dtype=int), parent=[2, 2, -1, 1, 0], vocabulary=list("abcde"), names={3: "three"}
    )
    assert tree.parent.tolist() == [-1, 0, 0, 1, 2]
    assert [tree.top_words(t, 1, by="probability") for t in range(5)] == [["c"], ["a"], ["b"], ["e"], ["d"]]
    assert tree.name(4) == "three"


def test_branches_of_imported_trees_may_end_on_any_level(tmp_path):
    tree = TopicTree.from_arrays(
        np.eye(4), parent=[-1, 0, 0, 1], vocabulary=list("abcd"), document_topics=[[0, 0, 1, 0], [0, 0, 0.4, 0.6]]
    )
    check_journey(tree, tmp_path)
    assert tree.documents.paths.tolist() == [[0, 2, -1], [0, 1, 3]]
    assert tree.n_docs.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"topic_words": [1, 2]}, "topic_words must have the shape"),
        ({"topic_words": [[-1, 2], [1, 1]]}, "topic_words must be finite numbers from 0"),
        ({"topic_words": [[np.nan, 2], [1, 1]]}, "topic_words must be finite numbers from 0"),
        ({"parent": [0]}, "parent must be 2 whole numbers"),
        ({"parent": [1, 0]}, "parent has a circle"),
        ({"parent": [-1, 7]}, "parent must have numbers from -1 to 1"),
        ({"vocabulary": ["a"]}, "vocabulary has 1 words"),
        ({"document_topics": [[0.5, 0.5, 0.5]]}, r"document_topics has the shape \(1, 3\)"),
        ({"document_topics": [5]}, "document_topics must have numbers of topics that have no children"),
        ({"document_topics": [[np.inf, 1]]}, "document_topics must be finite shares"),
        ({"document_topics": [0, 1], "ids": ["a"]}, "ids has 1 entries; it must have 2"),
        ({"document_topics": [0, 1], "document_lengths": [3]}, "document_lengths must be 2 numbers"),
        ({"n_docs": [1.5, 2]}, "n_docs must be 2 whole numbers"),
        ({"names": {9: "x"}}, "names has a name for 9"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_by_name(changes, message):
    with pytest.raises(ValueError, match=message):
        TopicTree.from_arrays(**{"topic_words": [[1, 2], [3, 4]]} | changes)


def test_a_model_of_gensim_becomes_a_tree(tmp_path):
    pytest.importorskip("gensim")
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    documents = [text.split() for text in TEXTS]
    words = Dictionary(documents)
    bags = [words.doc2bow(document) for document in documents]
    model = LdaModel(bags, num_topics=2, id2word=words, random_state=0, passes=5)
    tree = TopicTree.from_gensim(model, bags)
    check_journey(tree, tmp_path)
    assert tree.n_docs.tolist() == [40, *sorted(tree.n_docs[1:].tolist(), reverse=True)]
    assert tree.top_words(1, 3, by="probability") == [word for word, _ in model.show_topic(0, 3)]
    assert len(TopicTree.from_gensim(model)) == 3


class FakeDocument:
    def __init__(self, n_words, shares=None, path=None, sub=None):
        self.words, self._shares, self._sub = list(range(n_words)), shares, sub
        if path is not None:
            self.path = path

    def get_topic_dist(self):
        if self._shares is None:
            raise SystemError("<class 'super'> returned a result with an exception set")
        return self._shares

    def get_sub_topic_dist(self):
        return self._sub


class FakeLDA:
    k, eta, used_vocabs = 2, 0.5, ("moon", "goal")
    docs = (FakeDocument(9, [0.9, 0.1]), FakeDocument(9, [0.2, 0.8]))
    rows = ((9.5, 0.5), (1.5, 7.5))

    def get_topic_word_dist(self, topic, normalize=True):
        assert not normalize
        return np.array(self.rows[topic])


class FakeHLDA(FakeLDA):
    """Slots of topics, of which the second is dead."""

    k, depth = 4, 2
    rows = ((5.5, 5.5), (0.5, 0.5), (4.5, 0.5), (0.5, 3.5))
    docs = (FakeDocument(9, path=[0, 2]), FakeDocument(9, path=[0, 3]), FakeDocument(9, path=[0, 3]))

    def is_live_topic(self, topic):
        return topic != 1

    def level(self, topic):
        return 0 if topic == 0 else 1

    def parent_topic(self, topic):
        return -1 if topic == 0 else 0

    def num_docs_of_topic(self, topic):
        return (3, 0, 1, 2)[topic]


class FakePachinko(FakeLDA):
    k1, k2 = 2, 3
    rows = ((9.5, 0.5), (1.5, 7.5), (1.5, 2.5))
    docs = (FakeDocument(9, sub=[0.7, 0.2, 0.1]), FakeDocument(9, sub=[0.0, 0.2, 0.8]))

    def get_count_by_super_topic(self):
        return np.array([20, 10])

    def get_sub_topics(self, super_topic):
        return [(0, 0.6), (1, 0.3), (2, 0.1)] if super_topic == 0 else [(1, 0.1), (2, 0.9)]


def test_models_with_the_attributes_of_tomotopys_become_trees(tmp_path):
    flat = TopicTree.from_tomotopy(FakeLDA(), ids=["a", "b"])
    check_journey(flat, tmp_path)
    assert (flat.n_docs.tolist(), flat.n_tokens.tolist()) == ([2, 1, 1], [0, 9, 8])
    tree = TopicTree.from_tomotopy(FakeHLDA())
    check_journey(tree, tmp_path)
    assert (tree.parent.tolist(), tree.n_docs.tolist()) == ([-1, 0, 0], [3, 1, 2])
    assert tree.word_counts.toarray().tolist() == [[5, 5], [4, 0], [0, 3]]
    pachinko = TopicTree.from_tomotopy(FakePachinko())
    check_journey(pachinko, tmp_path)
    assert (pachinko.parent.tolist(), pachinko.n_docs.tolist()) == ([-1, 0, 0, 1, 1, 2], [2, 1, 1, 1, 0, 1])


def test_a_tree_of_tomotopy_has_no_documents_where_its_version_does_not_say_their_paths():
    model = FakeHLDA()
    model.docs = (FakeDocument(9), FakeDocument(9))
    tree = TopicTree.from_tomotopy(model)
    assert tree.documents is None
    assert tree.n_docs.tolist() == [3, 1, 2]
    with pytest.raises(ValueError, match="this model does not say the topics of its own"):
        TopicTree.from_tomotopy(model, ids=["a", "b"])


def test_models_of_tomotopy_itself_become_trees(tmp_path):
    tomotopy = pytest.importorskip("tomotopy")
    for kind, options in (("LDAModel", {"k": 2}), ("HLDAModel", {"depth": 3}), ("PAModel", {"k1": 2, "k2": 4})):
        model = getattr(tomotopy, kind)(seed=1, **options)
        for text in TEXTS:
            model.add_doc(text.split())
        model.train(50, workers=1)
        tree = TopicTree.from_tomotopy(model)
        check_journey(tree, tmp_path)
        assert tree.word_counts.sum() == 40 * 12


@pytest.mark.parametrize("importer", ["from_sklearn", "from_gensim", "from_tomotopy"])
def test_what_is_no_such_model_is_refused_by_name(importer):
    with pytest.raises(TypeError, match=r"model must be a .*; SimpleNamespace has no"):
        getattr(TopicTree, importer)(SimpleNamespace())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, lambda columns: pd.DataFrame(columns).set_index("id")])
def test_a_table_of_topics_becomes_a_tree(frame, tmp_path):
    table = frame(
        {"id": [7, 3, 5], "parent": [None, 7, 7], "words": ["news", "moon, star", "goal, team"], "n_docs": [5, 3, 2]}
    )
    tree = TopicTree.from_table(table)
    check_journey(tree, tmp_path)
    assert (tree.parent.tolist(), tree.n_docs.tolist()) == ([-1, 0, 0], [5, 3, 2])
    assert tree.top_words(1, by="probability") == ["moon", "star"]


def test_a_tree_comes_back_from_its_own_table(tmp_path):
    before = TopicTree.from_arrays(
        np.eye(4), parent=[-1, 0, 0, 1], vocabulary=["one", "two", "three", "four"], n_docs=[0, 0, 4, 5]
    )
    after = TopicTree.from_table(before.to_pandas())
    assert after.parent.tolist() == before.parent.tolist()
    assert after.n_docs.tolist() == before.n_docs.tolist()
    assert [after.name(t) for t in range(4)] == [before.name(t) for t in range(4)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "table has no rows"),
        ([{"id": 1}], "table has no column 'words'"),
        ([{"id": 1, "words": "a"}, {"id": 1, "words": "b"}], "a topic more than once"),
        ([{"id": 1, "words": "a", "parent": 9}], "'9' in 'parent', which is no topic"),
        ([{"id": 1, "words": ""}], "table has no words"),
    ],
)
def test_tables_that_are_no_trees_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        TopicTree.from_table(rows)


def test_hostile_words_and_names_stay_inert(tmp_path):
    evil = "</script><script>alert(1)</script>"
    tree = TopicTree.from_arrays(
        [[3, 1], [1, 3]], vocabulary=[evil, "=1+1"], names={0: evil}, document_topics=[0, 1], ids=[evil, "b"]
    )
    page = tree.explore(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<script>" not in tree.to_graphml()


def test_graphml_is_written_whole_with_its_words(tmp_path):
    tree = TopicTree.from_arrays([[3, 1], [1, 3]], vocabulary=["moon\x01", "goal"])
    text = tree.to_graphml(tmp_path / "tree.graphml")
    assert (tmp_path / "tree.graphml").read_text(encoding="utf-8") == text
    import networkx

    graph = networkx.read_graphml(tmp_path / "tree.graphml")
    assert graph.nodes["1"]["words"] == "moon\\x01"


@pytest.fixture(scope="module")
def learned():
    from topicgrove import HierarchicalLDA

    return HierarchicalLDA(3, n_iter=15, random_state=0).fit(TEXTS).tree_


def test_inputs_of_pyldavis_are_distributions_of_one_level(learned):
    inputs = learned.to_pyldavis(level=1)
    n_topics, n_words = learned.n_topics_per_level[1], len(inputs["vocab"])
    assert inputs["topic_term_dists"].shape == (n_topics, n_words)
    assert np.allclose(inputs["topic_term_dists"].sum(axis=1), 1)
    assert np.allclose(inputs["doc_topic_dists"].sum(axis=1), 1)
    assert inputs["doc_lengths"].sum() == inputs["term_frequency"].sum() == learned.n_tokens[1:].sum()
    with pytest.raises(ValueError, match="level must be"):
        learned.to_pyldavis(level=9)


def test_pyldavis_itself_takes_the_inputs():
    pyldavis = pytest.importorskip("pyLDAvis")
    rng = np.random.default_rng(0)
    tree = TopicTree.from_arrays(
        rng.dirichlet(np.full(30, 0.2), 5),
        vocabulary=[f"w{i}" for i in range(30)],
        document_topics=rng.dirichlet(np.full(5, 0.2), 60),
    )
    prepared = pyldavis.prepare(**tree.to_pyldavis(), sort_topics=False, n_jobs=1)
    assert len(prepared.topic_coordinates) == 5
