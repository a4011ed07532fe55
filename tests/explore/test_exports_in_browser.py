"""Files of what is seen."""

import csv
import io
import json

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def saved(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value


def rows_of(download):
    return list(csv.DictReader(io.StringIO(download.path().read_text(encoding="utf-8"))))


@pytest.mark.parametrize("view", ["icicle", "branches", "treemap", "circles"])
def test_drawing_is_saved_as_it_is_seen(visit, tree, view):
    page = visit(tree)
    page.click(f"#view-{view}")
    if view == "branches":
        page.click("#expand")
    n = page.locator("#drawing rect").count()
    download = saved(page, "#seen-svg")
    assert download.suggested_filename == f"tree.{view}.svg"
    picture = download.path().read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert picture.count("<rect") == n + 1
    assert "goal" in picture
    assert "class=" not in picture
    assert "data-" not in picture
    assert "var(" not in picture, "colours are written out"
    assert page.locator("#drawing rect").count() == n
    assert saved(page, "#seen-png").path().read_bytes().startswith(b"\x89PNG")


def test_shares_and_charts_are_saved(visit, tree):
    over = tree.over(["=1+1", "b"] * 19)
    years = tree.over(["2001", "2002"] * 19, period="year")
    page = visit(tree, "#over=1", options={"over": {"Year": years, "Place": over}})
    rows = rows_of(saved(page, "#over-save-csv"))
    table = years.to_table()
    for row in rows:
        expected = table[(table.topic == int(row["topic"])) & (table.group == row["group"])].iloc[0]
        for name in ("count", "share", "low", "high"):
            assert float(row[name]) == pytest.approx(expected[name], abs=1e-4)
    assert [row["topic"] for row in rows] == ["4", "4", "5", "5", "6", "6"]
    page.click("#over-stream")
    picture = saved(page, "#over-save-svg").path().read_text(encoding="utf-8")
    assert "<path" in picture
    assert "class=" not in picture
    page.select_option("#over-by", "1")
    assert {row["group"] for row in rows_of(saved(page, "#over-save-csv"))} == {"'=1+1", "b"}
    assert json.loads(saved(page, "#over-save-json").path().read_text())[0]["group"] == "=1+1"


def test_list_of_documents_is_saved(visit, tree):
    page = visit(tree, "#topic=1")
    rows = rows_of(saved(page, "#save-documents"))
    expected = tree.documents_of(1, n=100)
    assert [float(row["share"]) for row in rows] == pytest.approx([one.share for one in expected], abs=1e-4)
    assert {row["id"] for row in rows} == {one.id for one in expected}
