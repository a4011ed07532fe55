"""The installed command, in an empty directory, on the files that people have: Excel, zip, standard input."""

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import zstandard

import topicgrove

FIT = ("--iterations", "3", "--levels", "3", "--seed", "1", "--threads", "1")


@pytest.fixture
def run(tmp_path):
    """Run the installed command in an empty directory, with something on its standard input."""
    folder = tmp_path / "empty"
    folder.mkdir()

    def run_command(*arguments, given=None, code=0):
        command = [Path(sys.executable).parent / "topicgrove", *map(str, arguments)]
        stdin = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, **stdin)
        assert done.returncode == code, done.stderr.decode()
        return done.stdout.decode(), done.stderr.decode()

    run_command.folder = folder
    return run_command


@pytest.fixture(scope="module")
def rows(texts):
    return [json.loads(line) for line in texts.read_text().splitlines()]


def as_csv(rows):
    lines = ["id;title;text;label_path", *(";".join(row.values()) for row in rows)]
    return "\n".join(lines).encode()


def as_lines(rows):
    return "\n".join(row["text"] for row in rows).encode()


def as_jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


GIVEN = {
    "jsonl": (as_jsonl, ()),
    "array": (lambda rows: json.dumps(rows, indent=1).encode(), ()),
    "plain": (as_lines, ()),
    "csv": (as_csv, ("--format", "csv")),
    "gzip": (lambda rows: gzip.compress(as_jsonl(rows)), ()),
    "zstd": (lambda rows: zstandard.compress(as_jsonl(rows)), ()),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_every_command_reads_standard_input(run, rows, texts, kind):
    make, options = GIVEN[kind]
    _, err = run("fit", "-", "-o", "m.grove", *FIT, *options, given=make(rows))
    assert "80 documents" in err
    expected = topicgrove.read_corpus(texts)
    model = topicgrove.load(run.folder / "m.grove")
    assert model.tree_.vocabulary == expected.vocabulary
    assert (model.tree_.documents.ids[7] == "doc-7") == (kind != "plain")
    run("corpus", "build", "-", "-o", "store", *options, given=make(rows))
    assert topicgrove.open_store(run.folder / "store").words.tolist() == expected.words.tolist()
    out, _ = run("infer", "m.grove", "-", "-o", "-", *options, given=make(rows[:5]))
    assert len(out.splitlines()) == 5
    fields = () if kind == "plain" else ("--class-field", "label_path")
    report = json.loads(run("evaluate", "m.grove", "-", "--json", *fields, *options, given=make(rows))[0])
    assert report["n_docs"] == 80
    assert json.loads(run("corpus", "info", "-", "--json", *options, given=make(rows))[0])["n_docs"] == 80


def test_nothing_is_suggested_that_would_read_standard_input_again(run, rows):
    _, err = run("fit", "-", "-o", "m.grove", *FIT, given=as_jsonl(rows))
    assert "topicgrove export m.grove" in err
    assert "evaluate" not in err


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (b"", (), "standard input: no documents"),
        (b'{"text": "tree"}\n{"no": 1}\n', (), "standard input:2: no field 'text'; the fields are 'no'"),
        (gzip.compress(b"old tree\n" * 999)[:-9], (), "standard input: truncated or damaged gzip file after line "),
        (b"PK\x03\x04", (), "standard input: zip can only be read from a file; of a stream, jsonl, json, csv, "),
        (b"PAR1", (), "standard input: parquet can only be read from a file"),
        (b"2\n3\n3\n1 1 2\n", (), "standard input: uci can only be read from a file"),
        (b"\xd0\xcf\x11\xe0", (), "standard input: a spreadsheet that cannot be read; save it as .xlsx or .csv"),
        (b"text\ntree\n", ("--format", "xlsx"), "standard input: xlsx can only be read from a file"),
        (b"name\ntree\n", ("--format", "csv"), "standard input:1: no field 'text'; the fields are 'name'"),
    ],
    ids=["nothing", "field", "cut", "zip", "parquet", "counts", "xls", "format", "csv"],
)
def test_what_is_wrong_with_standard_input_is_one_line(run, given, options, message):
    out, err = run("fit", "-", "-o", "m.grove", *options, given=given, code=2)
    assert out == ""
    assert err.startswith(f"topicgrove: error: {message}")
    assert len(err.splitlines()) == 1
    assert list(run.folder.iterdir()) == []


def test_a_page_needs_a_file_of_its_documents(run, model):
    _, err = run("explore", model, "-o", "page.html", "--corpus", "-", given=b"tree", code=2)
    assert "give a file" in err


def test_an_odd_name_is_read_with_its_format(run, rows, tmp_path):
    (tmp_path / "export.dat").write_bytes(as_csv(rows))
    _, err = run("fit", tmp_path / "export.dat", "-o", "m.grove", *FIT, "--format", "csv")
    assert f"topicgrove evaluate m.grove {tmp_path / 'export.dat'} --format csv" in err
    _, err = run("fit", tmp_path / "export.dat", "-o", "m.grove", "--format", "odd", code=2)
    assert "odd" in err


def test_an_excel_workbook_becomes_a_tree(run, rows, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Comment", "id", "Kind"])
    for row in rows:
        book.active.append([row["text"], row["id"], row["label_path"]])
    book.save(tmp_path / "Survey 2026.xlsx")
    _, err = run("fit", tmp_path / "Survey 2026.xlsx", "-o", "m.grove", *FIT, code=2)
    assert "Survey 2026.xlsx:Sheet:1: no field 'text'; the fields are 'Comment', 'id', 'Kind'" in err
    run("fit", tmp_path / "Survey 2026.xlsx", "-o", "m.grove", "--text-field", "Comment", *FIT)
    options = ("--text-field", "Comment", "--class-field", "Kind", "--json")
    report = json.loads(run("evaluate", "m.grove", tmp_path / "Survey 2026.xlsx", *options)[0])
    assert report["labels"]["n_docs"] == [80, 80]


def test_a_zipped_folder_becomes_a_tree_with_its_folders_as_classes(run, rows, tmp_path):
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        for row in rows:
            archive.writestr(f"docs/{row['label_path']}/{row['id']}.txt", row["text"])
    run("corpus", "build", tmp_path / "docs.zip", "-o", "store", "--class-field", "folder")
    store = topicgrove.open_store(run.folder / "store")
    assert {"/".join(path) for path in store.classes} == {row["label_path"] for row in rows}
    run("fit", "store", "-o", "m.grove", *FIT)
    report = json.loads(run("evaluate", "m.grove", tmp_path / "docs.zip", "--class-field", "folder", "--json")[0])
    assert report["labels"]["n_docs"] == [80, 80]
    run("explore", "m.grove", "--corpus", tmp_path / "docs.zip")
    assert "moon" in (run.folder / "m.html").read_text()


def test_a_zipped_table_is_read_as_the_table(run, rows, tmp_path):
    with zipfile.ZipFile(tmp_path / "archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/reviews.csv", as_csv(rows))
        archive.writestr("data/README.txt", "What this is")
    run("fit", tmp_path / "archive.zip", "-o", "m.grove", *FIT)
    assert topicgrove.load(run.folder / "m.grove").tree_.documents.titles[5] == "Title 5"
