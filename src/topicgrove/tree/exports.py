"""Export a tree as nested dictionaries, JSON, tables and graphs. Text from a corpus is inert in all of them.

`TopicTree` has these functions as methods.
"""

from __future__ import annotations

import csv
import io
import json
import os
from typing import TYPE_CHECKING, Any

from topicgrove.extras import needed
from topicgrove.tree.outline import escape
from topicgrove.whole_files import write_whole
from topicgrove.words import By

if TYPE_CHECKING:
    from topicgrove.tree.topic_tree import TopicTree

FORMULA = ("=", "+", "-", "@")
"""Spreadsheets evaluate cells that begin with one of these. (Tabs and line ends are always escaped.)"""

INERT = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})


def to_dict(tree: TopicTree, words: int = 10, by: By = "distinctive") -> dict[str, Any]:
    """Return nested dictionaries of plain types: id, parent, level, name, n_docs, n_tokens, words and children.

    Words are those of `top_words`, each with its score under the name of ``by``. ``label`` repeats ``name``.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))
    >>> tree.to_dict()["n_tokens"]
    3
    """
    topics = [_facts(tree, topic) for topic in range(len(tree))]
    for topic, facts in enumerate(topics):
        scored = [] if tree.word_counts is None else tree.top_words_with_scores(topic, words, by)
        facts["words"] = [{"word": word, by: score} for word, score in scored]
        facts["children"] = []
        facts["label"] = facts["name"]  # its old name
        if topic:
            topics[facts["parent"]]["children"].append(facts)
    return topics[0]


def _facts(tree: TopicTree, topic: int) -> dict[str, Any]:
    facts = {
        "id": topic,
        "parent": int(tree.parent[topic]) if topic else None,
        "level": int(tree.level[topic]),
        "name": tree.name(topic),
        "n_docs": int(tree.n_docs[topic]),
        "n_tokens": int(tree.n_tokens[topic]),
    }
    if tree.original_ids is not None:
        facts["original_id"] = int(tree.original_ids[topic])
    return facts


def to_json(
    tree: TopicTree,
    path: str | os.PathLike[str] | None = None,
    indent: int | None = None,
    words: int = 10,
    by: By = "distinctive",
) -> str:
    """Return `to_dict` as JSON, which is safe inside an HTML script element; with a path, also write it to a file.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> tree.to_json()[:40]
    '{"id": 0, "parent": null, "level": 0, "n'
    """
    text = json.dumps(to_dict(tree, words, by), indent=indent, allow_nan=False).translate(INERT)
    if path is not None:
        write_whole(path, text + "\n")
    return text


def _rows(tree: TopicTree, n_words: int, by: By) -> list[dict[str, Any]]:
    rows = [_facts(tree, topic) for topic in range(len(tree))]
    for row in rows:
        row["parent"] = -1 if row["parent"] is None else row["parent"]
        row["words"] = [] if tree.word_counts is None else tree.top_words(row["id"], n_words, by)
        row["label"] = row["name"]  # its old name, by which programs for graphs know it, too
    return rows


def to_csv(tree: TopicTree, words: int = 10, by: By = "distinctive") -> str:
    """Return a table as text. Cells that a spreadsheet would evaluate begin with an apostrophe; label repeats name.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> print(tree.to_csv(), end="")
    id,parent,level,name,n_docs,n_tokens,words,label
    0,-1,0,topic 0,2,5,,topic 0
    1,0,1,topic 1,2,3,,topic 1
    """
    file = io.StringIO()
    rows = _rows(tree, words, by)
    writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        name = safe_cell(row["name"])
        writer.writerow({**row, "name": name, "words": safe_cell(", ".join(row["words"])), "label": name})
    return file.getvalue()


def safe_cell(text: str) -> str:
    r"""Return text as a cell of a table.

    >>> safe_cell("=1+1"), safe_cell("a\tb")
    ("'=1+1", 'a\\tb')
    """
    text = escape(text)
    return "'" + text if text.lstrip().startswith(FORMULA) else text


def to_pandas(tree: TopicTree, words: int = 10, by: By = "distinctive") -> Any:
    """Return a DataFrame with topic ids as its index; words are lists, and the root's parent is -1.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> tree.to_pandas()["n_tokens"].tolist()
    [5, 3]
    """
    with needed("pandas", "to_pandas"):
        import pandas as pd
    return pd.DataFrame(_rows(tree, words, by)).set_index("id")


def to_networkx(tree: TopicTree, words: int = 10, by: By = "distinctive") -> Any:
    """Return a networkx.DiGraph from parents to children, with the columns of `to_pandas` as node attributes.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> list(tree.to_networkx().edges)
    [(0, 1)]
    """
    with needed("networkx", "to_networkx"):
        import networkx as nx
    graph = nx.DiGraph()
    for row in _rows(tree, words, by):
        topic, parent = row.pop("id"), row.pop("parent")
        # Formats such as GraphML need attributes of plain text.
        graph.add_node(topic, **{**row, "words": ", ".join(row["words"])})
        if topic:
            graph.add_edge(parent, topic)
    return graph


def to_newick(tree: TopicTree) -> str:
    """Return the tree in Newick format, for phylogenetic tools; a node's name is its id and its topic's name.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> tree.set_names({0: "all", 1: "Earth's moon"})
    >>> tree.to_newick()
    "('1 Earth''s moon')'0 all';"
    """
    inside: list[list[str]] = [[] for _ in range(len(tree))]
    for topic in range(len(tree) - 1, -1, -1):
        name = f"{topic} {escape(tree.name(topic))}".replace("'", "''")
        below = f"({','.join(reversed(inside[topic]))})" if inside[topic] else ""
        text = f"{below}'{name}'"
        if topic:
            inside[tree.parent[topic]].append(text)
    return text + ";"


def to_dot(tree: TopicTree) -> str:
    """Return the tree in the language of Graphviz.

    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> print(tree.to_dot().splitlines()[3])
      0 [label="topic 0", tooltip="2 documents"];
    """
    nodes = [
        f'  {topic} [label={_dot_string(tree.name(topic))}, tooltip="{tree.n_docs[topic]} documents"];'
        for topic in range(len(tree))
    ]
    edges = [f"  {tree.parent[topic]} -> {topic};" for topic in range(1, len(tree))]
    return "\n".join(["digraph topics {", "  rankdir=LR;", "  node [shape=box];", *nodes, *edges, "}", ""])


def _dot_string(text: str) -> str:
    r"""Quote text so that Graphviz reads no escapes or HTML entities in it.

    >>> print(_dot_string('a "b" \\N &amp;'))
    "a \"b\" \\N &amp;amp;"
    """
    text = escape(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{text}"'
