"""Agreement with labels: as in scikit-learn, as counted over pairs of documents, and for labels of every kind."""

import json
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from topicgrove.evaluation.agreement import class_agreement, class_paths


def draw_paths(n_docs, seed=0, n_levels=4, branching=3):
    """Documents in a tree of topics; ids differ from level to level."""
    rng = np.random.default_rng(seed)
    within = rng.integers(branching, size=(n_docs, n_levels - 1))
    paths = np.zeros((n_docs, n_levels), np.int64)
    first_id = 1
    for level in range(1, n_levels):
        below = within[:, :level] @ branching ** np.arange(level)[::-1]
        paths[:, level] = first_id + below
        first_id += branching**level
    return paths


def draw_labels(paths, seed=0, noise=0.3):
    """Labels of up to two parts that follow the tree but for noise; some documents have one part or none."""
    rng = np.random.default_rng(seed)
    labels = []
    for _, top, below, *_ in paths:
        if rng.random() < noise:
            top, below = rng.integers(1, 4), rng.integers(5, 10)
        labels.append((f"top{top}", f"below{below}")[: rng.integers(0, 3)] or None)
    return labels


def labelled(paths, labels, depth):
    chosen = [d for d, label in enumerate(labels) if label is not None and len(label) > depth]
    return paths[chosen], ["/".join(labels[d][: depth + 1]) for d in chosen]


def dendrogram_purity_by_pairs(paths, classes):
    shares = []
    for i, j in combinations(range(len(classes)), 2):
        if classes[i] != classes[j]:
            continue
        common = int(np.argmin(np.append(paths[i] == paths[j], False)))
        below = [classes[d] for d in range(len(classes)) if np.array_equal(paths[d, :common], paths[i, :common])]
        shares.append(below.count(classes[i]) / len(below))
    return np.mean(shares)


@pytest.mark.parametrize("seed", range(3))
def test_nmi_is_scikit_learns_and_purity_that_of_the_contingency_table(seed):
    paths = draw_paths(400, seed)
    labels = draw_labels(paths, seed)
    agreement = class_agreement(paths, labels)
    assert agreement.nmi.shape == agreement.purity.shape == (3, 2)
    for depth in range(2):
        clusters, classes = labelled(paths, labels, depth)
        assert agreement.n_docs[depth] == len(classes)
        for level in range(1, 4):
            expected = normalized_mutual_info_score(classes, clusters[:, level])
            assert agreement.nmi[level - 1, depth] == pytest.approx(expected, abs=1e-12)
            table = contingency_matrix(classes, clusters[:, level])
            assert agreement.purity[level - 1, depth] == pytest.approx(table.max(axis=0).sum() / len(classes))


@pytest.mark.parametrize("seed", range(5))
def test_dendrogram_purity_is_the_mean_over_pairs(seed):
    paths = draw_paths(50, seed)
    labels = draw_labels(paths, seed)
    purity = class_agreement(paths, labels).dendrogram_purity
    for depth in range(2):
        assert purity[depth] == pytest.approx(dendrogram_purity_by_pairs(*labelled(paths, labels, depth)))


def test_a_tree_that_is_the_labels_agrees_fully():
    paths = draw_paths(60, n_levels=3)
    agreement = class_agreement(paths, [tuple(map(str, path[1:])) for path in paths])
    np.testing.assert_allclose(np.diag(agreement.nmi), 1)
    np.testing.assert_allclose(np.diag(agreement.purity), 1)
    np.testing.assert_allclose(agreement.dendrogram_purity, 1)


def test_unrelated_labels_do_not_agree():
    paths = draw_paths(3_000, n_levels=3)
    labels = [(str(k),) for k in np.random.default_rng(1).integers(2, size=3_000)]
    agreement = class_agreement(paths, labels)
    assert agreement.nmi.max() < 0.02
    assert agreement.dendrogram_purity[0] == pytest.approx(0.5, abs=0.02)


def test_the_same_word_under_two_labels_is_two_classes():
    agreement = class_agreement([[0, 1], [0, 2]], [("rec", "misc"), ("sci", "misc")])
    assert agreement.nmi.tolist() == [[1.0, 1.0]]


