import pytest

expect = pytest.importorskip("playwright.sync_api", reason="the browser's driver is not there").expect


def lit(page):
    return page.eval_on_selector_all("#drawing .lit[data-topic]", "all => all.map(one => Number(one.dataset.topic))")


def test_word_lights_up_where_it_lives(visit, make_tree):
    tree = make_tree(more=[(5, "moon", 5)])
    page = visit(tree)
    page.fill("#search", "moo")
    expect(page.locator("#suggestions [role=option]").first).to_contain_text("moon")
    page.keyboard.press("Enter")
    assert page.url.endswith("#word=moon")
    assert sorted(lit(page)) == [4, 5]
    light = [float(page.get_attribute(f"#topic-{topic} .light", "fill-opacity")) for topic in (4, 5)]
    assert light[0] > light[1], "the more probable, the stronger"
    total = int(tree.word_counts[:, [tree.vocabulary.index("moon")]].sum())
    expect(page.locator("#panel .lead")).to_contain_text(f"{total} tokens")
    expect(page.locator("#panel .places li").first).to_contain_text("moon, orbit")


def test_document_lights_up_its_path(visit, tree):
    page = visit(tree)
    page.fill("#search", "title of 30")
    page.locator("#suggestions [role=option]").first.click()
    assert page.url.endswith("#document=doc-30")
    assert sorted(lit(page)) == [0, 2, 8]
    levels = tree.documents.level_counts[30]
    expect(page.locator("#panel .relatives .value").nth(2)).to_have_text(f"{levels[2] / levels.sum():.0%}")


def test_topics_are_found_by_their_labels(visit, tree):
    tree.set_names({5: "Launches"})
    page = visit(tree)
    page.fill("#search", "launch")
    page.keyboard.press("Enter")
    assert page.url.endswith("#topic=5")


def test_arrows_choose_among_what_was_found(visit, tree):
    page = visit(tree)
    page.fill("#search", "s")
    options = page.locator("#suggestions [role=option]")
    expect(options.nth(0)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#search")).to_have_attribute("aria-activedescendant", "found-1")
    page.keyboard.press("Escape")
    expect(page.locator("#suggestions")).to_be_hidden()


def test_nothing_found_is_said(visit, tree):
    page = visit(tree)
    page.fill("#search", "zebra")
    expect(page.locator("#suggestions")).to_have_text("Nothing found")


def test_keys_walk_the_tree_and_back(visit, tree):
    page = visit(tree)
    steps = [("ArrowRight", 0), ("ArrowRight", 1), ("ArrowRight", 4), ("ArrowDown", 5), ("ArrowDown", 6)]
    steps += [("ArrowDown", 7), ("ArrowUp", 6), ("ArrowLeft", 1), ("Home", 0), ("ArrowRight", 1)]
    for key, topic in steps:
        page.keyboard.press(key)
        expect(page.locator(f"#topic-{topic}")).to_have_attribute("aria-selected", "true")
        expect(page.locator("#drawing")).to_have_attribute("aria-activedescendant", f"topic-{topic}")
    page.keyboard.press("Enter")
    expect(page.locator("#topic-7")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#topic-7")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#panel .kind")).to_have_text("Overview")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()


def test_browsers_back_button_works(visit, tree):
    page = visit(tree)
    page.click("#topic-1", position={"x": 20, "y": 10})
    page.click("#topic-2", position={"x": 20, "y": 10})
    page.go_back()
    expect(page.locator("#panel h2")).to_have_text("space")
    page.go_back()
    expect(page.locator("#panel .kind")).to_have_text("Overview")


def test_address_of_nothing_is_said_to_be_one(visit, tree):
    page = visit(tree, "#topic=99")
    expect(page.locator("#message")).to_have_text("This page has no topic 99")
    expect(page.locator("#panel .kind")).to_have_text("Overview")
    addresses = {"word=zebra": "word zebra", "document=none": "document none", "word=%E0%A4%A": "word %E0%A4%A"}
    for address, name in addresses.items():
        page.evaluate("hash => { location.hash = hash; }", address)
        expect(page.locator("#message")).to_have_text(f"This page has no {name}")


def found(page, query):
    """The kinds and texts that a search finds."""
    page.fill("#search", query)
    return page.eval_on_selector_all(
        "#suggestions .group, #suggestions [role=option] span", "all => all.map(one => one.textContent)"
    )


def test_several_words_find_the_topics_that_have_them(visit, tree):
    page = visit(tree)
    assert found(page, "striker goal")[:2] == ["Topics", "goal, striker, match"]
    assert found(page, "moon galaxy")[:3] == ["Topics", "moon, orbit", "star, galaxy"]
    page.keyboard.press("Enter")
    assert page.url.endswith("#topic=4")


def test_beginnings_of_words_are_enough(visit, tree):
    page = visit(tree)
    assert found(page, "bre flo")[:2] == ["Topics", "flour, oven"]
    first = [one.topic for one in tree.find("pep sal oni")][:1]
    page.fill("#search", "pep sal oni")
    page.keyboard.press("Enter")
    assert page.url.endswith(f"#topic={first[0]}")
    assert found(page, "ead our") == ["Nothing found"]


def test_documents_are_found_by_several_words_of_their_titles(visit, make_tree):
    titles = ("Supply and demand of bread", "Neural (deep) networks", "Bread demand without it") + ("Other",) * 35
    page = visit(make_tree(titles=titles))
    assert found(page, "demand supply")[-2:] == ["Documents", "Supply and demand of bread"]
    assert found(page, "neural net")[-2:] == ["Documents", "Neural (deep) networks"]
    assert found(page, "deep neur")[-2:] == ["Documents", "Neural (deep) networks"]
