"""Shares of topics over time and by class."""

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from topicgrove import TopicTree
from topicgrove.tree import Documents
from topicgrove.tree.shares_over import wilson


def tree_of(leaves):
    """A root with topics 1 and 2, and documents in these."""
    leaves = np.asarray(leaves)
    documents = Documents(np.stack([np.zeros_like(leaves), leaves], axis=1), np.ones((len(leaves), 2), int))
    n = np.array([len(leaves), (leaves == 1).sum(), (leaves == 2).sum()])
    return TopicTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), n, n, documents=documents)


def test_shares_are_those_of_each_years_documents():
    tree = tree_of([1, 2, 1, 1, 2])
    over = tree.over(["2016-05-01", "2016-12-31", "2018-01-01", "2018-07-07", None], period="year")
    assert over.groups == ("2016", "2017", "2018")
    assert over.n_docs.tolist() == [2, 0, 2]
    assert over.counts.tolist() == [[2, 0, 2], [1, 0, 2], [1, 0, 0]]
    assert over.shares[1, 0] == 0.5
    assert np.isnan(over.shares[:, 1]).all()
    assert over.n_missing == 1


@pytest.mark.parametrize(
    "values",
    [
        ["2017-03", "2017-12-05"],
        ["2017/3/1", "2017.12"],
        [date(2017, 3, 1), date(2017, 12, 5)],
        [datetime(2017, 3, 1, 12), datetime(2017, 12, 5)],
        np.array(["2017-03-01", "2017-12-05"], "datetime64[s]"),
        pd.Series(["2017-03-01", "2017-12-05"], dtype="datetime64[ns]"),
        pl.Series([date(2017, 3, 1), date(2017, 12, 5)]),
        ["Wed, 1 Mar 2017 19:18:42 GMT", "5 Dec 2017 00:00:00 +0000"],
        ["2017-03-01T10:00:00Z", "2017-12-05 10:00"],
    ],
)
def test_dates_of_all_kinds_are_read(values):
    over = tree_of([1, 2]).over(values, period="quarter")
    assert (over.groups[0], over.groups[-1], len(over.groups)) == ("2017-Q1", "2017-Q4", 4)


def test_months_classes_and_edges_make_groups():
    tree = tree_of([1, 1, 2])
    assert tree.over(["2017-11-02", "2018-01-01", ""], period="month").groups == ("2017-11", "2017-12", "2018-01")
    by_class = tree.over([("a", "b"), ("a", "c"), ()])
    assert (by_class.groups, by_class.n_missing) == (("a/b", "a/c"), 1)
    by_number = tree.over([1, 5.5, 10], edges=[0, 5, 10])
    assert (by_number.groups, by_number.n_docs.tolist(), by_number.n_missing) == (("0 to 5", "5 to 10"), [1, 1], 1)
    assert tree.over(["1999", "2004", "2010"], edges=["1990", "2000", "2011"]).n_docs.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": ["2017"]}, "values has 1 entries; it must have 2"),
        ({"values": ["soon", "2017"], "period": "year"}, r"values\[0\] is 'soon'; dates are such as 2017"),
        ({"values": ["2017-13-01", "2017"], "period": "year"}, r"values\[0\] is '2017-13-01'"),
        ({"values": ["", None], "period": "year"}, "values has no dates"),
        ({"values": ["2017", "2018"], "period": "week"}, "period must be"),
        ({"values": ["2017", "2018"], "period": "year", "edges": [1, 2]}, "exclude each other"),
        ({"values": [1, 2], "edges": [3, 2]}, "edges must ascend"),
        ({"values": ["x", 2], "edges": [1, 2]}, r"values\[0\] is 'x'; with edges that are numbers"),
        ({"values": [1, 2], "confidence": 1.0}, "confidence must be between 0 and 1"),
        ({"values": ["0001", "9999"], "period": "month"}, "too far apart"),
    ],
)
def test_values_that_make_no_groups_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        tree_of([1, 2]).over(**arguments)


@pytest.mark.parametrize("n", [20, 100, 400])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_cover_the_true_share_as_often_as_they_say(n, confidence):
    rng = np.random.default_rng(n)
    covered = []
    for p in rng.uniform(0.02, 0.98, 200):
        counts = rng.binomial(n, p, 500)
        low, high = wilson(counts, np.full(500, n), confidence)
        covered.append(np.mean((low <= p) & (p <= high)))
    assert np.mean(covered) == pytest.approx(confidence, abs=0.015)


def test_a_trend_that_was_put_in_comes_out():
    rng = np.random.default_rng(0)
    years = rng.integers(2000, 2020, 4000)
    leaves = np.where(rng.random(4000) < (years - 1999) / 25, 1, 2)
    over = tree_of(leaves).over(years.tolist(), period="year")
    low, high = over.intervals
    true = (np.arange(2000, 2020) - 1999) / 25
    assert np.mean((low[1] <= true) & (true <= high[1])) >= 0.8
    assert np.corrcoef(over.shares[1], true)[0, 1] > 0.95


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_table_has_a_row_for_each_topic_and_group(library):
    table = tree_of([1, 2]).over(["a", "b"]).to_table(library)
    assert len(table) == 6
    assert np.asarray(table["share"]).tolist() == [1, 1, 1, 0, 0, 1]


def test_pictures_are_written_in_the_format_of_their_name(tmp_path):
    over = tree_of([1, 2, 2]).over(["<a>", "b$x^", "b$x^"])
    for suffix, start in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        over.plot(tmp_path / f"over{suffix}", topics=[1, 2])
        assert (tmp_path / f"over{suffix}").read_bytes().startswith(start)
    with pytest.raises(ValueError, match=r"path must end in \.svg"):
        over.plot(tmp_path / "over.doc")


def test_documents_of_a_pruned_tree_count_where_they_still_are():
    tree = tree_of([1, 1, 2])
    over = tree.prune(min_docs=2).over(["a", "b", "b"])
    assert over.counts.tolist() == [[1, 2], [1, 1]]


def test_classes_stay_with_a_model_that_is_saved(tmp_path):
    from topicgrove import Corpus, HierarchicalLDA, load

    corpus = Corpus.from_texts(
        pd.DataFrame({"text": ["moon rocket", "goal team"] * 5, "kind": ["space/moon", "sport"] * 5}),
        class_field="kind",
    )
    model = HierarchicalLDA(2, n_iter=3, random_state=0).fit(corpus)
    model.save(tmp_path / "m.grove")
    classes = load(tmp_path / "m.grove").tree_.documents.classes
    assert classes == (("space", "moon"), ("sport",)) * 5
    model.partial_fit(["rocket team"])
    assert model.tree_.documents.classes == (*classes, ())
