"""Two trees side by side as one HTML page, without scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from topicgrove.tree.outline import escape

if TYPE_CHECKING:
    from topicgrove.comparing import Comparison, Match
    from topicgrove.tree.topic_tree import TopicTree

N_WORDS = 8


def comparison_page(comparison: Comparison, title: str, names: tuple[str, str]) -> str:
    """Return the page: what moved, vanished and appeared, and all pairs of topics with their words.

    Words and names are text, whatever they hold, and the page's policy allows nothing but its own style.

    >>> from topicgrove import TopicTree, compare
    >>> tree = TopicTree.from_arrays([[5, 4], [0, 4]], vocabulary=["<b>", "moon"])
    >>> page = comparison_page(compare(tree, tree), "Two runs", ("a", "b"))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    assets = files("topicgrove") / "pages"
    style = (assets / "comparison.css").read_text(encoding="utf-8")
    template = environment.from_string((assets / "comparison.html.j2").read_text(encoding="utf-8"))
    a, b = comparison.a, comparison.b
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    similarity = [match.similarity for match in comparison.matches]
    return template.render(
        title=escape(title),
        names=[escape(name) for name in names],
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        style=Markup(style),
        sizes=(len(a), len(b)),
        mean=sum(similarity) / len(similarity) if similarity else 0.0,
        same_documents=comparison.same_documents,
        pairs=list(_pairs(comparison, comparison.matches)),
        moved=list(_pairs(comparison, comparison.moved)),
        vanished=[_topic(a, topic) for topic in comparison.vanished],
        appeared=[_topic(b, topic) for topic in comparison.appeared],
    )


def _pairs(comparison: Comparison, matches: tuple[Match, ...]) -> Iterator[dict[str, Any]]:
    for match in matches:
        first, second = _topic(comparison.a, match.a), _topic(comparison.b, match.b)
        shared = set(first["words"]) & set(second["words"])
        yield {"a": first, "b": second, "match": match, "percent": round(100 * match.similarity), "shared": shared}


def _topic(tree: TopicTree, topic: int) -> dict[str, Any]:
    above = [escape(tree.name(one)) for one in tree.path(topic)[1:-1]]
    words = [escape(word) for word in tree.top_words(topic, N_WORDS)]
    return {
        "id": topic,
        "level": int(tree.level[topic]),
        "name": escape(tree.name(topic)),
        "is_named": topic in tree.names,
        "above": above,
        "words": words,
        "n_docs": int(tree.n_docs[topic]),
    }
