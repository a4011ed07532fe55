"""A tree of three topics and a browser, where there is one."""

import shutil

import numpy as np
import pytest
from scipy import sparse

from topicgrove.tree import TopicTree


@pytest.fixture
def tree():
    return TopicTree(
        np.array([-1, 0, 0]),
        np.array([0, 1, 1]),
        np.array([5, 3, 2]),
        np.array([4, 6, 5]),
        word_counts=sparse.csr_array([[4, 0, 0], [0, 6, 0], [0, 0, 5]]),
        vocabulary=("people", "moon", "goal"),
    )


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no browser: install Debian's chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()
