import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from topicgrove.tree.names import word_names


def test_names_come_from_a_mapping_or_a_file(tree, tmp_path):
    tree.set_names({np.int64(1): "space"})
    file = tmp_path / "names.json"
    file.write_text(json.dumps({"2": "sports"}), encoding="utf-8")
    tree.set_names(file)
    tree.set_names(str(file))
    assert tree.names == {1: "space", 2: "sports"}
    assert tree.name(2) == "sports"


def test_a_topic_without_a_label_is_called_by_its_words(tree, make_tree):
    assert tree.name(4) == "orbit"
    assert make_tree(word_counts=None).name(5) == "topic 5"


def test_topics_of_the_same_words_are_called_by_further_ones():
    words = [["the"], ["moon", "orbit", "star", "mars"], ["moon", "orbit", "star", "venus"], ["the"], []]
    assert word_names(words) == ["the", "moon, orbit, star", "moon, orbit, star, venus", "the (3)", "topic 4"]


def test_names_of_a_part_are_those_of_the_whole_tree(tree):
    assert [tree.subtree(1).name(topic) for topic in range(3)] == [tree.name(topic) for topic in (1, 3, 4)]
    assert tree.prune(min_docs=4).name(2) == tree.name(3)


@given(counts=hnp.arrays(np.int64, (7, 8), elements=st.integers(0, 3)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_two_topics_have_the_same_label(make_tree, counts):
    tree = make_tree(word_counts=sparse.csr_array(counts))
    assert len({tree.name(topic) for topic in range(7)}) == 7
    assert counts[0].sum() == 0 or not any(tree.name(topic).startswith("topic") for topic in range(7))


@pytest.mark.parametrize(
    "names", [{7: "x"}, {-1: "x"}, {"one": "x"}, {1.0: "x"}, {True: "x"}, {"٣": "x"}, {1: ""}, {1: None}, [1]]
)
def test_wrong_names_are_refused_and_none_is_set(tree, names):
    with pytest.raises(ValueError, match="names"):
        tree.set_names({0: "all", **names} if isinstance(names, dict) else names)
    assert tree.names == {}


@pytest.mark.parametrize(("content", "message"), [(b'{\n"1": }', "names.json:2: not JSON"), (b"\xff", "not UTF-8")])
def test_a_broken_file_is_named(tree, tmp_path, content, message):
    file = tmp_path / "names.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        tree.set_names(file)


def test_a_missing_file_is_an_os_error(tree, tmp_path):
    with pytest.raises(FileNotFoundError):
        tree.set_names(tmp_path / "none.json")
