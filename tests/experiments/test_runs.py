"""Runs are lines of a file: made once per version of the kernels, never partial, and collected in tables."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from experiments import runs
from experiments.figures import panels
from experiments.provenance import SourcesError
from experiments.records import Record, append, file_of, read_records
from experiments.runs import Experiment, Options, UnavailableError, as_csv, read_rows, run


@pytest.fixture(autouse=True)
def committed(monkeypatch):
    """Allow uncommitted sources: developers run these tests before they commit."""
    monkeypatch.setattr(runs, "check_committed", lambda: None)


@pytest.fixture
def set_kernels(monkeypatch):
    """Pretend that the kernels' sources have this hash."""

    def pretend(kernels):
        monkeypatch.setattr("experiments.runs.sources_hash", lambda: kernels)
        monkeypatch.setattr("experiments.provenance.sources_hash", lambda: kernels)

    return pretend


def square(settings):
    return {"square": settings["x"] ** 2}


def experiment(measure):
    def plan(options):
        return [{"x": x, "seed": seed} for seed in range(1, options.seeds + 1) for x in options.thinned([1, 2, 3])]

    return Experiment("squares", "squares of numbers", (), plan, measure, lambda rows: panels(["squares"])[0])


def test_runs_that_are_there_are_not_repeated(tmp_path):
    made = []

    def measure(settings):
        made.append(settings["x"])
        return {"square": settings["x"] ** 2}

    run(experiment(measure), Options(seeds=1), tmp_path)
    rows = run(experiment(measure), Options(seeds=2), tmp_path)
    assert made == [1, 2, 3, 1, 2, 3]
    assert sorted(row["square"] for row in rows) == [1, 1, 4, 4, 9, 9]


def test_an_experiment_that_failed_goes_on_where_it_was(tmp_path):
    def fail_at_three(settings):
        if settings["x"] == 3:
            raise RuntimeError("power cut")
        return {"square": settings["x"] ** 2}

    with pytest.raises(RuntimeError, match="power cut"):
        run(experiment(fail_at_three), Options(seeds=1), tmp_path)
    assert len(read_rows("squares", tmp_path)) == 2
    made = []
    run(experiment(lambda settings: made.append(settings["x"]) or {"square": 9}), Options(seeds=1), tmp_path)
    assert made == [3]


def test_a_run_that_cannot_be_made_is_left_out_and_says_why(tmp_path, capsys):
    def measure(settings):
        if settings["x"] == 2:
            raise UnavailableError("no twos here")
        return {"square": 1}

    rows = run(experiment(measure), Options(seeds=1), tmp_path)
    assert [row["x"] for row in sorted(rows, key=lambda row: row["x"])] == [1, 3]
    assert "left out (no twos here): x 2, seed 1" in capsys.readouterr().out


def test_a_run_records_machine_versions_code_and_settings(tmp_path):
    run(experiment(square), Options(seeds=1, tiny=True), tmp_path)
    lines = file_of("squares", tmp_path).read_text().splitlines()
    assert len(lines) == 2
    record = json.loads(lines[0])
    assert record["settings"] == {"x": 1, "seed": 1}
    wanted = {"processor", "cores", "python", "packages", "commit", "uncommitted", "kernels"}
    assert wanted <= record["made_with"].keys()
    assert {"topicgrove", "numpy", "numba"} <= record["made_with"]["packages"].keys()


def test_runs_of_other_kernels_are_made_again_and_those_of_today_count(tmp_path, set_kernels, capsys):
    set_kernels("old")
    run(experiment(lambda settings: {"square": -1}), Options(seeds=1), tmp_path)
    set_kernels("new")
    rows = run(experiment(square), Options(seeds=1), tmp_path)
    assert "3 runs to make, 3 of them again: other kernels made their results" in capsys.readouterr().out
    assert [row["square"] for row in rows] == [1, 4, 9]
    run(experiment(square), Options(seeds=1), tmp_path)
    assert "0 runs to make\n" in capsys.readouterr().out
    set_kernels("old")
    assert [row["square"] for row in read_rows("squares", tmp_path)] == [-1, -1, -1]


def test_results_of_unknown_kernels_count_only_until_a_run_is_made(tmp_path):
    append(file_of("squares", tmp_path), Record({"seed": 1, "x": 2}, {"square": -1}, {"kernels": None}))
    assert [row["square"] for row in read_rows("squares", tmp_path)] == [-1]
    rows = run(experiment(square), Options(seeds=1), tmp_path)
    assert sorted(row["square"] for row in rows) == [1, 4, 9]


def test_a_result_is_not_kept_if_sources_change_meanwhile(tmp_path, set_kernels):
    def edit_and_measure(settings):
        set_kernels("new")
        return square(settings)

    set_kernels("old")
    with pytest.raises(SourcesError, match="sources or the commit changed during a run"):
        run(experiment(edit_and_measure), Options(seeds=1), tmp_path)
    assert read_records("squares", tmp_path) == []


def test_jobs_at_once_keep_every_result(tmp_path):
    rows = run(experiment(square), Options(seeds=6, tiny=True), tmp_path, jobs=2)
    assert sorted(row["square"] for row in rows) == [1] * 6 + [9] * 6
    assert len(read_records("squares", tmp_path)) == 12


def test_lines_that_are_added_at_once_stay_whole(tmp_path):
    path = tmp_path / "long.jsonl"
    records = [Record({"seed": seed}, {"numbers": [seed] * 30_000}, {}) for seed in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda record: append(path, record), records))
    assert sorted(read_records("long", tmp_path), key=lambda record: record.settings["seed"]) == records


def test_a_piece_of_a_line_that_a_killed_process_left_is_no_run_and_is_written_over(tmp_path):
    path = tmp_path / "cut.jsonl"
    first, second = Record({"x": 1}, {"square": 1}, {}), Record({"x": 2}, {"square": 4}, {})
    append(path, first)
    with path.open("a") as file:
        file.write('{"settings": {"x": 2}, "res')
    assert read_records("cut", tmp_path) == [first]
    append(path, second)
    assert read_records("cut", tmp_path) == [first, second]


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"settings": {}, "result": {}, "made_with": {}}\n{"settings": {}}\n')
    with pytest.raises(ValueError, match=r"bad\.jsonl:2: not a run with settings, result and made_with"):
        read_records("bad", tmp_path)


def test_csv_has_a_column_for_every_key_that_any_row_has():
    text = as_csv([{"a": 1, "parts": {"b": 2}}, {"c": [1, 2]}])
    assert text.splitlines() == ["a,c", "1,", ",1 2"]
