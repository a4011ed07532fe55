import csv
import io
import json

import numpy as np
import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def saved(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value


def test_panel_has_words_relatives_and_documents(visit, tree):
    page = visit(tree, "#topic=7")
    panel = page.locator("#panel")
    expect(panel.locator("h2")).to_have_text("goal, striker, match")
    expect(panel.locator(".crumbs")).to_have_text("Allsport, teamLevel 2")
    expect(panel.locator(".facts")).to_contain_text("8")
    expect(panel.locator(".facts")).to_contain_text("21%")
    words = panel.locator(".bars li a").all_inner_texts()
    assert words == tree.top_words(7, 20)
    expect(panel.locator(".relatives li")).to_have_count(1)
    expect(panel.locator(".document")).to_have_count(5)
    panel.locator(".relatives a").click()
    expect(panel.locator("h2")).to_have_text("puck, skate")
    assert page.url.endswith("#topic=8")


def relevant_words(tree, topic, weight):
    """Words by Sievert and Shirley's relevance, the largest first."""
    counts = tree.word_counts.toarray()
    beta = tree.beta[tree.level[topic]]
    p = (counts[topic] + beta) / (counts[topic].sum() + beta * counts.shape[1])
    share = np.maximum(counts.sum(axis=0), 1) / counts.sum()
    relevance = weight * np.log(p) + (1 - weight) * np.log(p / share)
    return [tree.vocabulary[word] for word in np.argsort(-relevance, kind="stable") if counts[topic, word]]


def test_slider_ranks_words_by_relevance(visit, make_tree):
    tree = make_tree(more=[(0, "bread", 60), (0, "soup", 7), (0, "oven", 9), (1, "news", 3)])
    page = visit(tree, "#topic=0")
    assert page.locator(".bars li a").all_inner_texts() != relevant_words(tree, 0, 1.0)
    page.click("#by-relevance")
    expect(page.locator("#by-relevance")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#by")).to_have_value("relevance")
    rankings = []
    for weight in (0, 0.35, 1):
        page.locator("#lambda").fill(str(weight))
        expect(page.locator(".relevance output")).to_have_text(f"{weight:.2f}")
        rankings.append(page.locator(".bars li a").all_inner_texts())
        assert rankings[-1] == relevant_words(tree, 0, weight)
    assert rankings[0] != rankings[2]
    page.locator("#lambda").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".relevance output")).to_have_text("0.95")
    expect(page.locator("#topic-0 tspan").first).to_have_text(rankings[2][0])


def test_words_of_documents_are_coloured_by_level(visit, model, corpus, texts):
    page = visit(model, "#topic=0", options={"corpus": corpus, "texts": dict(enumerate(texts))})
    card = page.locator(".document").first
    title = card.locator("h4 a").inner_text()
    document = next(text for text in texts if text.startswith(title))
    assert card.locator(".passage").inner_text() == document
    marks = card.locator(".mark")
    assert marks.count() >= 3
    colours = {page.evaluate("m => getComputedStyle(m).boxShadow", marks.nth(i).element_handle()) for i in range(3)}
    assert all("inset" in colour for colour in colours)
    expect(page.locator(".facts")).to_contain_text("NPMI")


def test_bags_of_words_are_shown_where_there_is_no_text(visit, model, corpus):
    page = visit(model, "#topic=0", options={"corpus": corpus})
    assert page.locator(".document").first.locator(".bag .mark").count() > 2


def test_labels_go_to_python_and_back(visit, tree, make_tree, tmp_path):
    page = visit(tree, "#topic=1")
    page.click("#rename")
    page.fill("#new-label", "Space & <stars>")
    page.keyboard.press("Enter")
    expect(page.locator("#heading h2")).to_have_text("Space & <stars>")
    expect(page.locator("#topic-1")).to_contain_text("Space & <stars>")
    page.click("#menu summary")
    download = saved(page, "#save-labels")
    assert download.suggested_filename == "tree.names.json"
    download.save_as(tmp_path / "labels.json")

    other = make_tree()
    other.set_names(tmp_path / "labels.json")
    assert other.names == {1: "Space & <stars>"}

    fresh = visit(make_tree(), "#topic=1", name="fresh.html")
    fresh.set_input_files("#labels-file", tmp_path / "labels.json")
    expect(fresh.locator("#heading h2")).to_have_text("Space & <stars>")
    named = visit(other, "#topic=1", name="named.html")
    expect(named.locator("#heading h2")).to_have_text("Space & <stars>")


