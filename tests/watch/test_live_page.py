"""The page follows training, costs little, and costs nothing if nobody watches."""

import threading
import time

import numpy as np
import pytest

from topicgrove import Corpus, HierarchicalLDA
from topicgrove.watch import LivePage, live_page

X = np.array([[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 3, 2], [0, 0, 2, 3]] * 3)


@pytest.fixture
def corpus():
    return Corpus.from_matrix(X, ["moon", "star", "goal", "team"])


def train(corpus, *callbacks, n_iter=6, **options):
    return HierarchicalLDA(2, n_iter=n_iter, random_state=0, callbacks=callbacks, **options).fit(corpus)


def test_it_shows_the_tree_after_each_sweep_while_somebody_watches(corpus):
    page = LivePage(every=0)
    seen = []

    def watch(event):
        page._next = float("-inf")
        page.ask()
        seen.append(page.data()["live"])

    train(corpus, page.follow(corpus), watch)
    assert [look["iteration"] for look in seen] == [1, 2, 3, 4, 5, 6]
    assert [look["version"] for look in seen] == [1, 2, 3, 4, 5, 6]
    assert not any(look["done"] for look in seen)


def test_what_it_shows_is_the_tree_of_that_sweep(corpus):
    page = LivePage(every=0)
    page.ask()
    model = train(corpus, page.follow(corpus), n_iter=1)
    data = page.data()
    assert data["topics"]["n_docs"] == model.tree_.n_docs.tolist()
    assert data["topics"]["n_tokens"] == model.tree_.n_tokens.tolist()
    assert data["history"]["topics"] == [model.tree_.n_topics_per_level]
    assert data["history"]["log_joint"] == [pytest.approx(model.log_joint_, abs=0.1)]
    assert set(data["words"]) == {"moon", "star", "goal", "team"}


def test_only_the_first_sweep_is_looked_at_if_nobody_watches(corpus):
    page = LivePage(every=0)
    train(corpus, page.follow(corpus))
    assert page.version == 1


def test_looks_are_some_time_apart(corpus):
    page = LivePage(every=1000)
    page.ask()
    train(corpus, page.follow(corpus))
    assert page.version == 1


def test_looks_that_take_long_are_far_apart(corpus, monkeypatch):
    page = LivePage(every=0)
    started = time.monotonic()
    monkeypatch.setattr(live_page, "tree_of_state", slowed(live_page.tree_of_state, 0.1))
    train(corpus, page.follow(corpus), n_iter=1)
    assert page._next - started > 0.1 / live_page.SHARE


def test_so_are_looks_whose_data_takes_long_to_make(corpus):
    page = LivePage(every=0)
    page._making_seconds = 7.0
    started = time.monotonic()
    train(corpus, page.follow(corpus), n_iter=1)
    assert page._next - started > 7.0 / live_page.SHARE
    page.data()
    assert 0 < page._making_seconds < 7.0


def slowed(function, seconds):
    def slow(*arguments):
        time.sleep(seconds)
        return function(*arguments)

    return slow


def test_watching_does_not_change_the_result(corpus):
    page = LivePage(every=0)
    page.ask()
    watched = train(corpus, page.follow(corpus), lambda event: page.data())
    alone = train(corpus)
    assert np.array_equal(watched.token_levels_, alone.token_levels_)
    assert np.array_equal(watched.paths_, alone.paths_)


def test_the_history_goes_on_from_the_sweeps_before(corpus):
    page = LivePage()
    before = [{"iteration": 7, "seconds": 0.1, "n_topics_per_level": [1, 2], "log_joint": None}]
    train(corpus, page.follow(corpus, before), n_iter=1)
    assert page.data()["history"]["iteration"] == [7, 1]


def test_the_last_look_is_the_trained_tree(corpus):
    page = LivePage()
    model = train(corpus, page.follow(corpus))
    page.finish(model.tree_, model.history_)
    data = page.data()
    assert data["live"] == {"iteration": 6, "n_iter": 6, "done": True, "version": 2}
    assert data["topics"]["n_docs"] == model.tree_.n_docs.tolist()


def test_the_end_waits_for_those_who_watch(corpus):
    page = LivePage()
    model = train(corpus, page.follow(corpus))
    page.ask()

    def read():
        while page.version == 1:
            time.sleep(0.001)
        time.sleep(0.1)
        page.was_seen(page.data()["live"]["version"])

    reader = threading.Thread(target=read)
    reader.start()
    page.finish(model.tree_, model.history_, wait=300)
    assert page._seen_version == page.version == 2
    reader.join()


def test_the_end_does_not_wait_for_ever(corpus):
    page = LivePage()
    model = train(corpus, page.follow(corpus))
    page.ask()
    page.finish(model.tree_, model.history_, wait=0.01)
    assert page._seen_version == 0


def test_data_is_made_once_for_each_look(corpus, monkeypatch):
    made = []
    page = LivePage()
    train(corpus, page.follow(corpus))
    make = page._make
    monkeypatch.setattr(page, "_make", lambda look: made.append(look.version) or make(look))
    askers = [threading.Thread(target=page.data) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert made == [1]
