"""The map of large trees: what can be read, and zooming."""

import numpy as np
import pytest

from topicgrove.tree import TopicTree

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect

N_SMALL = 90


@pytest.fixture
def bushy() -> TopicTree:
    """A tree with a branch of many small topics and one of two large ones."""
    parent = np.array([-1, 0, 0] + [1] * N_SMALL + [2, 2])
    level = np.array([0, 1, 1] + [2] * (N_SMALL + 2))
    small = np.arange(N_SMALL, 0, -1) + 10
    n_docs = np.concatenate([[0, small.sum(), 3000], small, [2000, 1000]])
    n_docs[0] = n_docs[1] + n_docs[2]
    return TopicTree(parent, level, n_docs, n_docs)


def heights(page):
    """Heights of the cells, and their topics."""
    return page.eval_on_selector_all(
        "#drawing .cell", "all => all.map(g => [Number(g.dataset.topic), g.querySelector('rect').height.baseVal.value])"
    )


def topics(page):
    return {topic for topic, _ in heights(page)}


def test_map_leaves_out_what_is_too_small_to_read_and_says_so(visit, bushy):
    page = visit(bushy)
    drawn = heights(page)
    assert 5 < len(drawn) < N_SMALL
    assert min(height for _, height in drawn) > 11
    assert page.locator("#drawing .cell text:not(.caption)").count() == len(drawn), "all cells have words"
    hidden = len(bushy) - len(drawn)
    expect(page.locator("#shown")).to_have_text(f"{len(drawn)} of {len(bushy)} topics · {hidden} too small to read")
    expect(page.locator(".small")).to_contain_text(f"{hidden} smaller")
    page.click("#show-all")
    assert len(heights(page)) == len(bushy)
    expect(page.locator("#shown")).to_have_text(f"{len(bushy)} topics")
    page.click("#show-all")
    assert len(heights(page)) == len(drawn)


def test_threshold_lays_the_map_out_again(visit, bushy):
    page = visit(bushy)
    page.click("#show-all")
    before = dict(heights(page))
    page.locator("#threshold").fill("50")
    after = dict(heights(page))
    assert len(after) < len(before)
    assert after[3] > 1.3 * before[3], "the room of the topics that are gone goes to their siblings"
    together = sum(height + 1.5 for topic, height in after.items() if bushy.parent[topic] == 1)
    assert together == pytest.approx(after[1] + 1.5, abs=20), "all room but that of the block of smaller ones"


def test_wheel_magnifies_where_the_pointer_is(visit, bushy):
    page = visit(bushy)
    few = topics(page)
    cell = page.locator("#topic-8")
    box = cell.bounding_box()
    x, y = box["x"] + 20, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -900)
    page.wait_for_function("document.querySelectorAll('#zoom-out:not([hidden])').length")
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('[data-topic]').id", [x, y]) == "topic-8"
    assert cell.bounding_box()["height"] > 1.5 * box["height"]
    shown = int(page.inner_text("#shown").split()[0])
    assert shown > len(few), "more can be read"
    page.click("#zoom-out")
    assert topics(page) == few


def test_dragging_moves_the_magnified_map_and_selects_nothing(visit, bushy):
    page = visit(bushy)
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 10)
    page.mouse.wheel(0, -1500)
    page.wait_for_function("document.querySelectorAll('#zoom-out:not([hidden])').length")
    top = topics(page)
    page.mouse.move(box["x"] + 300, box["y"] + 450)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 30, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "has => !document.getElementById(`topic-${has}`)", arg=max(top - {0, 1, 2}, key=lambda t: -t)
    )
    assert "#topic" not in page.url


def test_keys_magnify_and_escape_goes_back(visit, bushy):
    page = visit(bushy, "#topic=5")
    few = topics(page)
    page.locator("#drawing").focus()
    for _ in range(5):
        page.keyboard.press("+")
    page.wait_for_function("n => parseInt(document.getElementById('shown').textContent) > n", arg=len(few))
    assert 5 in topics(page)
    page.keyboard.press("Escape")
    page.wait_for_function("document.getElementById('zoom-out').hidden")
    assert topics(page) == few


def test_two_fingers_magnify(visit, bushy):
    page = visit(bushy, has_touch=True, viewport={"width": 390, "height": 844})
    n = page.locator("#drawing .cell").count()
    page.evaluate(
        """() => {
          const canvas = document.getElementById("canvas");
          const box = canvas.getBoundingClientRect();
          const touch = (identifier, y) =>
            new Touch({ identifier, target: canvas, clientX: box.x + 150, clientY: box.y + y });
          const send = (type, ...touches) =>
            canvas.dispatchEvent(new TouchEvent(type, { touches, cancelable: true, bubbles: true }));
          send("touchstart", touch(1, 100), touch(2, 130));
          send("touchmove", touch(1, 60), touch(2, 260));
          send("touchend");
        }"""
    )
    page.wait_for_function("n => parseInt(document.getElementById('shown').textContent) > n", arg=n)


def test_small_topic_that_is_asked_for_is_in_the_map(visit, bushy):
    page = visit(bushy, "#topic=92")
    expect(page.locator("#topic-92")).to_have_attribute("aria-selected", "true")
    assert page.locator("#topic-92").bounding_box()["height"] > 11
    assert 94 in topics(page), "the rest of the map stays"