def test_renaming_can_be_cancelled_and_taken_back(visit, tree):
    tree.set_names({1: "Space"})
    page = visit(tree, "#topic=1")
    page.click("#rename")
    page.fill("#new-label", "Other")
    page.keyboard.press("Escape")
    expect(page.locator("#heading h2")).to_have_text("Space")
    page.click("#rename")
    page.fill("#new-label", " ")
    page.keyboard.press("Enter")
    expect(page.locator("#heading h2")).to_have_text("space")


def test_bad_labels_are_refused_with_a_message(visit, tree, tmp_path):
    page = visit(tree, "#topic=1")
    for i, content in enumerate(["no json", "[1]", '{"1": 3}', '{"x": "label"}', '{"1": " "}']):
        (tmp_path / f"bad{i}.json").write_text(content)
        page.set_input_files("#labels-file", tmp_path / f"bad{i}.json")
        expect(page.locator("#message")).to_contain_text(f"bad{i}.json: ")
        expect(page.locator("#heading h2")).to_have_text("space")


def test_subtree_is_saved_as_json(visit, tree):
    page = visit(tree, "#topic=2")
    content = json.loads(saved(page, "#save-json").path().read_text())
    expected = next(child for child in tree.to_dict(20)["children"] if child["id"] == 2)
    assert [child["id"] for child in content["children"]] == [7, 8]
    assert content.keys() == expected.keys()
    for word, same in zip(content["words"], expected["words"], strict=True):
        assert word["word"] == same["word"]
        assert word["distinctive"] == pytest.approx(same["distinctive"], rel=1e-3)


def test_subtree_is_saved_as_csv_that_no_spreadsheet_computes(visit, make_tree):
    words = list(make_tree().vocabulary)
    words[words.index("goal")] = '=HYPERLINK("x")'
    words[words.index("puck")] = "+1\t2"
    tree = make_tree(words=tuple(words))
    tree.set_names({2: "@games"})
    page = visit(tree, "#topic=2")
    rows = list(csv.DictReader(io.StringIO(saved(page, "#save-csv").path().read_text())))
    assert [row["id"] for row in rows] == ["2", "7", "8"]
    assert rows[0]["name"] == rows[0]["label"] == "'@games"
    assert rows[1]["words"].startswith("'=HYPERLINK")
    assert rows[2]["words"].startswith("'+1\\")
    assert "\t" not in rows[2]["words"]


def test_subtree_is_saved_as_pictures(visit, tree):
    page = visit(tree, "#topic=2")
    picture = saved(page, "#save-svg").path().read_text()
    assert picture.startswith("<svg")
    assert "goal" in picture
    assert "moon" not in picture
    assert "class=" not in picture, "colours are written out, as there is no style sheet"
    assert 'fill="' in picture
    assert saved(page, "#save-png").path().read_bytes().startswith(b"\x89PNG")


def test_empty_topics_say_so_and_show_words_of_their_ancestors(visit, make_tree):
    plain = make_tree()
    own = plain.word_counts.toarray()[9]
    gone = [(9, word, -int(n)) for word, n in zip(plain.vocabulary, own, strict=True) if n]
    page = visit(make_tree(more=gone), "#topic=9")
    expect(page.locator("#panel h2")).to_have_text("food (9)")
    page.click("#by-relevance")
    expect(page.locator("#panel")).to_contain_text("No words of its own.")


def test_live_page_follows_its_data(browser, tree, model, tmp_path):
    from topicgrove.explore import explorer_data, render_page
    from topicgrove.explore.page import inert_json

    page = browser.new_page()
    first = explorer_data(tree) | {"live": {"iteration": 3, "n_iter": 30, "done": False, "version": 1}}
    last = explorer_data(model) | {"live": {"iteration": 30, "n_iter": 30, "done": True, "version": 2}}
    files = {"/": render_page(first, live=True), "/data.json": inert_json(last)}
    page.route(
        "**/*",
        lambda route: route.fulfill(
            body=files[route.request.url.removeprefix("http://127.0.0.1")], content_type="text/html"
        ),
    )
    page.clock.install()
    page.goto("http://127.0.0.1/")
    expect(page.locator("#sizes")).to_contain_text("38 documents")
    expect(page.locator("#sizes")).to_contain_text("iteration 3 of 30")
    expect(page.locator("#menu")).to_be_hidden()
    page.clock.run_for(4000)
    expect(page.locator("#sizes")).to_contain_text("48 documents")
    expect(page.locator("#message")).to_contain_text("Training has ended")
    page.close()
