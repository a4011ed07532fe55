"""The explorer: a tree as one self-contained HTML file, and the data in it.

``explorer_data(model_or_tree, ...)`` collects what the page shows as plain data for JSON: `DATA_FIELDS` of
`topicgrove.explore.data` says what each field holds. ``render_page(data, live=False)`` puts data and program into one
HTML text. With ``live=True`` the page fetches ``data.json`` from its folder every few seconds and shows it; the file
must hold what `explorer_data` returns. ``write_page`` does both and writes the file.

Inside a frame, the page tells its parent what is selected:
``window.parent.postMessage({source: "topicgrove", topic: 17}, "*")``, with the topic's id in the whole tree, or null.

>>> import numpy as np
>>> from topicgrove.tree import TopicTree
>>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
>>> page = render_page(explorer_data(tree, title="A small tree"))
>>> page[:15], "Content-Security-Policy" in page
('<!doctype html>', True)
"""

from topicgrove.explore.data import explorer_data
from topicgrove.explore.page import render_page, write_page
from topicgrove.explore.texts import read_texts, typical_documents

__all__ = ["explorer_data", "read_texts", "render_page", "typical_documents", "write_page"]
