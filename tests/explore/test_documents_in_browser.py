"""All documents of a topic, by pages."""

import pytest

from topicgrove.explore import all_documents
from topicgrove.explore import data as data_module

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


@pytest.fixture
def few_in_the_table(monkeypatch):
    monkeypatch.setattr(data_module, "N_FOUND_DOCUMENTS", 5)


def titles(page):
    return page.locator("#titles li a").all_inner_texts()


@pytest.mark.usefixtures("few_in_the_table")
def test_panel_lists_all_documents_as_python_does(visit, tree):
    page = visit(tree, "#topic=1", options={"n_documents": 1})
    expected = tree.documents_of(1, n=100)
    expect(page.locator("#all-documents h3 small")).to_have_text("20")
    shares = page.locator("#titles .value").all_inner_texts()
    assert shares == [f"{one.share:.0%}" for one in expected]
    assert set(zip(titles(page), shares, strict=True)) == {(one.title, f"{one.share:.0%}") for one in expected}
    last = titles(page)[-1]
    page.click("#titles li:last-child a")
    expect(page.locator("#panel .kind")).to_have_text("Document")
    expect(page.locator("#panel h2")).to_have_text(last)


@pytest.mark.usefixtures("few_in_the_table")
def test_documents_are_paged_and_sorted(visit, tree):
    page = visit(tree, "#topic=0", options={"n_documents": 1})
    expect(page.locator(".pager span")).to_have_text("1 to 20 of 38")
    expect(page.locator("#documents-back")).to_be_disabled()
    first = titles(page)
    page.click("#documents-on")
    expect(page.locator(".pager span")).to_have_text("21 to 38 of 38")
    expect(page.locator("#documents-on")).to_be_disabled()
    assert sorted(first + titles(page)) == sorted(tree.documents.titles)
    page.select_option("#documents-order", "title")
    assert titles(page) == sorted(tree.documents.titles)[:20]
    page.select_option("#documents-order", "length")
    lengths = dict(zip(tree.documents.titles, tree.documents.level_counts.sum(axis=1), strict=True))
    of_titles = [lengths[title] for title in titles(page)]
    assert of_titles == sorted(of_titles, reverse=True)


@pytest.mark.usefixtures("few_in_the_table")
def test_every_document_is_found_and_has_an_address(visit, tree):
    for d in range(0, 38, 9):
        page = visit(tree, f"#document=doc-{d}", options={"n_documents": 1})
        expect(page.locator("#panel h2")).to_have_text(f"Title of {d}")
    page.fill("#search", "title of 30")
    expect(page.locator("#suggestions [role=option]").first).to_contain_text("Title of 30")
    page.goto(page.url.split("#")[0] + "#document=nothing")
    expect(page.locator("#message")).to_contain_text("This page has no document nothing")


@pytest.mark.usefixtures("few_in_the_table")
def test_page_says_how_many_documents_it_lists(visit, tree, monkeypatch):
    monkeypatch.setattr(all_documents.other_documents, "__defaults__", (10,))
    page = visit(tree, "#topic=0", options={"n_documents": 0})
    expect(page.locator("#all-documents h3 small")).to_have_text("the page lists 15 of 38")
