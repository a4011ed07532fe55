"""Single runs are files: made once, whole, and put together in tables."""

import json

import pytest

from experiments.figures import panels
from experiments.runs import Experiment, Options, UnavailableError, as_csv, read_rows, run


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


def test_a_run_records_machine_versions_and_settings(tmp_path):
    run(experiment(lambda settings: {"square": 1}), Options(seeds=1, tiny=True), tmp_path)
    files = sorted((tmp_path / "squares").glob("*.json"))
    assert len(files) == 2
    record = json.loads(files[0].read_text())
    assert record["settings"] == {"x": 1, "seed": 1}
    assert {"processor", "cores", "python", "packages", "commit"} <= record["made_with"].keys()
    assert {"topicgrove", "numpy", "numba"} <= record["made_with"]["packages"].keys()


def test_csv_has_a_column_for_every_key_that_any_row_has():
    text = as_csv([{"a": 1, "parts": {"b": 2}}, {"c": [1, 2]}])
    assert text.splitlines() == ["a,c", "1,", ",1 2"]
