"""Every experiment runs from its name to a table and a picture, in a tiny size."""

import csv
import shutil
import sys
from pathlib import Path

import pytest

from experiments.run import NAMES, experiment_of, main
from experiments.runs import Options, read_rows

COLUMNS = {
    "scale": {"n_docs", "n_threads", "tokens_per_cpu_second", "peak_bytes_per_token", "n_topics"},
    "quality": {"method", "corpus", "log_beta", "log_gamma", "seed", "n_topics", "perplexity"},
    "threshold": {"log2_m", "perplexity", "f_i_seconds", "f_c_seconds", "z_seconds", "share_in_slow_leaves"},
    "running_time": {"method", "n_topics", "seconds", "cpu_seconds"},
    "early_phase": {"part", "variant", "init_iterations", "init_samples", "perplexity", "n_topics"},
    "scalability": {"way", "n", "sweep_seconds", "perplexity"},
    "tree_picture": {"corpus", "n_topics", "topics_per_level"},
    "recovery": {"sampler", "n_docs", "beta", "nmi_level_1", "nmi_level_2"},
}
UNITS = {
    "scale": "million tokens per second of a core",
    "quality": "held-out perplexity",
    "threshold": "processor seconds",
    "running_time": "processor seconds",
    "early_phase": "held-out perplexity",
    "scalability": "times as fast as one",
    "recovery": "NMI",
}


@pytest.mark.parametrize("name", NAMES)
def test_experiment_makes_its_table_and_picture_and_does_not_repeat_itself(name, corpus_path, tmp_path, capsys):
    if name == "scalability" and not shutil.which("mpiexec", path=str(Path(sys.executable).parent)):
        pytest.skip("there is no mpiexec beside the interpreter")
    arguments = [name, "--tiny", "--seeds", "1", "--corpus", corpus_path, "--results", str(tmp_path)]
    main(arguments)
    with (tmp_path / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    planned = experiment_of(name).plan(Options((corpus_path,), 1, True))
    left_out = capsys.readouterr().out.count("left out (tomotopy is not installed")
    assert len(rows) == len(planned) - left_out
    assert COLUMNS[name] <= rows[0].keys()
    picture = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    assert picture.startswith("<?xml")
    assert "mathdefault" not in picture  # a formula, shown as it is written
    if name in UNITS:
        plots = experiment_of(name).draw(read_rows(name, tmp_path)).axes
        assert all(plot.get_xlabel() for plot in plots)
        assert any(UNITS[name] in plot.get_ylabel() for plot in plots)
    main(arguments)
    assert f"{left_out} runs to make" in capsys.readouterr().out


def test_tree_picture_writes_a_page(corpus_path, tmp_path):
    main(["tree_picture", "--tiny", "--corpus", corpus_path, "--results", str(tmp_path)])
    assert "<html" in (tmp_path / "tree_picture.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qualty"], "unknown experiment qualty"),
        (["quality", "--seeds", "0"], "--seeds must be at least 1"),
        (["quality", "--jobs", "0"], "--jobs must be at least 1"),
    ],
)
def test_bad_arguments_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_corpus_that_is_not_there_is_left_out_with_a_message(tmp_path, capsys):
    main(["tree_picture", "--tiny", "--corpus", "no-such-corpus", "--results", str(tmp_path)])
    assert "left out (no corpus no-such-corpus" in capsys.readouterr().out
    assert not (tmp_path / "tree_picture.csv").exists()
