"""Words, names and labels that try to run: they are shown as text, and nothing else happens."""

import pytest

from topicgrove.explore import write_page

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "\"'><svg onload=alert(4)>",
    "javascript:alert(5)",
    "{{7*7}}",
    "line\u2028sep\u2029",
    "\u202eevil",
    "__proto__",
    "constructor",
    "a" * 400,
)
SHOWN = {"line\u2028sep\u2029": "line\\u2028sep\\u2029", "\u202eevil": "\\u202eevil"}


@pytest.fixture
def hostile(make_tree):
    plain = make_tree()
    words = tuple(HOSTILE) + tuple(plain.vocabulary[len(HOSTILE) :])
    n_docs = len(plain.documents)
    names = tuple(f"{HOSTILE[d % len(HOSTILE)]}{d}" for d in range(n_docs))
    tree = make_tree(words=words, titles=names, ids=names)
    tree.set_names({2: HOSTILE[1], 3: HOSTILE[7]})
    return tree


def test_nothing_runs_wherever_one_goes(visit, hostile):
    page = visit(hostile, options={"title": HOSTILE[1]})
    for topic in range(11):
        page.goto(page.url.split("#")[0] + f"#topic={topic}")
        expect(page.locator("#panel .id")).to_have_text(f"Topic {topic}")
    page.click("#view-branches")
    page.click("#expand")
    page.locator("#topic-4 .back").hover()
    for view in ("treemap", "circles"):
        page.click(f"#view-{view}")
    page.goto(page.url.split("#")[0] + "#compare=2,3")
    expect(page.locator(".beside-head h2")).to_have_text([HOSTILE[1], "\\u202eevil"])
    page.goto(page.url.split("#")[0] + "#topic=2")
    page.click("#edit")
    page.click("#delete")
    expect(page.locator(".pending")).to_contain_text(HOSTILE[1])
    page.click("#menu summary")
    assert page.locator("img, iframe, object, embed").count() == 0
    assert page.locator("script").count() == 3
    assert page.locator("[onload], [onerror], [href^=javascript]").count() == 0


def test_words_show_themselves(visit, hostile):
    page = visit(hostile)
    for word in HOSTILE:
        page.fill("#search", SHOWN.get(word, word))
        page.locator("#suggestions [role=option]").first.click()
        expect(page.locator("#panel h2")).to_have_text(SHOWN.get(word, word))


def test_address_of_a_hostile_word_leads_to_it(visit, hostile):
    page = visit(hostile)
    page.fill("#search", HOSTILE[0])
    page.keyboard.press("Enter")
    page.reload()
    expect(page.locator("#panel h2")).to_have_text(HOSTILE[0])


def test_labels_and_documents_show_themselves(visit, hostile):
    page = visit(hostile, "#topic=2")
    expect(page.locator("#panel h2")).to_have_text(HOSTILE[1])
    page.goto(page.url.split("#")[0] + "#topic=3")
    expect(page.locator("#panel h2")).to_have_text("\\u202eevil")
    page.fill("#search", HOSTILE[2] + "2")
    page.locator("#suggestions [role=option]").last.click()
    expect(page.locator("#panel h2")).to_contain_text("<img src=x onerror=alert(3)>")


def test_pictures_of_hostile_words_are_inert(visit, hostile, browser, tmp_path):
    page = visit(hostile, "#topic=0")
    with page.expect_download() as download:
        page.click("#save-svg")
    download.value.save_as(tmp_path / "picture.svg")
    other = browser.new_page()
    dialogs = []
    other.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    other.goto((tmp_path / "picture.svg").as_uri())
    assert other.evaluate("document.querySelectorAll('script, image, foreignObject').length") == 0
    assert dialogs == []
    other.close()


def test_policy_stops_scripts_and_requests_that_somebody_injects(browser, tree, tmp_path):
    page = browser.new_page()
    page.goto(write_page(tree, tmp_path / "tree.html").as_uri())
    outcome = page.evaluate(
        """async () => {
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          const asked = await fetch("http://127.0.0.1:9/").then(() => "answered", (error) => error.message);
          return [window.ran === undefined, asked];
        }"""
    )
    assert outcome[0]
    assert "Failed to fetch" in outcome[1]
    page.close()
