"""Render the explorer's data as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from topicgrove.explore.data import N_DOCUMENTS, N_WORDS, explorer_data
from topicgrove.whole_files import FilePath, write_whole

if TYPE_CHECKING:
    from topicgrove.corpus import Corpus
    from topicgrove.inputs import Model
    from topicgrove.tree import SharesOver, TopicTree

STYLES = ("colours.css", "frame.css", "overview.css", "panel.css", "over.css", "print.css")
SCRIPTS = (
    "dom.js",
    "grove.js",
    "state.js",
    "wording.js",
    "icicle-layout.js",
    "icicle.js",
    "map.js",
    "treemap.js",
    "circles.js",
    "gestures.js",
    "branches.js",
    "word-bars.js",
    "documents.js",
    "several-paths.js",
    "topic-panel.js",
    "compare-panel.js",
    "found-panel.js",
    "search.js",
    "search-box.js",
    "charts.js",
    "over.js",
    "over-charts.js",
    "downloads.js",
    "exports.js",
    "edits.js",
    "edit-panel.js",
    "keys.js",
    "main.js",
)
# Characters that could end a script element or a line of old JavaScript, or that UTF-8 cannot store.
_ACTIVE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def render_page(data: Mapping[str, Any], *, live: bool = False) -> str:
    """Render the whole page: program, style and data in one HTML text, which loads nothing.

    Parameters
    ----------
    data : mapping
        What `explorer_data` returns.
    live : bool, default=False
        Whether the page fetches ``data.json`` from its folder every few seconds and shows it.

    Returns
    -------
    str
        HTML. Its policy allows only its own scripts and styles, and requests to its own server only if it is live.

    Examples
    --------
    >>> import numpy as np
    >>> from topicgrove.tree import TopicTree
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))
    >>> page = render_page(explorer_data(tree, title="</script>"))
    >>> page.count("</script>"), "default-src" in page
    (3, True)
    """
    template = Environment(
        loader=PackageLoader("topicgrove.explore", "assets"), autoescape=True, undefined=StrictUndefined
    ).get_template("page.html.j2")
    style = "\n".join(_asset(name) for name in STYLES)
    program = _program()
    library = _asset("vendor/d3.min.js")
    return template.render(
        title=data["title"],
        live=live,
        policy=_policy([library, program], style, live),
        style=Markup(style),
        library=Markup(library),
        program=Markup(program),
        data=Markup(inert_json(data)),
    )


def write_page(
    source: Model | TopicTree,
    path: FilePath,
    *,
    corpus: Corpus | None = None,
    texts: Mapping[int, str] | None = None,
    title: str | None = None,
    n_words: int = N_WORDS,
    n_documents: int = N_DOCUMENTS,
    min_docs: int = 1,
    over: Mapping[str, SharesOver] | None = None,
) -> Path:
    """Write the page of a model or of a tree to a file, atomically; return the file's path.

    Parameters
    ----------
    source, corpus, texts, n_words, n_documents, min_docs, over
        As for `explorer_data`.
    path : str or path-like
        The file to write.
    title : str, default=None
        Title of the page; None means the name of the file.

    Examples
    --------
    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> from topicgrove.tree import TopicTree
    >>> tree = TopicTree(np.array([-1]), np.array([0]), np.array([1]), np.array([3]))
    >>> with TemporaryDirectory() as folder:
    ...     write_page(tree, f"{folder}/tree.html").name
    'tree.html'
    """
    path = Path(path)
    data = explorer_data(
        source,
        corpus=corpus,
        texts=texts,
        title=path.stem if title is None else title,
        n_words=n_words,
        n_documents=n_documents,
        min_docs=min_docs,
        over=over,
    )
    write_whole(path, render_page(data))
    return path


def inert_json(data: Mapping[str, Any]) -> str:
    r"""Return JSON that is safe inside an HTML script element: it ends neither the element nor a comment.

    >>> inert_json({"word": "</script>"})
    '{"word":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _ACTIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@cache
def _asset(name: str) -> str:
    return (files("topicgrove.explore") / "assets" / name).read_text(encoding="utf-8")


@cache
def _program() -> str:
    """Return the explorer's own scripts, in one scope."""
    return "(() => {\n'use strict';\n" + "\n".join(_asset(name) for name in SCRIPTS) + "})();"


def _policy(scripts: list[str], style: str, live: bool) -> str:
    sources = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash_source, scripts)),
        "style-src": _hash_source(style),
        "img-src": "data: blob:",
        "connect-src": "'self'" if live else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{directive} {source}" for directive, source in sources.items())


def _hash_source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
