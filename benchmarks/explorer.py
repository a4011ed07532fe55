"""The explorer page of a synthetic tree of 4,000 topics: size, first paint, and times of actions in a browser."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from topicgrove.explore import write_page
from topicgrove.tree import Documents, TopicTree

N_TOPICS = 4_000
N_DOCS = 100_000
N_WORDS = 20_000
N_RUNS = 15

ACTIONS = {
    "select a topic": "select(grove.topics[30 + i])",
    "zoom in": "zoomTo(grove.topics[1 + i])",
    "magnify": "scaleBy(1.2, 20 * i); drawOverview()",
    "show all topics": "resetScale(); state.all = !state.all; drawOverview()",
    "threshold": "byId('threshold').value = 2 * i; setThreshold()",
    "slide relevance": "state.by = 'relevance'; state.lambda = i / 20; drawOverview()",
    "list documents": "select(grove.topics[1 + i]); turn(state.selected, 'title', 20, '')",
    "list all documents": "select(grove.root); turn(grove.root, i % 2 ? 'title' : 'share', 20, '')",
    "treemap": "state.view = 'treemap'; zoomTo(grove.topics[i])",
    "circles": "state.view = 'circles'; zoomTo(grove.topics[i])",
    "search for several words": "byId('search').value = `w${10 + i} w2${i} doc`; showFound()",
    "search for a word": "byId('search').value = 'w' + (10 + i); showFound()",
    "show a word": "look({word: i})",
    "open all branches": "state.view = 'branches'; state.open = new Set(grove.topics); drawOverview()",
    "scroll the branches": "canvas.scrollTop = 700 * i; drawSight(drawing, canvas)",
    "select in the branches": "select(grove.topics[500 + 40 * i])",
    "shares over time": "look({over: true, selected: grove.topics[i]})",
    "stream over time": "overState.view = 'stream'; look({over: true, selected: grove.topics[i]})",
}


def made_tree(n_topics: int = N_TOPICS, n_docs: int = N_DOCS, n_words: int = N_WORDS, seed: int = 0) -> TopicTree:
    """Make a tree with realistic sizes: few large topics, many small ones, each with its own words."""
    rng = np.random.default_rng(seed)
    sizes = [1, 24, 192, n_topics - 217]
    parents, starts = [np.array([-1])], np.cumsum([0, *sizes])
    for above, n in zip(starts[:3], sizes[1:], strict=True):
        n_above = sizes[len(parents) - 1]
        extra = rng.choice(n_above, n - n_above, p=_zipf(n_above))
        parents.append(above + np.sort(np.concatenate([np.arange(n_above), extra])))
    parent = np.concatenate(parents)
    level = np.repeat(np.arange(4), sizes)
    leaf = starts[3] + np.concatenate([np.arange(sizes[3]), rng.choice(sizes[3], n_docs - sizes[3], p=_zipf(sizes[3]))])
    paths = np.stack([leaf] * 4, axis=1)
    for column in (2, 1, 0):
        paths[:, column] = parent[paths[:, column + 1]]
    counts = _word_counts(rng, level, n_words)
    return TopicTree(
        parent,
        level,
        np.bincount(paths.ravel(), minlength=n_topics),
        np.asarray(counts.sum(axis=1)).ravel(),
        word_counts=counts,
        vocabulary=tuple(f"w{i}" for i in range(n_words)),
        beta=np.array([0.5, 0.25, 0.1, 0.1]),
        documents=Documents(paths, rng.poisson(20, paths.shape), titles=_titles(rng, n_docs)),
    )


def _titles(rng: np.random.Generator, n_docs: int) -> tuple[str, ...]:
    """Return titles of eight words."""
    words = np.array(
        [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("a", "ent", "io", "ur") for c in ("l", "ter", "sy")]
    )
    chosen = words[rng.zipf(1.2, (n_docs, 8)) % len(words)]
    return tuple(f"{' '.join(row)} {d}" for d, row in enumerate(chosen.tolist()))


def _zipf(n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    weights = 1 / (5 + np.arange(n))
    return np.asarray(weights / weights.sum())


def _word_counts(
    rng: np.random.Generator, level: np.ndarray[Any, np.dtype[np.int64]], n_words: int
) -> sparse.csr_array:
    n_own = 60
    words = np.concatenate([rng.choice(n_words, n_own, replace=False) for _ in level])
    counts = np.concatenate([np.sort(rng.zipf(1.6, n_own).clip(1, 4000) * 4 ** (3 - at))[::-1] for at in level])
    topics = np.repeat(np.arange(len(level)), n_own)
    return sparse.coo_array((counts, (topics, words)), shape=(len(level), n_words)).tocsr()


def main() -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("explorer: the browser's driver is not there: pip install playwright")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "large.html"
        started = time.perf_counter()
        tree = made_tree()
        years = [str(1990 + d % 30) for d in range(N_DOCS)]
        write_page(tree, path, over={"Year": tree.over(years, period="year")})
        print(
            f"page of {N_TOPICS:,} topics: {path.stat().st_size / 1e6:.2f} MB in {time.perf_counter() - started:.1f} s"
        )
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        # The page's functions are in a private scope: use a copy that lets measurements in.
        opened = path.read_text(encoding="utf-8").replace(
            "'use strict';", "window.measured = (code, i) => eval(code);", 1
        )
        path.write_text(opened.replace("Content-Security-Policy", "Description"), encoding="utf-8")
        page.goto(path.as_uri())
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"first paint with content: {paint:.0f} ms")
        page.wait_for_function("window.measured('grove.isComplete')")
        for name, code in ACTIONS.items():
            times = [page.evaluate(MEASURE, [code, i]) for i in range(N_RUNS)]
            print(f"{name}: median {np.median(times):.0f} ms, worst {max(times):.0f} ms until painted")
        browser.close()


MEASURE = """([code, i]) => new Promise((done) => requestAnimationFrame(() => {
  const started = performance.now();
  window.measured(code, i);
  document.body.getBoundingClientRect();
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now() - started);
  requestAnimationFrame(() => channel.port2.postMessage(null));
}))"""

if __name__ == "__main__":
    main()