def test_one_class_is_pure_everywhere():
    paths = draw_paths(20)
    agreement = class_agreement(paths, [("same",)] * 20)
    assert agreement.purity.tolist() == [[1.0]] * 3
    assert agreement.nmi.tolist() == [[0.0]] * 3
    assert agreement.dendrogram_purity.tolist() == [1.0]
    assert class_agreement([[0, 1]] * 3, [("same",)] * 3).nmi.tolist() == [[1.0]]


def test_classes_of_one_document_have_no_pairs():
    agreement = class_agreement([[0, 1], [0, 2]], [("a",), ("b",)])
    assert np.isnan(agreement.dendrogram_purity[0])
    assert json.loads(json.dumps(agreement.to_dict(), allow_nan=False))["dendrogram_purity"] == [None]


def test_a_single_topic_has_its_dendrogram_purity():
    agreement = class_agreement([[0]] * 4, [("a",), ("a",), ("b",), ("b",)])
    assert agreement.nmi.shape == (0, 1)
    assert agreement.dendrogram_purity.tolist() == [0.5]


def test_documents_without_labels_are_left_out():
    paths, labels = [[0, 1], [0, 1], [0, 2], [0, 2]], [("a",), None, (), ("b",)]
    agreement = class_agreement(paths, labels)
    assert agreement.n_docs.tolist() == [2]
    assert agreement.purity.tolist() == [[1.0]]


class TestRefusals:
    @pytest.mark.parametrize(
        ("paths", "message"),
        [
            ([0, 1], "paths must be whole numbers of shape"),
            ([[0.0, 1.0]], "paths must be whole numbers of shape"),
            ([[-1, 0]], "paths has the topic id -1"),
            ([[0, -2]], "paths has the topic id -2"),
            ([[0, 1], [2, 3]], "must begin with the same topic"),
            ([[0, 1, 3], [0, 2, 3]], "topic 3 of level 2 is below two topics"),
        ],
    )
    def test_wrong_paths(self, paths, message):
        with pytest.raises(ValueError, match=message):
            class_agreement(paths, [("a",)] * len(paths))

    def test_wrong_number_of_labels(self):
        with pytest.raises(ValueError, match="classes has 1 entries; paths has 2 documents"):
            class_agreement([[0, 1], [0, 1]], [("a",)])

    def test_no_labels(self):
        with pytest.raises(ValueError, match="classes has no class"):
            class_agreement([[0, 1], [0, 1]], [None, ()])

    def test_strings_are_not_taken_apart(self):
        with pytest.raises(TypeError, match=r"classes\[1\] is 'sport'.*class_paths"):
            class_agreement([[0, 1], [0, 1]], [None, "sport"])


class TestLabelPaths:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("a/b/c", ("a", "b", "c")),
            ("/a/b/", ("a", "b")),
            ("a", ("a",)),
            ("", ()),
            (None, ()),
            (float("nan"), ()),
            (["a", "b/c"], ("a", "b/c")),
            (("a", 2), ("a", "2")),
            (np.array(["a", "b"]), ("a", "b")),
            ([], ()),
        ],
    )
    def test_every_kind_of_label(self, value, expected):
        assert class_paths([value]) == [expected]

    def test_arrows_go_before_slashes_in_all_labels(self):
        assert class_paths(["input/output > disks", "input/output"]) == [("input/output", "disks"), ("input/output",)]

    def test_given_separator_is_the_only_one(self):
        assert class_paths(["a.b", "c > d"], separator=".") == [("a", "b"), ("c > d",)]

    @pytest.mark.parametrize("value", [3, 2.5, {"a": 1}, ["a", None]])
    def test_other_values_are_refused(self, value):
        with pytest.raises(TypeError, match="class 1 is"):
            class_paths(["a", value])

    def test_one_string_is_refused(self):
        with pytest.raises(TypeError, match="one class for each document"):
            class_paths("a/b")

    def test_empty_separator_is_refused(self):
        with pytest.raises(ValueError, match="separator must be a non-empty string"):
            class_paths(["a"], separator="")
