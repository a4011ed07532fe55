import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import topicgrove


def test_installed_command_goes_from_text_to_a_tree(texts, tmp_path):
    def run(*arguments):
        done = subprocess.run(
            [Path(sys.executable).parent / "topicgrove", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done

    done = run("fit", texts, "-o", "my.grove", "--iterations", "5", "--levels", "3")
    assert "seed " in done.stderr
    assert "iteration 5/5  0 s left  topics 1-" in done.stderr
    assert "topicgrove show my.grove" in done.stderr
    assert "topics on 3 levels" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["my.grove"]
    shown = run("show", "my.grove", "--words", "8", "--min-docs", "1").stdout
    assert shown.startswith("80 [0] ")
    assert "[1]" in shown


@pytest.mark.parametrize(
    ("library", "lines", "language", "words"),
    [
        (
            "stopwordsiso",
            [
                "Der Mond kreist um die Erde, und die Rakete fliegt zum Mond",
                "Das Tor fiel, und die Mannschaft war froh",
            ],
            "German (--language de)",
            {"erde", "fiel", "fliegt", "froh", "kreist", "mannschaft", "mond", "rakete", "tor"},
        ),
        (
            "rjieba",
            ["月亮围绕地球转动，火箭飞向月亮", "数据库服务器支持多种编程语言"],
            "Chinese (--language zh)",
            {"围绕", "地球", "支持", "数据库", "服务器", "月亮", "火箭", "编程语言", "转动"},
        ),
    ],
    ids=["german", "chinese"],
)
def test_installed_command_reads_other_languages(tmp_path, library, lines, language, words):
    pytest.importorskip(library)

    def run(*arguments):
        done = subprocess.run(
            [Path(sys.executable).parent / "topicgrove", *arguments],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )
        assert done.returncode == 0, done.stderr
        return done

    (tmp_path / "texts.txt").write_text("\n".join(lines * 20), encoding="utf-8")
    done = run(
        "fit", "texts.txt", "-o", "my.grove", "--iterations", "5", "--levels", "2", "--threads", "1", "--seed", "1"
    )
    assert f"read as {language}" in done.stderr
    assert "warning" not in done.stderr
    model = topicgrove.load(tmp_path / "my.grove")
    assert words <= set(model.tree_.vocabulary)
    assert not {"der", "die", "und", "zum", "多种语言"} & set(model.tree_.vocabulary)
    run("infer", "my.grove", "texts.txt", "-o", "placed.jsonl")
    assert len((tmp_path / "placed.jsonl").read_text().splitlines()) == 40
    built = run("corpus", "build", "texts.txt", "-o", "store", "--language", "none", "--json")
    assert json.loads(built.stdout)["rules"]["language"] is None


def test_unknown_language_is_refused_without_a_traceback(command, texts, tmp_path):
    done = command("fit", texts, "-o", tmp_path / "m.grove", "--language", "xx")
    assert done.code == 2
    assert "language must be 'auto', None, or a code" in done.err


def test_model_of_the_command_is_that_of_the_library(texts, model):
    saved = topicgrove.load(model)
    corpus = topicgrove.read_corpus(texts)
    fitted = topicgrove.HierarchicalLDA(n_iter=20, random_state=1, n_jobs=1).fit(corpus)
    assert (saved.paths_ == fitted.paths_).all()
    assert (saved.token_levels_ == fitted.token_levels_).all()
    assert saved.tree_.documents.titles[3] == "Title 3"
    assert saved.tree_.documents.ids[3] == "doc-3"


def test_options_reach_the_model(command, texts, tmp_path):
    given = (
        "--levels 3 --iterations 4 --seed 9 --alpha .3 --beta 1,.5,.25 --gamma 1e-5 --sampler cgs --collapse-below inf "
        "--init progressive --max-topics 30 --min-docs 2 --learn alpha,beta --early-stopping 3 --refine --threads 1"
    )
    done = command(
        "fit", texts, "-o", tmp_path / "m.grove", *given.split(), "--min-df", 2, "--ngram-range", "1,2", "-q"
    )
    assert (done.code, done.out, done.err) == (0, "", "")
    saved = topicgrove.load(tmp_path / "m.grove")
    expected = {
        "n_levels": 3,
        "n_iter": 4,
        "random_state": 9,
        "alpha": 0.3,
        "beta": [1.0, 0.5, 0.25],
        "gamma": 1e-5,
        "sampler": "cgs",
        "collapse_below": float("inf"),
        "init": "progressive",
        "max_topics": 30,
        "min_docs": 2,
        "learn": ["alpha", "beta"],
        "early_stopping": 3,
        "refine": True,
    }
    assert {name: saved.get_params()[name] for name in expected} == expected
    assert (saved.rules_.min_df, saved.rules_.ngram_range) == (2, (1, 2))


def test_show_sums_up_small_topics_and_leaves_out_deep_ones(command, model):
    assert "smaller topics" in command("show", model, "--min-docs", 70).out
    assert len(command("show", model, "--max-depth", 0).out.splitlines()) == 1
    tree = json.loads(command("show", model, "--json", "--words", 2, "--by", "probability").out)
    assert (tree["id"], tree["n_docs"], len(tree["words"])) == (0, 80, 2)
    assert set(tree["words"][0]) == {"word", "probability"}
    assert tree["label"] == tree["name"] != ""
    assert sum(child["n_docs"] for child in tree["children"]) == 80


def test_show_of_one_topic_keeps_its_id_and_names_documents(command, model):
    done = command("show", model, "--topic", 1)
    assert " [1] " in done.out.splitlines()[0]
    assert "Title " in done.out
    assert json.loads(command("show", model, "--topic", 1, "--json").out)["id"] == 1
    assert command("show", model, "--topic", 10_000).code == 2


def test_top_words_of_all_topics_and_of_one(command, model):
    tree = topicgrove.load(model).tree_
    lines = command("top-words", model, "-n", 3).out.splitlines()
    assert lines == [f"{t}\t{', '.join(tree.top_words(t, 3))}" for t in range(len(tree))]
    (facts,) = json.loads(command("top-words", model, "--topic", 1, "-n", 2, "--by", "probability", "--json").out)
    assert [word["word"] for word in facts["words"]] == tree.top_words(1, 2, "probability")


def test_infer_writes_paths_shares_and_log_probabilities(command, model, new_texts, tmp_path):
    done = command("infer", model, new_texts, "-o", tmp_path / "out.jsonl")
    assert done.code == 0
    assert "2 of 302 words are unknown" in done.err
    assert "1 of 13 documents have no known word" in done.err
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    saved = topicgrove.load(model)
    corpus = topicgrove.read_corpus(new_texts, vocabulary=saved.tree_.vocabulary, rules=saved.rules_)
    assert [row["id"] for row in rows] == list(corpus.ids)
    assert [row["path"] for row in rows] == saved.predict_paths(corpus).tolist()
    shares = saved.transform(corpus)
    for row, expected in zip(rows, shares, strict=True):
        assert sum(row["proportions"].values()) == pytest.approx(1, abs=1e-4)
        assert all(
            share == pytest.approx(expected[int(topic)], abs=1e-6) for topic, share in row["proportions"].items()
        )
    assert all(row["log_probability"] < 0 for row in rows[:-1])
    assert rows[-1]["log_probability"] == 0


def test_infer_writes_the_same_to_every_format(command, model, new_texts, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    printed = command("infer", model, new_texts, "-o", "-", "-q")
    rows = [json.loads(line) for line in printed.out.splitlines()]
    assert printed.err == ""
    for name in ("out.csv", "out.parquet"):
        assert command("infer", model, new_texts, "-o", tmp_path / name, "-q").code == 0
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row | {"proportions": {str(t): s for t, s in row["proportions"]}} for row in table] == rows
    with (tmp_path / "out.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [cell["path"] for cell in cells] == [" ".join(map(str, row["path"])) for row in rows]
    assert [json.loads(cell["proportions"]) for cell in cells] == [row["proportions"] for row in rows]
    assert (cells[0]["id"], cells[-1]["id"]) == ("doc-0", "'=1+1")


def test_evaluate_compares_with_classes(command, model, texts):
    report = json.loads(command("evaluate", model, texts, "--class-field", "label_path", "--json").out)
    assert report["n_docs"] == 80
    assert 1 < report["perplexity"] < 100
    assert report["classes"]["n_docs"] == [80, 80]
    assert 0 <= report["classes"]["nmi"][0][0] <= 1
    assert report["labels"] == report["classes"]
    assert {"npmi", "c_v"} <= set(report["coherence"])
    shown = command("evaluate", model, texts, "--no-perplexity").out
    assert "coherence npmi " in shown
    assert "perplexity" not in shown
    assert "classes" not in shown


@pytest.mark.parametrize(
    ("suffix", "start"),
    [
        ("json", "{"),
        ("csv", "id,parent,level,name,n_docs,n_tokens,words,label\n0,-1,0,"),
        ("dot", "digraph"),
        ("nwk", "("),
        ("graphml", "<graphml"),
    ],
)
def test_export_chooses_the_format_by_the_name(command, model, tmp_path, suffix, start):
    path = tmp_path / f"tree.{suffix}"
    assert command("export", model, "-o", path).code == 0
    assert path.read_text().startswith(start)
    if suffix == "json":
        assert json.loads(path.read_text()) == topicgrove.load(model).tree_.to_dict()


def test_store_is_built_described_and_fitted(command, texts, tmp_path):
    store = tmp_path / "store"
    done = command("corpus", "build", texts, "-o", store, "--class-field", "label_path", "--max-features", 20, "--json")
    built = json.loads(done.out)
    assert (built["n_docs"], built["n_words"], built["rules"]["max_features"]) == (80, 20, 20)
    described = json.loads(command("corpus", "info", store, "--json").out)
    assert described["format"] == "store"
    assert described["columns"] == ["vocabulary", "ids", "titles", "labels"]
    assert {name: described[name] for name in built if name != "store"} == {
        name: built[name] for name in built if name != "store"
    }
    assert json.loads(command("corpus", "info", texts, "--json").out)["format"] == "jsonl"
    fitted = command("fit", store, "-o", tmp_path / "m.grove", "--iterations", 2, "--json")
    assert json.loads(fitted.out)["n_words"] == 20
    report = json.loads(command("evaluate", tmp_path / "m.grove", store, "--no-perplexity", "--json").out)
    assert report["classes"]["n_docs"] == [80, 80]
    assert "columns         vocabulary, ids, titles, classes\n" in command("corpus", "info", store).out


def test_store_that_is_there_is_replaced_only_on_request(command, texts, tmp_path):
    assert command("corpus", "build", texts, "-o", tmp_path / "store", "-q").code == 0
    again = command("corpus", "build", texts, "-o", tmp_path / "store", "-q")
    assert again.code == 74
    assert "--overwrite" in again.err
    assert command("corpus", "build", texts, "-o", tmp_path / "store", "--overwrite", "-q").code == 0


def test_resume_can_add_sweeps(command, texts, tmp_path):
    checkpoints = tmp_path / "checkpoints"
    common = ("--checkpoint-every", 2, "--seed", 3, "--threads", 1, "-q")
    assert (
        command("fit", texts, "-o", tmp_path / "a", "--iterations", 4, "--checkpoint", checkpoints, *common).code == 0
    )
    assert command("resume", checkpoints, "-o", tmp_path / "b", "--iterations", 8, "--threads", 1, "-q").code == 0
    assert command("fit", texts, "-o", tmp_path / "c", "--iterations", 8, *common).code == 0
    resumed, straight = topicgrove.load(tmp_path / "b"), topicgrove.load(tmp_path / "c")
    assert (resumed.token_levels_ == straight.token_levels_).all()
    assert (resumed.paths_ == straight.paths_).all()


def test_info_tells_what_a_path_holds(command, model, texts, tmp_path):
    assert json.loads(command("info", "--json").out)["topicgrove"] == topicgrove.__version__
    facts = json.loads(command("info", model, "--json").out)
    assert (facts["kind"], facts["seed"], facts["iterations"], facts["n_docs"]) == ("model", 1, 20, 80)
    command("corpus", "build", texts, "-o", tmp_path / "store", "-q")
    assert "corpus store" in command("info", tmp_path / "store").out
    checkpoints = tmp_path / "checkpoints"
    command("fit", texts, "-o", tmp_path / "m", "--iterations", 2, "--seed", 4, "--checkpoint", checkpoints, "-q")
    assert json.loads(command("info", checkpoints, "--json").out)["iteration"] == 2
    assert command("info", tmp_path).code == 2


def test_held_out_perplexity_gets_into_the_model_and_its_page(command, texts, new_texts, tmp_path):
    done = command("fit", texts, "-o", tmp_path / "m.grove", "--iterations", 4, "--held-out", new_texts, "-q")
    assert (done.code, done.err) == (0, "")
    history = topicgrove.load(tmp_path / "m.grove").history_
    assert [row["perplexity"] is not None for row in history] == [False, False, False, True]
    assert command("explore", tmp_path / "m.grove", "-q").code == 0
    data = re.search(r'id="data">(.*?)</script>', (tmp_path / "m.html").read_text(), re.DOTALL)
    shown = json.loads(data[1])["history"]["perplexity"]
    assert shown == [None, None, None, pytest.approx(history[-1]["perplexity"], abs=0.06)]
