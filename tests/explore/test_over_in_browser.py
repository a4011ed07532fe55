"""Shares of topics over time and by class."""

import re

import numpy as np
import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect

HOSTILE = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202eevil", "constructor")


@pytest.fixture
def over(tree):
    n = len(tree.documents)
    return {
        "Year": tree.over([str(2000 + d % 6) for d in range(n)], period="year"),
        "Place": tree.over([HOSTILE[d % 4] for d in range(n)]),
    }


def panels(page):
    return page.locator(".over-panel strong").all_inner_texts()


def test_panels_show_the_topics_below_the_selected_one(visit, tree, over):
    page = visit(tree, "#topic=1", options={"over": over})
    page.click("#tab-over")
    expect(page.locator("#over-page h2")).to_have_text("space")
    assert page.url.endswith("#over=1")
    assert panels(page) == ["moon, orbit", "rocket", "star, galaxy"]
    expect(page.locator(".over-panel .band")).to_have_count(3)
    page.click("#over-page .crumbs a")
    assert panels(page) == ["space", "sport, team", "food, bread"]
    page.locator(".over-panel").nth(1).click()
    assert panels(page) == ["goal, striker, match", "puck, skate"]
    page.keyboard.press("Escape")
    expect(page.locator("#panel h2")).to_have_text("sport, team")
    expect(page.locator(".over-own path.line")).to_have_count(1)


def test_lines_are_the_shares_of_python(visit, tree, over):
    page = visit(tree, "#over", options={"over": over})
    page.click("#over-lines")
    shares = over["Year"].shares[[1, 2, 3]]
    lines = page.eval_on_selector_all(".over-chart path.line", "all => all.map(one => one.getAttribute('d'))")
    assert len(lines) == 3
    drawn = np.array([[float(y) for y in re.findall(r",(-?[\d.]+)", line)] for line in lines])
    top, bottom = 14, 460 - 28
    assert (bottom - drawn) / (bottom - top) * shares.max() == pytest.approx(shares, abs=0.01)
    page.click("#over-stream")
    expect(page.locator(".over-chart path.layer")).to_have_count(3)
    page.locator(".over-chart path.layer").nth(1).hover(position={"x": 400, "y": 60})
    expect(page.locator("#tip strong")).to_have_text("sport, team")
    page.locator(".over-chart path.layer").nth(1).click(position={"x": 400, "y": 60})
    expect(page.locator("#over-page h2")).to_have_text("sport, team")
    page.locator(".over-key a").first.click()
    expect(page.locator("#over-page h2")).to_have_text("goal, striker, match")


def test_hostile_classes_are_bars_of_text(visit, tree, over):
    page = visit(tree, "#over", options={"over": over})
    page.select_option("#over-by", "1")
    names = page.locator(".over-panel").first.locator(".group-bar > span:first-child").all_inner_texts()
    assert sorted(names) == sorted(name.replace("\u202e", "\\u202e") for name in HOSTILE)
    page.click("#over-stream")
    expect(page.locator(".group-row")).to_have_count(4)
    assert page.locator("img").count() == 0
    page.locator(".parts a").first.click()
    expect(page.locator("#over-page h2")).to_have_text("space")


def test_tree_without_dates_and_classes_has_no_such_tab(visit, tree):
    page = visit(tree, "#over")
    expect(page.locator("#tab-over")).to_be_hidden()
    expect(page.locator("#over-page")).to_contain_text("No dates and classes")
