"""Progress while documents are read and written."""

import pytest

from topicgrove.cli.stages import StageProgress
from topicgrove.corpus import StageEvent
from topicgrove.display import Lines


@pytest.fixture
def show(capsys):
    """Shows events at given times, and returns the printed lines."""

    def show(*events):
        now = 100.0
        progress = StageProgress(Lines(), clock=lambda: now)
        for seconds, *event in events:
            now = 100.0 + seconds
            progress.on_stage(StageEvent(*event))
        progress.end()
        captured = capsys.readouterr()
        assert captured.out == ""
        return captured.err.splitlines()

    return show


def test_what_is_quick_shows_nothing(show):
    assert show((0.1, "reading", 10, 1000, 0.5), (0.5, "reading", 20, 2000, 1.0), (0.9, "writing", 20, 0, 1.0)) == []


def test_a_line_a_second_has_speed_and_time_left(show):
    events = [(tenth / 10, "reading", 100 * tenth, 10**6 * tenth, tenth / 100) for tenth in range(1, 26)]
    assert show(*events) == [
        "reading  1,000 documents  10 MB  10.0 MB/s  10%  9 s left",
        "reading  2,000 documents  20 MB  10.0 MB/s  20%  8 s left",
        "reading  2,500 documents  25 MB  10.0 MB/s  25%  8 s left",
    ]


def test_what_comes_before_the_first_document_does_not_count(show):
    """Such as compilation, which is not repeated for the others."""
    lines = show((20.0, "reading", 100, 10**6, 0.1), (21.0, "reading", 200, 2 * 10**6, 0.2))
    assert lines == ["reading  100 documents  1 MB  10%", "reading  200 documents  2 MB  1.0 MB/s  20%  8 s left"]


def test_a_stage_that_was_shown_is_shown_at_its_end_too(show):
    lines = show(
        (1.0, "reading", 5, 10**6, 0.5), (1.5, "reading", 10, 2 * 10**6, 1.0), (1.6, "choosing words", 10),
        (1.7, "writing", 5, 0, 0.5), (4.7, "writing", 10, 0, 1.0),
    )  # fmt: skip
    assert lines == [
        "reading  5 documents  1 MB  50%",
        "reading  10 documents  2 MB  1.7 MB/s  100%  0 s left",
        "writing  10 documents  100%  0 s left",
    ]


def test_a_source_of_unknown_length_has_no_time_left(show):
    assert show((1.5, "reading", 10, 10**6, None)) == ["reading  10 documents  1 MB"]


def test_nothing_is_shown_to_those_who_want_nothing(command, texts, tmp_path):
    done = command("corpus", "build", texts, "-o", tmp_path / "store", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
