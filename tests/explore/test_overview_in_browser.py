import re

import numpy as np
import pytest

from topicgrove.tree import TopicTree

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def cells(page):
    """Ids of the topics that are drawn."""
    return page.eval_on_selector_all("#drawing [data-topic]", "all => all.map(one => Number(one.dataset.topic))")


def cell(page, topic):
    return page.locator(f"#topic-{topic}")


def box(page, topic):
    return page.eval_on_selector(f"#topic-{topic} rect", "r => [r.x, r.y, r.width, r.height].map(v => v.baseVal.value)")


def test_map_shows_all_topics_with_heights_by_documents(visit, tree):
    page = visit(tree)
    assert sorted(cells(page)) == list(range(11))
    heights = {topic: box(page, topic)[3] for topic in (1, 2, 3)}
    gap = 1.5
    for topic in (2, 3):
        expected = tree.n_docs[topic] / tree.n_docs[1]
        assert abs((heights[topic] + gap) / (heights[1] + gap) - expected) < 0.01
    expect(page.locator("#sizes")).to_have_text("38 documents · 11 topics · 3 levels")


def test_area_can_be_by_tokens(visit, make_tree):
    page = visit(make_tree(more=[(7, "goal", 5000)]))
    before = box(page, 7)[3]
    page.select_option("#size", "tokens")
    assert box(page, 7)[3] > 1.5 * before


def test_words_are_as_large_as_the_fourth_root_of_their_frequency(visit, tree):
    page = visit(tree)
    page.select_option("#by", "relevance")
    sizes = page.eval_on_selector_all(
        "#topic-7 tspan", "all => all.map(one => [one.textContent, Number(one.getAttribute('font-size'))])"
    )
    counts = {word: int(n) for word, n in zip(tree.vocabulary, tree.word_counts.toarray()[7], strict=True)}
    (first, large), (second, small) = sizes[:2]
    assert abs(large / small - (counts[first] / counts[second]) ** 0.25) < 0.02


def test_second_click_zooms_in_and_the_strip_leads_out(visit, tree):
    page = visit(tree)
    cell(page, 1).click(position={"x": 20, "y": 10})
    assert 7 in cells(page)
    cell(page, 1).click(position={"x": 20, "y": 10})
    assert sorted(cells(page)) == [0, 1, 4, 5, 6]
    assert box(page, 0)[2] < 30, "the root is a strip"
    expect(page.locator("#zoom-out")).to_be_visible()
    page.wait_for_timeout(300)
    cell(page, 0).click(position={"x": 10, "y": 10})
    assert len(cells(page)) == 11


def test_threshold_folds_small_topics(visit, tree):
    page = visit(tree)
    page.locator("#threshold").fill("60")
    least = int(re.match(r"\d+", page.inner_text("#threshold-value"))[0])
    assert least > 1
    kept = {topic for topic in range(11) if topic == 0 or tree.n_docs[topic] >= least}
    assert set(cells(page)) == kept
    expect(page.locator(".small").first).to_contain_text("smaller")
    expect(page.locator("#shown")).to_have_text(f"{len(kept)} of 11 topics")


def test_levels_can_be_hidden_but_not_all(visit, tree):
    page = visit(tree)
    page.click("#level-1")
    assert sorted(cells(page)) == [0, *range(4, 11)]
    page.click("#level-0")
    page.click("#level-2")
    assert sorted(cells(page)) == list(range(4, 11))
    page.click("#view-branches")
    page.click("#expand")
    assert sorted(cells(page)) == [0, *range(4, 11)], "the root holds the branches together"


def test_branches_open_and_close(visit, tree):
    page = visit(tree)
    page.click("#view-branches")
    assert sorted(cells(page)) == [0, 1, 2, 3]
    expect(cell(page, 1)).to_have_attribute("aria-expanded", "false")
    page.click("#topic-1 .knob")
    assert sorted(cells(page)) == [0, 1, 2, 3, 4, 5, 6]
    page.click("#topic-1 .knob")
    assert sorted(cells(page)) == [0, 1, 2, 3]
    page.click("#expand")
    assert len(cells(page)) == 11
    page.click("#collapse")
    assert sorted(cells(page)) == [0, 1, 2, 3]


def test_topic_that_is_asked_for_is_in_sight(visit, tree):
    page = visit(tree, "#topic=10")
    page.click("#view-branches")
    assert 10 in cells(page)
    expect(cell(page, 10)).to_have_attribute("aria-selected", "true")
    page.set_viewport_size({"width": 1280, "height": 230})
    page.click("#view-icicle")
    page.goto(page.url.split("#")[0] + "#topic=10")
    assert 10 in cells(page), "its parent fills the map, as it would be too small"


def test_tip_says_what_is_under_the_pointer(visit, tree):
    page = visit(tree)
    cell(page, 4).hover()
    expect(page.locator("#tip")).to_contain_text("moon, orbit")
    expect(page.locator("#tip")).to_contain_text("12 documents · 32%")


def test_training_is_drawn_or_said_to_be_missing(visit, tree, model):
    page = visit(model, "#training")
    expect(page.locator(".chart h3")).to_have_count(3)
    expect(page.locator(".training-head .lead")).to_contain_text("30 sweeps")
    expect(page.locator(".chart path.line").first).to_have_attribute("d", re.compile("^M"))
    page.click("#tab-tree")
    expect(page.locator("#tree-page")).to_be_visible()
    page = visit(tree, "#training", name="tree2.html")
    expect(page.locator("#training-page")).to_contain_text("No history of training")


def test_tree_of_many_levels_is_drawn(visit):
    depth = 12
    tree = TopicTree(np.arange(-1, depth - 1), np.arange(depth), np.full(depth, 3), np.ones(depth, int))
    page = visit(tree)
    assert sorted(cells(page)) == list(range(depth))
    page.click("#view-branches")
    page.click("#expand")
    assert 11 in cells(page)
