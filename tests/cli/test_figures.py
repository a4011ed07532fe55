"""``evaluate`` says what every figure means, but only in text output."""

import json

import pytest

from topicgrove.cli.figures import FIGURES, explained, flat


@pytest.fixture(scope="module")
def report(model, texts):
    """Return what ``evaluate --json`` prints."""
    import contextlib
    import io

    from topicgrove.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        main(["evaluate", str(model), str(texts), "--class-field", "label_path", "--json", "-q"])
    return json.loads(out.getvalue())


def test_every_figure_has_a_meaning_and_every_meaning_a_figure(report):
    lines = explained(report)
    figures = [line.rsplit("  ", 1)[0].rstrip() for line in lines if not line.startswith(" ")]
    sizes = {"n_docs", "n_trained_on", "n_tokens", "n_unknown_words", "n_topics", "n_topics_by_level", "n_words"}
    assert set(figures) - sizes == set(FIGURES)
    for name in FIGURES:
        assert lines[figures_line(lines, name) + 1].startswith("    "), name


def figures_line(lines, name):
    return next(i for i, line in enumerate(lines) if line.startswith(f"{name}  "))


def test_figures_are_those_of_the_json(report):
    shown = "\n".join(explained(report))
    assert report["labels"] == report["classes"]
    for name, value in flat(report).items():
        assert f"  {value}\n" in shown + "\n", name


def test_lines_fit_a_terminal(report, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    assert max(len(line) for line in explained(report) if line.startswith(" ")) <= 72


def test_text_calls_classes_classes_and_says_where_usual_values_are_from(command, model, texts):
    shown = command("evaluate", model, texts, "--class-field", "label_path").out
    assert "classes nmi " in shown
    assert "label" not in shown
    assert "20 Newsgroups" in shown.splitlines()[-1]


def test_json_has_no_explanations(report):
    assert "usual" not in json.dumps(report).lower()
