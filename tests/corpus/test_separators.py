"""CSV files whose separator is not a comma."""

import pytest

from topicgrove.corpus import build_store, read_corpus

RULES = {"stop_words": None, "min_df": 1, "max_df": 1.0}


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_header_tells_the_separator(write_packed, separator, mark):
    rows = [["id", "text", "note"], ["a", '"old, ""green"" tree; leaf"', "x,y;z"], ["b", "moon", ""]]
    rows[1][2] = f'"{rows[1][2]}"'
    path = write_packed(mark + "".join(separator.join(row) + "\r\n" for row in rows), "docs.csv")
    corpus = read_corpus(path, **RULES)
    assert corpus.ids == ("a", "b")
    assert corpus.vocabulary == ("green", "leaf", "moon", "old", "tree")


def test_the_text_field_decides(write):
    path = write("id,n;body\n1,2;tree\n", "docs.csv")
    assert read_corpus(path, text_field="body").vocabulary == ("tree",)
    assert read_corpus(path, text_field="n;body").vocabulary == ("tree",)


def test_several_text_fields(write):
    path = write("title;abstract\ntree;old\n", "docs.csv")
    assert read_corpus(path, text_field="title,abstract").vocabulary == ("old", "tree")


def test_a_comma_is_tried_first(write):
    path = write("text,a;b\nmoon,tree;leaf\n", "docs.csv")
    assert read_corpus(path).vocabulary == ("moon",)


def test_one_column_needs_no_separator(write):
    assert read_corpus(write("text\nold; tree | leaf\n", "docs.csv")).vocabulary == ("leaf", "old", "tree")


def test_fields_are_listed_by_the_likeliest_separator(write):
    with pytest.raises(ValueError, match=r"docs\.csv:1: no field 'text'; the fields are 'id', 'body', 'n'"):
        read_corpus(write("id;body;n\n1;tree;2\n", "docs.csv"))


def test_rows_are_checked_by_the_separator_of_the_header(write):
    with pytest.raises(ValueError, match=r"docs\.csv:3: the row has 1 cells; the header has 2"):
        read_corpus(write("id;text\n1;tree\n2,leaf\n", "docs.csv"))


def test_a_tsv_file_has_tabs_alone(write):
    with pytest.raises(ValueError, match=r"docs\.tsv:1: no field 'text'; the fields are 'id;text'"):
        read_corpus(write("id;text\n1;tree\n", "docs.tsv"))


def test_a_store_has_the_same_documents(write, tmp_path):
    path = write("id;text\na;old tree\nb;leaf\n", "docs.csv")
    store = build_store(path, tmp_path / "store")
    assert (store.vocabulary, list(store.ids)) == (("leaf", "old", "tree"), ["a", "b"])
