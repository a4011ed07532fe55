"""Texts from every format: the result, which fields are read, and how formats are detected."""

import csv
import gzip
import io
import json
import re

import pytest

from topicgrove.corpus import Corpus, detect_format, read_corpus

RECORDS = [
    {"id": "a", "text": "An old tree", "title": "Trees", "path": ["garden", "wood"]},
    {"id": "b", "text": 'Leaves, "green",\nand Bäume', "title": "Leaves", "path": ["garden", "leaf"]},
    {"id": "c", "text": "", "title": "Nothing", "path": []},
]
VOCABULARY = ("bäume", "green", "leaves", "old", "tree")
COUNTS = [[0, 0, 0, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]


def as_json(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def as_csv(records, delimiter=","):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(records[0])
    writer.writerows([*record.values()][:3] + ["/".join(record["path"])] for record in records)
    return file.getvalue()


def assert_records(corpus):
    assert corpus.vocabulary == VOCABULARY
    assert corpus.to_csr().toarray().tolist() == COUNTS
    assert corpus.ids == ("a", "b", "c")
    assert corpus.classes == (("garden", "wood"), ("garden", "leaf"), ())
    assert corpus.titles == ("Trees", "Leaves", "Nothing")


class TestEveryFormat:
    def test_json_lines(self, write_packed):
        path = write_packed(as_json(RECORDS), "docs.jsonl")
        assert_records(read_corpus(path, titles=True, class_field="path"))

    @pytest.mark.parametrize(("name", "delimiter"), [("docs.csv", ","), ("docs.tsv", "\t")])
    def test_csv_and_tsv(self, write_packed, name, delimiter):
        path = write_packed(as_csv(RECORDS, delimiter), name)
        assert_records(read_corpus(path, title_field="title", class_field="path"))

    @pytest.mark.parametrize("end", ["", "\n", "\n \t\n\f"])
    def test_last_cell_of_a_table_may_be_empty(self, write, end):
        path = write(f"text\tnote\nold tree\tx\nnew tree\t{end}".encode(), "docs.tsv")
        assert read_corpus(path, stop_words=None, min_df=1, max_df=1.0).n_docs == 2

    def test_parquet(self, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet")
        pyarrow = pytest.importorskip("pyarrow")
        parquet.write_table(pyarrow.Table.from_pylist(RECORDS), tmp_path / "docs.parquet")
        assert_records(read_corpus(tmp_path / "docs.parquet", titles=True, class_field="path"))

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_data_frame(self, library):
        module = pytest.importorskip(library)
        if library == "pyarrow":
            frame = module.Table.from_pylist(RECORDS)
        else:
            frame = module.DataFrame({name: [record[name] for record in RECORDS] for name in RECORDS[0]})
        assert_records(Corpus.from_texts(frame, titles=True, class_field="path"))

    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_column_of_a_data_frame(self, library):
        module = pytest.importorskip(library)
        texts = module.Series([record["text"] for record in RECORDS])
        corpus = Corpus.from_texts(texts, ids=module.Series(["x", "y", "z"]))
        assert corpus.vocabulary == VOCABULARY
        assert corpus.ids == ("x", "y", "z")

    def test_text_file_with_a_document_a_line(self, write_packed):
        corpus = read_corpus(write_packed("an old tree\n\nBäume\n\n\n", "notes.txt"), titles=True)
        assert corpus.vocabulary == ("bäume", "old", "tree")
        assert corpus.document_lengths.tolist() == [2, 0, 1]
        assert corpus.ids == ("0", "1", "2")
        assert corpus.titles == ("an old tree", "", "Bäume")

    def test_folder_of_text_files(self, write, tmp_path):
        write("tree", "docs/b.txt")
        write("old\nleaf", "docs/a/z.txt")
        write("\ufeffleaf", "docs/a.txt")
        write("no document", "docs/readme.md")
        corpus = read_corpus(tmp_path / "docs")
        assert corpus.ids == ("a/z.txt", "a.txt", "b.txt")
        assert corpus.to_csr().toarray().tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 1]]


class TestFields:
    def test_ids_may_be_numbers_or_missing(self, write):
        path = write('{"text": "tree"}\n{"id": 7, "text": "leaf"}\n{"id": null, "text": "leaf"}\n', "docs.jsonl")
        assert read_corpus(path).ids == ("0", "7", "2")

    @pytest.mark.parametrize("value", ["1.5", "{}", "[1]"])
    def test_an_id_of_another_kind_is_refused_only_if_asked_for(self, write, value):
        path = write('{"text": "tree", "id": ' + value + "}\n", "docs.jsonl")
        assert read_corpus(path).ids == ("0",)
        with pytest.raises(ValueError, match=r"docs\.jsonl:1: id is .*; it must be a string"):
            read_corpus(path, id_field="id")

    def test_other_fields_can_be_named(self, write):
        path = write('{"body": "tree", "key": "k", "id": "i"}\n', "docs.jsonl")
        corpus = read_corpus(path, text_field="body", id_field="key")
        assert (corpus.vocabulary, corpus.ids) == (("tree",), ("k",))

    @pytest.mark.parametrize("option", ["text_field", "id_field", "title_field", "class_field"])
    @pytest.mark.parametrize(
        ("name", "content", "line"),
        [
            ("docs.jsonl", '{"text": "t", "x": "1"}\n{"text": "tree"}\n', 2),
            ("docs.csv", "text,y\nt,1\n", 1),
        ],
    )
    def test_missing_field_is_refused_naming_line_and_fields(self, write, option, name, content, line):
        path = write(content, name)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}:{line}: no field 'x'; the fields are 'text'"):
            read_corpus(path, **{option: "x"})

    def test_missing_column_of_a_data_frame_is_refused(self):
        polars = pytest.importorskip("polars")
        with pytest.raises(ValueError, match="the data frame: no field 'text'; the fields are 'a', 'b'"):
            Corpus.from_texts(polars.DataFrame({"a": ["x"], "b": ["y"]}))

    @pytest.mark.parametrize("value", ["null", "3", "[]", "{}", "true"])
    def test_text_that_is_no_string_is_refused_naming_the_line(self, write, value):
        path = write('{"text": "tree"}\n{"text": ' + value + "}\n", "docs.jsonl")
        with pytest.raises(ValueError, match=r"docs\.jsonl:2: text is .*; it must be a string"):
            read_corpus(path)

    @pytest.mark.parametrize(
        ("value", "label"),
        [
            ('["rec", "sport"]', ("rec", "sport")),
            ('"rec/sport"', ("rec", "sport")),
            ('"rec > ice hockey"', ("rec", "ice hockey")),
            ('"cs.SE"', ("cs.SE",)),
            ("4", ("4",)),
            ('""', ()),
            ("null", ()),
        ],
    )
    def test_labels_are_read_from_the_top_down(self, write, value, label):
        path = write('{"text": "tree", "label": ' + value + "}\n", "docs.jsonl")
        assert read_corpus(path, class_field="label").classes == (label,)

    def test_wrong_label_is_refused(self, write):
        path = write('{"text": "tree", "label": {"a": 1}}\n', "docs.jsonl")
        with pytest.raises(ValueError, match=r"docs\.jsonl:1: label is"):
            read_corpus(path, class_field="label")

    def test_titles_and_labels_are_not_kept_unasked(self, write):
        corpus = read_corpus(write(as_json(RECORDS), "docs.jsonl"))
        assert corpus.titles is None
        assert corpus.classes is None

    def test_documents_taken_keep_their_fields(self, write):
        corpus = read_corpus(write(as_json(RECORDS), "docs.jsonl"), titles=True, class_field="path").take([2, 0])
        assert corpus.ids == ("c", "a")
        assert corpus.titles == ("Nothing", "Trees")
        assert corpus.classes == ((), ("garden", "wood"))
        assert corpus.rules is not None


