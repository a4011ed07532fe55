"""Shares of topics over time and by class, on the command line."""

import csv
import json

import pytest


@pytest.fixture(scope="module")
def dated(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("dated") / "dated.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i, line in enumerate(texts.read_text(encoding="utf-8").splitlines()):
            file.write(json.dumps(json.loads(line) | {"created": f"{2010 + i % 4}-0{1 + i % 9}-03"}) + "\n")
    return path


def test_shares_by_year_are_printed_and_written(command, model, dated, tmp_path):
    shown = command("over", model, dated, "--by", "created", "--period", "year")
    assert shown.code == 0
    assert [line.split()[:2] for line in shown.out.splitlines()[1:5]] == [[str(2010 + i), "20"] for i in range(4)]
    rows = json.loads(command("over", model, dated, "--by", "created", "--period", "year", "--level", 0, "--json").out)
    assert [(row["topic"], row["share"]) for row in rows] == [(0, 1.0)] * 4
    for name in ("over.svg", "over.csv"):
        done = command("over", model, dated, "--by", "created", "--period", "year", "-o", tmp_path / name)
        assert done.code == 0
    table = list(csv.DictReader((tmp_path / "over.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["group"] for row in table} == {"2010", "2011", "2012", "2013"}
    assert all(float(row["low"]) <= float(row["share"]) <= float(row["high"]) for row in table)


def test_shares_by_class_find_the_groups(command, model, dated):
    rows = json.loads(command("over", model, dated, "--by", "label_path", "--json").out)
    assert {row["group"] for row in rows} == {"space/moon", "space/stars", "sport/ball", "sport/ice"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "created"], "give both, or none"),
        ([], "has no classes: give INPUT and --by FIELD"),
        (["{dated}", "--by", "nothing"], "no field 'nothing'"),
        (["{dated}", "--by", "title", "--period", "year"], "dates are such as 2017"),
        (["{dated}", "--by", "created", "-o", "{tmp}/x.doc"], "the name must end in one of"),
        (["{dated}", "--by", "created", "--topic", "9999"], "there are topics 0 to"),
    ],
)
def test_what_cannot_be_shown_is_an_error_in_one_line(command, model, dated, tmp_path, arguments, message):
    wrong = command("over", model, *(str(a).format(dated=dated, tmp=tmp_path) for a in arguments))
    assert wrong.code == 2
    assert message in wrong.err
