"""Two topics side by side."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def test_two_topics_are_shown_side_by_side(visit, make_tree):
    tree = make_tree(more=[(8, "goal", 9)])
    page = visit(tree, "#topic=7")
    page.click("#compare")
    expect(page.locator("#message")).to_contain_text("Choose another topic")
    page.locator("#topic-8").click(position={"x": 8, "y": 8})
    assert page.url.endswith("#compare=7,8")
    expect(page.locator(".beside-head h2")).to_have_text([tree.name(7), tree.name(8)])
    expect(page.locator(".beside-facts")).to_contain_text("Documents")
    assert page.locator(".beside-facts td").nth(0).inner_text().startswith("8 ")
    assert page.locator(".beside-facts td").nth(1).inner_text().startswith("4 ")
    words = page.locator(".mirror a").all_inner_texts()
    assert words[0] in ("striker", "match")
    assert words[-1] in ("puck", "skate")
    assert set(words) >= {"goal", "puck"}
    expect(page.locator("#drawing .selected")).to_have_count(2)
    page.click("#swap")
    assert page.url.endswith("#compare=8,7")
    page.keyboard.press("Escape")
    expect(page.locator("#heading h2")).to_have_text(tree.name(7))


def test_comparison_has_an_address(visit, tree):
    page = visit(tree, "#compare=1,2")
    expect(page.locator(".beside-head h2")).to_have_text(["space", "sport, team"])
    expect(page.locator("#panel .lead")).to_have_text("They meet at the root.")
    page.click("#unpin")
    assert page.url.endswith("#topic=2")
    page.goto(page.url.split("#")[0] + "#compare=1,99")
    expect(page.locator("#message")).to_contain_text("This page has no")
