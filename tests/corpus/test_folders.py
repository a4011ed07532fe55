"""Which files of a folder are documents."""

import pytest

from topicgrove.corpus import read_corpus


def test_markdown_and_text_files_are_documents_where_there_is_no_txt(write, tmp_path):
    write("old tree", "docs/b.md")
    write("leaf", "docs/a/c.text")
    write("no document", "docs/d.py")
    corpus = read_corpus(tmp_path / "docs")
    assert (corpus.ids, corpus.vocabulary) == (("a/c.text", "b.md"), ("leaf", "old", "tree"))


def test_txt_files_are_the_documents_where_there_are_any(write, tmp_path):
    write("tree", "docs/a.txt")
    write("no document", "docs/readme.md")
    assert read_corpus(tmp_path / "docs").ids == ("a.txt",)


def test_a_folder_without_documents_says_what_is_there(write, tmp_path):
    for name in ("a.html", "b.html", "sub/c.pdf", "Makefile"):
        write("tree", f"docs/{name}")
    with pytest.raises(ValueError, match=r"docs: no documents: .*there are '\.html' \(2\), .*'\.pdf' \(1\)") as error:
        read_corpus(tmp_path / "docs")
    assert "'no ending' (1)" in str(error.value)


def test_an_empty_folder_has_no_documents(tmp_path):
    with pytest.raises(ValueError, match="no documents"):
        read_corpus(tmp_path)


def test_names_in_messages_stay_short(write, tmp_path):
    for i in range(30):
        write("tree", f"docs/a.{'x' * 100}{i}")
    with pytest.raises(ValueError, match="others") as error:
        read_corpus(tmp_path / "docs")
    assert len(str(error.value)) < 500 + len(str(tmp_path))
