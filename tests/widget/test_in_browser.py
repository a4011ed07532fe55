"""The widget's browser side in a real browser, with a bare page as the notebook."""

import base64

import pytest

pytest.importorskip("anywidget", reason="anywidget is not installed: pip install 'topicgrove[notebook]'")

from topicgrove.widget import Explorer

NOTEBOOK = """async ([source, state]) => {
  const listeners = {};
  window.saved = [];
  window.model = {
    get: (name) => state[name],
    set: (name, value) => {
      state[name] = value;
      for (const listener of listeners["change:" + name] ?? []) listener();
    },
    on: (name, listener) => (listeners[name] ??= []).push(listener),
    off: (name, listener) => (listeners[name] = listeners[name].filter((other) => other !== listener)),
    save_changes: () => window.saved.push(state.selected),
  };
  window.listeners = listeners;
  const widget = (await import(source)).default;
  window.end = widget.render({ model, el: document.body });
}"""


@pytest.fixture
def notebook(browser, tree):
    explorer = Explorer(tree)
    with browser.new_context() as context:
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.set_content("<!doctype html><title>notebook</title><body></body>")
        source = base64.b64encode(Explorer._esm.encode()).decode()

        def show(selected=None):
            state = {"page": explorer.page, "selected": selected, "height": 500}
            page.evaluate(NOTEBOOK, [f"data:text/javascript;base64,{source}", state])
            page.wait_for_function("document.querySelector('iframe').srcdoc !== ''")
            frame = page.frames[-1]
            frame.wait_for_selector("#drawing [data-topic]")
            page.wait_for_timeout(200)
            return frame

        page.show = show
        yield page
        assert errors == []


def saved(page):
    return page.evaluate("window.saved")


def wait_until_selected(frame, topic):
    frame.wait_for_selector(f"#drawing[aria-activedescendant='topic-{topic}']")


def test_a_click_in_the_page_is_the_selection(notebook):
    frame = notebook.show()
    assert saved(notebook) == []
    frame.locator("#drawing [data-topic='2']").first.click()
    notebook.wait_for_function("window.saved.length > 0")
    assert saved(notebook) == [2]


def test_a_selection_by_python_is_shown_and_not_sent_back(notebook):
    frame = notebook.show()
    notebook.evaluate("model.set('selected', 1)")
    wait_until_selected(frame, 1)
    notebook.evaluate("model.set('selected', null)")
    frame.wait_for_selector("#drawing:not([aria-activedescendant])")
    assert saved(notebook) == []


def test_what_was_selected_before_is_shown_at_first(notebook):
    frame = notebook.show(selected=2)
    wait_until_selected(frame, 2)
    assert notebook.evaluate("model.get('selected')") == 2


def test_only_the_page_may_select(notebook):
    notebook.show()
    notebook.evaluate("window.postMessage({ source: 'topicgrove', topic: 1 }, '*')")
    notebook.wait_for_timeout(200)
    assert saved(notebook) == []


def test_the_frame_cannot_reach_the_notebook(notebook):
    frame = notebook.show()
    reached = frame.evaluate("(() => { try { return String(parent.document); } catch { return 'refused'; } })()")
    assert reached == "refused"
    assert notebook.locator("iframe").get_attribute("sandbox") == "allow-scripts allow-downloads"


def test_in_the_end_nothing_listens_any_more(notebook):
    notebook.show()
    notebook.evaluate("window.end()")
    assert notebook.evaluate("Object.values(listeners).flat().length") == 0
