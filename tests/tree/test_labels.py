import json

import numpy as np
import pytest


def test_labels_come_from_a_mapping_or_a_file(tree, tmp_path):
    tree.set_labels({np.int64(1): "space"})
    file = tmp_path / "labels.json"
    file.write_text(json.dumps({"2": "sports"}), encoding="utf-8")
    tree.set_labels(file)
    tree.set_labels(str(file))
    assert tree.labels == {1: "space", 2: "sports"}
    assert tree.label(2) == "sports"


def test_a_topic_without_a_label_is_called_by_its_words(tree, make_tree):
    assert tree.label(4) == "orbit"
    assert make_tree(word_counts=None).label(5) == "topic 5"


@pytest.mark.parametrize(
    "labels", [{7: "x"}, {-1: "x"}, {"one": "x"}, {1.0: "x"}, {True: "x"}, {"٣": "x"}, {1: ""}, {1: None}, [1]]
)
def test_wrong_labels_are_refused_and_none_is_set(tree, labels):
    with pytest.raises(ValueError, match="labels"):
        tree.set_labels({0: "all", **labels} if isinstance(labels, dict) else labels)
    assert tree.labels == {}


@pytest.mark.parametrize(("content", "message"), [(b'{\n"1": }', "labels.json:2: not JSON"), (b"\xff", "not UTF-8")])
def test_a_broken_file_is_named(tree, tmp_path, content, message):
    file = tmp_path / "labels.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        tree.set_labels(file)


def test_a_missing_file_is_an_os_error(tree, tmp_path):
    with pytest.raises(FileNotFoundError):
        tree.set_labels(tmp_path / "none.json")
