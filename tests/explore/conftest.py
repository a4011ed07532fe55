"""A tree of eleven topics, a small model, and pages of them in a real browser."""

import shutil

import numpy as np
import pytest
from scipy import sparse

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.explore import write_page
from topicgrove.tree import Documents, TopicTree

OWN_WORDS = {
    0: "people year news",
    1: "space",
    2: "sport team",
    3: "food",
    4: "moon orbit",
    5: "rocket",
    6: "star galaxy",
    7: "goal striker match",
    8: "puck skate",
    9: "bread flour oven",
    10: "soup onion pepper salt",
}
WORDS = tuple(word for own in OWN_WORDS.values() for word in own.split())
PARENT = (-1, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3)
LEVEL = (0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2)
LEAVES = (4,) * 12 + (5,) * 6 + (6,) * 2 + (7,) * 8 + (8,) * 4 + (9,) * 5 + (10,) * 1

PATIENCE = 60_000
"""Milliseconds that a busy machine may take; a passing test never waits that long."""

TEXTS = (
    "The moon and the orbit of a rocket",
    "A star in a galaxy, seen from space",
    "The team scored a goal; the striker won the match",
    "A puck on the ice, a skate, a goal for the team",
)


def made_tree(words=WORDS, titles=None, ids=None, more=()) -> TopicTree:
    """Return the tree with other words or names, and with more tokens: (topic, word, how many)."""
    parent, level = np.array(PARENT), np.array(LEVEL)
    paths = np.array([[0, PARENT[leaf], leaf] for leaf in LEAVES])
    level_counts = np.array([[3, 2, 4 + d % 3] for d in range(len(paths))])
    n_tokens = np.zeros(len(parent), np.int64)
    np.add.at(n_tokens, paths.ravel(), level_counts.ravel())
    counts = np.zeros((len(parent), len(words)), np.int64)
    for topic, own in OWN_WORDS.items():
        ids_of = [WORDS.index(word) for word in own.split()]
        left = n_tokens[topic]
        for word in ids_of[1:]:
            counts[topic, word] = left // 3
            left -= left // 3
        counts[topic, ids_of[0]] = left
    for topic, word, n in more:
        counts[topic, WORDS.index(word)] += n
    n_tokens = counts.sum(axis=1)
    names = titles or tuple(f"Title of {d}" for d in range(len(paths)))
    return TopicTree(
        parent,
        level,
        np.bincount(paths.ravel()),
        n_tokens,
        word_counts=sparse.csr_array(counts),
        vocabulary=tuple(words),
        beta=np.array([0.5, 0.25, 0.1]),
        documents=Documents(paths, level_counts, ids or tuple(f"doc-{d}" for d in range(len(paths))), names),
    )


@pytest.fixture
def make_tree():
    return made_tree


@pytest.fixture
def tree() -> TopicTree:
    return made_tree()


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return [TEXTS[d % 4] for d in range(48)]


@pytest.fixture(scope="session")
def corpus(texts) -> Corpus:
    return Corpus.from_texts(texts, ids=[f"d{d}" for d in range(len(texts))], titles=True, min_df=1, max_df=1.0)


@pytest.fixture(scope="session")
def model(corpus) -> HierarchicalLDA:
    return HierarchicalLDA(3, n_iter=30, random_state=1, gamma=0.1).fit(corpus)


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no browser: install Debian's chromium")
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as playwright:
        # Root may not use the sandbox; the pages are our own.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a page of a tree or model: no errors, no messages on the console, no requests, whatever happens to it."""
    contexts, complaints, requests, pages = [], [], [], []

    def go(source, address="", *, name="tree.html", options=None, **context_options):
        path = write_page(source, tmp_path / name, **(options or {}))
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 720}} | context_options))
        contexts.append(context)
        pages.append(path.as_uri())
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url.split("#")[0]))
        page.goto(path.as_uri() + address)
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []
    assert {url for url in requests if not url.startswith(("data:", "blob:"))} <= set(pages)
