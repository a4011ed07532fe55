from pathlib import Path

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 720}


@pytest.fixture(scope="module")
def axe():
    package = pytest.importorskip("axe_playwright_python", reason="axe is not there")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


LOOKS = [
    ("#topic=1", None),
    ("#word=goal", "#view-branches"),
    ("#document=d3", "#view-icicle"),
    ("#over", None),
    ("#over=1", "#over-lines"),
    ("#over", "#over-stream"),
    ("#compare=1,2", "#view-treemap"),
    ("#topic=1", "#view-circles"),
    ("#topic=2", "#edit"),
    ("#training", None),
]


@pytest.mark.parametrize(("scheme", "viewport"), [("light", DESK), ("dark", DESK), ("light", PHONE)])
def test_axe_finds_no_serious_violation(visit, model, corpus, texts, axe, scheme, viewport):
    years = [str(2001 + d % 4) for d in range(len(texts))]
    over = {"Year": model.tree_.over(years, period="year"), "Class": model.tree_.over(["a", "b"] * (len(texts) // 2))}
    options = {"corpus": corpus, "texts": dict(enumerate(texts)), "over": over}
    page = visit(model, options=options, color_scheme=scheme, viewport=viewport)
    page.evaluate(axe)
    for address, button in [("", None), *LOOKS]:
        page.evaluate("hash => { location.hash = hash; }", address)
        if button:
            page.click(button)
        found = page.evaluate("axe.run({resultTypes: ['violations']}).then((result) => result.violations)")
        grave = [
            (one["id"], [node["html"] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert grave == [], address


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system_and_the_button(visit, tree):
    page = visit(tree, color_scheme="dark")
    dark = background(page)
    expect(page.locator("#theme")).to_have_attribute("aria-pressed", "true")
    page.click("#theme")
    light = background(page)
    assert light != dark
    expect(page.locator("#theme")).to_have_attribute("aria-pressed", "false")
    page.emulate_media(color_scheme="light")
    assert background(page) == light
    page.click("#theme")
    assert background(page) == dark


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_nothing_sticks_out_of_the_page(visit, tree, viewport):
    page = visit(tree, viewport=viewport, options={"over": {"Year": tree.over(["2001", "2002"] * 19)}})
    for address in ["", "topic=7", "word=moon", "document=doc-3", "over", "over=1", "compare=1,7", "training"]:
        page.evaluate("hash => { location.hash = hash; }", address)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.evaluate("location.hash = ''")
    for view in ("branches", "treemap", "circles", "icicle"):
        page.click(f"#view-{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], view


def test_phone_has_the_panel_below_the_map(visit, tree):
    page = visit(tree, "#topic=7", viewport=PHONE)
    assert page.locator("#panel").bounding_box()["y"] > page.locator("#canvas").bounding_box()["y"]
    assert page.locator("#panel").bounding_box()["width"] == PHONE["width"]
    assert not page.locator("#size").is_visible()
    page.click("#display summary")
    assert page.locator("#size").is_visible()


def test_print_has_the_tree_and_the_topic_but_no_controls(visit, tree):
    page = visit(tree, "#topic=7", color_scheme="dark")
    page.emulate_media(media="print")
    for control in ("#search", "#theme", "#menu", "#threshold", "#save-json"):
        expect(page.locator(control)).to_be_hidden()
    expect(page.locator("#panel h2")).to_be_visible()
    expect(page.locator("#drawing")).to_be_visible()
    assert len(page.pdf()) > 5000
