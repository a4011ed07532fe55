import base64
import json
import re
import zlib

import pytest

from topicgrove.cli import main


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "small.grove")
    return tmp_path / "small.grove"


@pytest.fixture
def source(texts, tmp_path):
    path = tmp_path / "small.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main(["explore", *map(str, arguments)])
    printed = capsys.readouterr()
    return end.value.code, printed.out, printed.err


def test_page_is_written_beside_the_model_and_its_path_printed(saved, capsys):
    code, out, err = run(capsys, saved)
    assert (code, out) == (0, f"{saved.with_suffix('.html')}\n")
    assert "topics are in the page" in err
    page = saved.with_suffix(".html").read_text(encoding="utf-8")
    assert "<title>small · TopicGrove</title>" in page


def test_texts_of_the_corpus_are_in_the_page(saved, source, texts, tmp_path, capsys):
    code, out, err = run(capsys, saved, "--corpus", source, "-o", tmp_path / "t.html", "--title", "Mine", "-q")
    assert (code, out, err) == (0, f"{tmp_path / 't.html'}\n", "")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert '"striker"," won the' not in page, "every known word is a piece of its own"
    assert '"striker"," ","won"," the ","match"' in page
    assert "<title>Mine · TopicGrove</title>" in page


def test_another_corpus_is_refused_and_nothing_written(saved, source, tmp_path, capsys):
    source.write_text('{"text": "moon"}\n', encoding="utf-8")
    code, out, err = run(capsys, saved, "--corpus", source)
    assert (code, out) == (2, "")
    assert "corpus has 1 documents, but the tree was learned from 48" in err
    assert not saved.with_suffix(".html").exists()


def test_page_never_replaces_the_model(saved, capsys):
    code, _, err = run(capsys, saved, "-o", saved)
    assert code == 2
    assert "is the input" in err


def test_page_has_shares_over_a_field(saved, texts, tmp_path, capsys):
    source = tmp_path / "dated.jsonl"
    rows = [{"text": text, "created": f"{2001 + d % 3}-05-01", "place": "ab"[d % 2]} for d, text in enumerate(texts)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options = ["--by", "created", "--period", "year", "--by", "place", "-q"]
    code, _, err = run(capsys, saved, "--corpus", source, *options)
    assert (code, err) == (0, "")
    page = saved.with_suffix(".html").read_text(encoding="utf-8")
    block = json.loads(zlib.decompress(base64.b64decode(re.search('"over":"([^"]*)"', page)[1])))
    assert [one["name"] for one in block] == ["created", "place"]
    assert block[0]["groups"] == ["2001", "2002", "2003"]
    assert block[0]["is_ordered"]
    assert block[1]["groups"] == ["a", "b"]
    code, _, err = run(capsys, saved, "--by", "created")
    assert code == 2
    assert "--corpus" in err
