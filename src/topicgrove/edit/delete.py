"""Delete a topic: its documents move to the best of the remaining paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from topicgrove.edit.draft import Draft
from topicgrove.placement import Placement
from topicgrove.workers import Workers


def delete(draft: Draft, topic: Any) -> None:
    """Delete a topic and all topics below it, and place its documents as new ones are placed."""
    gone = draft.below_root(topic)
    documents = draft.documents_in([gone])
    stay = np.setdiff1d(np.arange(len(draft.leaf)), documents)
    if not len(stay):
        raise ValueError(f"topic {gone} has all documents: there would be no other topic for them")
    corpus = draft.corpus.take(documents)
    above = draft.parent[gone]
    draft.remove(gone, f"edit {draft.edit} deleted it")
    draft.remove_childless(above)
    if not len(documents):
        return  # a seeded topic that no document uses
    topics = draft.branch(0)
    tree = draft.part(topics, stay)
    with Workers(1) as workers:
        placement = Placement(tree, tree.word_counts, draft.hyper, corpus, workers)
        placement.start_best(draft.seed)
        draft.set_places(documents, np.array(topics)[placement.topics()], placement.state.docs.levels)
