"""The explorer's page in a notebook, with its selection in Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicgrove.explore import explorer_data, render_page
from topicgrove.extras import needed
from topicgrove.validation import check_whole

with needed("anywidget", "the widget"):
    import anywidget
    import traitlets

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.estimator import HierarchicalLDA
    from topicgrove.tree import TopicTree

HEIGHT = 640


class Explorer(anywidget.AnyWidget):
    """The explorer of a model or of a tree, for notebooks.

    Parameters
    ----------
    source : HierarchicalLDA or TopicTree
        What to show.
    corpus : Corpus, default=None
        The documents that the model was trained on, to show their words by level.
    title : str, default=""
        Title of the page.
    height : int, default=640
        Height in pixels.

    Attributes
    ----------
    selected : int or None
        The id of the topic that is selected. Setting it selects the topic in the page; ``observe`` follows changes.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove import TopicTree
    >>> tree = TopicTree(np.array([-1, 0]), np.array([0, 1]), np.array([2, 2]), np.array([5, 3]))
    >>> explorer = Explorer(tree)
    >>> explorer.selected = 1
    >>> explorer.selected = 2
    Traceback (most recent call last):
    traitlets.traitlets.TraitError: selected must be None or the id of a topic that is shown; got 2
    """

    _esm = (Path(__file__).parent / "explorer.js").read_text(encoding="utf-8")

    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    height = traitlets.Int(HEIGHT, min=100).tag(sync=True)
    page = traitlets.Unicode(read_only=True).tag(sync=True)

    def __init__(
        self,
        source: HierarchicalLDA | TopicTree,
        *,
        corpus: Corpus | None = None,
        title: str = "",
        height: int = HEIGHT,
    ) -> None:
        data = explorer_data(source, corpus=corpus, title=title)
        self._topics = frozenset(data["topics"]["id"])
        super().__init__(height=check_whole("height", height, 100))
        self.set_trait("page", render_page(data))

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> int | None:
        topic: int | None = proposal["value"]
        if topic is not None and topic not in self._topics:
            raise traitlets.TraitError(f"selected must be None or the id of a topic that is shown; got {topic}")
        return topic
