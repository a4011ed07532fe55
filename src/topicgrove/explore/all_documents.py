"""The documents that the page lists by their titles, in a compact block."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from topicgrove.corpus.documents import storable_name
from topicgrove.explore.several_paths import spread_of

if TYPE_CHECKING:
    from topicgrove.explore.document_table import Selection

N_LISTED_DOCUMENTS = 300_000
TITLE_CHARACTERS = 120
N_LISTED = 8
"""Topics of a listed document that the page knows."""
_SURROGATES = re.compile("[\ud800-\udfff]")


def packed(content: Any) -> str:
    """Return plain data as JSON, deflated and in base64.

    >>> import base64, zlib
    >>> zlib.decompress(base64.b64decode(packed({"leaf": [3, 3]})))
    b'{"leaf":[3,3]}'
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def other_documents(selection: Selection, shown: Collection[int], n: int = N_LISTED_DOCUMENTS) -> str | None:
    """Pack documents that the table of documents does not show, at most n, spread over the corpus; None for none.

    Columns are name, title, leaf, levels (tokens by level, one document after the other), and spread for documents with
    several paths, in the order of titles.
    """
    documents = selection.tree.documents
    if documents is None or len(documents) == 0:
        return None
    is_other = selection.leaves >= 0
    is_other[np.fromiter(shown, np.int64, len(shown))] = False
    others = np.flatnonzero(is_other)
    if len(others) > n:
        others = others[np.linspace(0, len(others) - 1, n).round().astype(np.int64)]
    if len(others) == 0:
        return None
    numbers = others.tolist()
    names = {d: str(d) if documents.ids is None else documents.ids[d] for d in numbers}
    titles = (
        dict.fromkeys(numbers, "") if documents.titles is None else {d: _line(documents.titles[d]) for d in numbers}
    )
    numbers.sort(key=lambda d: (titles[d] or names[d]).casefold())
    return packed(
        {
            "name": [names[d] for d in numbers],
            "title": [titles[d] for d in numbers],
            "leaf": selection.leaves[numbers].tolist(),
            "levels": documents.level_counts[numbers].ravel().tolist(),
        }
        | ({} if documents.topic_counts is None else {"spread": [spread_of(selection, d, N_LISTED) for d in numbers]})
    )


def _line(title: str) -> str:
    title = storable_name(title)
    return title if len(title) <= TITLE_CHARACTERS else title[: TITLE_CHARACTERS - 1].rstrip() + "…"
