"""The files that ``topicgrove export`` writes: one function of tree, number of words and ranking for each format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicgrove.words import By

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree


def json_file(tree: TopicTree, words: int, by: By) -> str:
    """Return a file of nested objects."""
    return tree.to_json(indent=1, words=words, by=by) + "\n"


def csv_file(tree: TopicTree, words: int, by: By) -> str:
    """Return a table."""
    return tree.to_csv(words, by)


def dot_file(tree: TopicTree, words: int, by: By) -> str:
    """Return a graph for Graphviz."""
    return tree.to_dot()


def newick_file(tree: TopicTree, words: int, by: By) -> str:
    """Return a tree for phylogenetic tools."""
    return tree.to_newick() + "\n"


def graphml_file(tree: TopicTree, words: int, by: By) -> str:
    """Return a graph for programs that draw graphs."""
    return tree.to_graphml(words=words, by=by)
