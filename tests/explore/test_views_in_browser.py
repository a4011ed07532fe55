"""The treemap and the circles."""

import numpy as np
import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def boxes(page):
    """Topics and their boxes: x, y, width and height."""
    rows = page.eval_on_selector_all(
        "#drawing .cell",
        "all => all.map(g => [Number(g.dataset.topic), ...['x', 'y', 'width', 'height'].map("
        "name => g.querySelector('rect')[name].baseVal.value)])",
    )
    return {int(topic): np.array(box) for topic, *box in rows}


def is_inside(inner, outer, slack=0.5):
    return bool(
        np.all(inner[:2] >= outer[:2] - slack) and np.all(inner[:2] + inner[2:] <= outer[:2] + outer[2:] + slack)
    )


def test_treemap_nests_two_levels_by_size(visit, tree):
    page = visit(tree)
    page.click("#view-treemap")
    drawn = boxes(page)
    assert set(drawn) == set(range(1, 11))
    for topic in range(4, 11):
        assert is_inside(drawn[topic], drawn[tree.parent[topic]])
    area = {topic: drawn[topic][2] * drawn[topic][3] for topic in drawn}
    for topic in (2, 3):
        assert area[topic] / area[1] == pytest.approx(tree.n_docs[topic] / tree.n_docs[1], rel=0.05)
    page.locator("#topic-1 text").first.click(force=True)
    expect(page.locator("#panel h2")).to_have_text("space")
    page.keyboard.press("Enter")
    assert set(boxes(page)) == {4, 5, 6}
    page.click("#zoom-out")
    assert len(boxes(page)) == 10
    page.locator("#topic-8").hover()
    page.mouse.wheel(0, -300)
    page.wait_for_function("document.querySelectorAll('#drawing .cell').length === 2")
    assert set(boxes(page)) == {7, 8}


def test_treemap_leaves_out_what_is_too_small(visit, tree):
    page = visit(tree, viewport={"width": 1280, "height": 300})
    page.click("#view-treemap")
    drawn = boxes(page)
    assert all(box[2] >= 54 and box[3] >= 15 for box in drawn.values())
    expect(page.locator("#shown")).to_contain_text("too small to read")
    page.click("#show-all")
    assert len(boxes(page)) == 10


def test_circles_of_siblings_do_not_overlap(visit, make_tree):
    tree = make_tree(more=[(1, "sport", 300), (1, "team", 200)])
    page = visit(tree, viewport={"width": 1440, "height": 900})
    page.click("#view-circles")
    drawn = boxes(page)
    assert set(drawn) == set(range(1, 11))
    middle = {topic: box[:2] + box[2:] / 2 for topic, box in drawn.items()}
    radius = {topic: box[2] / 2 for topic, box in drawn.items()}
    for topic in drawn:
        for other in drawn:
            if topic < other and tree.parent[topic] == tree.parent[other]:
                apart = np.linalg.norm(middle[topic] - middle[other])
                assert apart > radius[topic] + radius[other] - 1
    for topic in range(4, 11):
        parent = tree.parent[topic]
        assert np.linalg.norm(middle[topic] - middle[parent]) + radius[topic] <= radius[parent] + 1
    assert radius[2] / radius[1] == pytest.approx((tree.n_docs[2] / tree.n_docs[1]) ** 0.5, rel=0.02)


def test_views_light_up_words_and_show_what_is_asked_for(visit, tree):
    page = visit(tree, "#word=moon")
    for view in ("treemap", "circles"):
        page.click(f"#view-{view}")
        expect(page.locator("#topic-4.lit")).to_have_count(1)
        expect(page.locator("#topic-7.dim")).to_have_count(1)
    page.goto(page.url.split("#")[0] + "#topic=10")
    expect(page.locator("#topic-10")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    assert page.url.endswith("#topic=9")
    page.click("#view-treemap")
    expect(page.locator("#topic-9")).to_have_attribute("aria-selected", "true")