class TestDetection:
    @pytest.mark.parametrize(
        ("name", "content", "expected"),
        [
            ("a.jsonl", "", "jsonl"),
            ("a.NDJSON", "", "jsonl"),
            ("a.json.gz", "", "jsonl"),
            ("a.csv.zst", "", "csv"),
            ("a.tsv", "", "tsv"),
            ("a.parquet", "", "parquet"),
            ("a.mtx.gz", "", "matrix-market"),
            ("a.ldac", "", "ldac"),
            ("a.lda-c", "", "ldac"),
            ("docword.nips.txt", "", "uci"),
            ("docword.nips.txt.gz", "", "uci"),
            ("a.txt", "a tree\n", "text"),
            ("a.txt", "", "text"),
            ("a", '{"text": "tree"}\n', "jsonl"),
            ("a", '\ufeff{"text": "tree"}\n', "jsonl"),
            ("a.txt", "2\n3\n3\n1 1 2\n", "uci"),
            ("a.dat", "2 0:2 2:1\n0\n1 1:1\n", "ldac"),
            ("a.dat", "%%MatrixMarket matrix coordinate integer general\n", "matrix-market"),
            ("a.dat", "PAR1...", "parquet"),
            ("a.txt", "at 10:30 tea\n", "text"),
        ],
    )
    def test_format_is_told_by_name_or_content(self, write, name, content, expected):
        assert detect_format(write(content, name)) == expected

    def test_compressed_content_is_looked_into(self, write):
        assert detect_format(write(gzip.compress(b'{"text": ""}\n', mtime=0), "a")) == "jsonl"
