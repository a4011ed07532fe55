"""Edits made in the page: a list that is kept, taken back and saved."""

import copy
import json

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def saved_edits(page):
    if page.locator("#menu").get_attribute("open") != "":
        page.click("#menu summary")
    with page.expect_download() as download:
        page.click("#save-edits")
    return json.loads(download.value.path().read_text(encoding="utf-8"))


def listed(page):
    return page.locator("#edits li").all_text_contents()


def test_edits_are_listed_and_saved_for_apply_edits(visit, tree):
    page = visit(tree, "#topic=4")
    page.click("#edit")
    page.select_option("#merge select", "5")
    page.click("#merge button")
    page.select_option("#move select", "3")
    page.click("#move button")
    page.fill("#split input", "3")
    page.click("#split button")
    page.goto(page.url.split("#")[0] + "#topic=8")
    page.click("#delete")
    expect(page.locator(".pending")).to_have_text("Delete “puck, skate”")
    expect(page.locator("#merge")).to_have_count(0)
    page.goto(page.url.split("#")[0] + "#topic=2")
    page.click("#earlier")
    page.click("#rename")
    page.fill("#new-label", "Sports")
    page.keyboard.press("Enter")
    content = saved_edits(page)
    assert content["format"] == "topicgrove-edits"
    assert content["version"] == 1
    assert content["edits"] == [
        {"do": "merge", "topics": [4, 5], "into": 4},
        {"do": "move", "topic": 4, "parent": 3},
        {"do": "split", "topic": 4, "into": 3},
        {"do": "delete", "topic": 8},
        {"do": "reorder", "parent": 0, "children": [2, 1, 3]},
        {"do": "rename", "topic": 2, "name": "Sports"},
    ]
    assert len(listed(page)) == 6


def test_last_edit_is_taken_back(visit, tree):
    tree.set_names({2: "Games"})
    page = visit(tree, "#topic=2")
    page.click("#edit")
    page.click("#earlier")
    order = "[...document.querySelectorAll('#drawing .cell.level-1')].map((one) => Number(one.dataset.topic))"
    assert page.evaluate(order) == [2, 1, 3]
    page.click("#rename")
    page.fill("#new-label", "Sports")
    page.keyboard.press("Enter")
    page.click("#menu summary")
    page.click("#undo-edit")
    expect(page.locator("#heading h2")).to_have_text("Games")
    assert listed(page) == ["Order the topics below “people, year”"]
    page.click("#undo-edit")
    assert page.evaluate(order) == [1, 2, 3]
    assert listed(page) == []
    expect(page.locator("#undo-edit")).to_be_disabled()


def test_names_and_edits_outlast_the_page(visit, tree):
    page = visit(tree, "#topic=1")
    page.click("#rename")
    page.fill("#new-label", "Space <b>")
    page.keyboard.press("Enter")
    page.click("#edit")
    page.click("#delete")
    page.reload()
    expect(page.locator("#heading h2")).to_have_text("Space <b>")
    assert listed(page) == ["Name topic 1 “Space <b>”", "Delete “Space <b>”"]
    page.evaluate('localStorage.setItem(Object.keys(localStorage)[0], \'{"edits": [{"do": "constructor"}, 3]}\')')
    page.reload()
    expect(page.locator("#heading h2")).to_have_text("space")
    assert listed(page) == []


def test_saved_edits_are_made_in_the_model(visit, model, corpus, tmp_path):
    page = visit(model, "#topic=1")
    page.click("#rename")
    page.fill("#new-label", "Sky & sports")
    page.keyboard.press("Enter")
    page.click("#edit")
    page.click("#delete")
    page.click("#menu summary")
    page.click("#undo-edit")
    path = tmp_path / "edits.json"
    path.write_text(json.dumps(saved_edits(page)))
    edited = copy.deepcopy(model)
    edited.apply_edits(path, corpus=corpus)
    assert "Sky & sports" in edited.tree_.names.values()
    assert len(edited.tree_) == len(model.tree_)
