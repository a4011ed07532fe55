"""Texts out of every format: what comes out, and where a file is said to be wrong."""

import csv
import errno
import gzip
import io
import json
import os
import re
import sys
import tracemalloc

import pytest
import zstandard

from topicgrove.corpus import Corpus, detect_format, read_corpus, textfiles

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


class TestFaults:
    @pytest.mark.parametrize("name", ["docs.jsonl", "docs.txt", "docs.csv"])
    def test_byte_order_mark_and_crlf_are_understood(self, write, name):
        contents = {
            "docs.jsonl": '{"text": "old tree"}\r\n\r\n',
            "docs.txt": "old tree\r\n",
            "docs.csv": "text\r\nold tree\r\n",
        }
        corpus = read_corpus(write(b"\xef\xbb\xbf" + contents[name].encode(), name))
        assert (corpus.vocabulary, corpus.n_docs) == (("old", "tree"), 1)

    @pytest.mark.parametrize(
        ("name", "before", "begin", "end"),
        [
            ("docs.jsonl", '{"text": "tree"}\n', '{"text": "', '"}\n'),
            ("docs.txt", "tree\n", "tenletters", "\n"),
            ("docs.csv", "text\ntree\n", "tenletters", "\n"),
        ],
    )
    def test_invalid_utf8_is_refused_naming_line_and_byte(self, write, name, before, begin, end):
        line = before.count("\n") + 1
        path = write(before.encode() + begin.encode() + b"le\xe4f" + end.encode(), name)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}:{line}: invalid UTF-8 at byte 12 of the line"):
            read_corpus(path)
        prefix = "" if name == "docs.jsonl" else "tenletters"
        assert f"{prefix}lef" in read_corpus(path, encoding_errors="ignore").vocabulary
        assert f"{prefix}le" in read_corpus(path, encoding_errors="replace").vocabulary

    def test_invalid_utf8_in_a_folder_is_refused_naming_the_file(self, write, tmp_path):
        write("tree", "docs/a.txt")
        write(b"a\nle\xe4f", "docs/b.txt")
        with pytest.raises(ValueError, match=r"b\.txt:2: invalid UTF-8 at byte 2"):
            read_corpus(tmp_path / "docs")

    def test_wrong_encoding_errors_are_refused(self, write):
        with pytest.raises(ValueError, match="encoding_errors must be one of strict, replace, ignore"):
            read_corpus(write("tree\n"), encoding_errors="surrogateescape")

    @pytest.mark.parametrize(
        ("name", "content", "line"),
        [
            ("docs.jsonl", '{"text": "tree"}\n{"text": "le\\u0000af"}\n', 2),
            ("docs.txt", "tree\nle\0af\n", 2),
            ("docs.csv", "text\nle\0af\n", 2),
        ],
    )
    def test_nul_is_refused_naming_the_line(self, write, name, content, line):
        path = write(content, name)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}:{line}: text has a NUL at character 2"):
            read_corpus(path)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('{"text": "tr', "not a JSON object"),
            ("tree", "not a JSON object"),
            ("[1]", "expected a JSON object"),
            ('"tree"', "expected a JSON object"),
            ('{"text": "\\ud800"}', "not a JSON object"),
        ],
    )
    def test_line_that_is_no_json_object_is_refused_naming_it(self, write, line, message):
        path = write('{"text": "tree"}\n\n' + line + "\n", "docs.jsonl")
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}:3: {message}"):
            read_corpus(path)

    def test_every_truncation_inside_a_json_line_is_refused(self, write):
        line = '{"text": "tree"}'
        for end in range(1, len(line)):
            with pytest.raises(ValueError, match=r"docs\.jsonl:2: "):
                read_corpus(write('{"text": "leaf"}\n' + line[:end], "docs.jsonl"))

    @pytest.mark.parametrize(
        ("content", "line", "message"),
        [
            ('text\n"tree\n', 2, "unexpected end of data"),
            ("text,x\ntree\n", 2, "1 cells; the header has 2"),
            ("text,x\ntree,1\nleaf,1,2\n", 3, "3 cells"),
            ("text,text\ntree,1\n", 1, "'text' more than once"),
            ('text\n"a" b\n', 2, "expected after"),
        ],
    )
    def test_wrong_csv_is_refused_naming_the_line(self, write, content, line, message):
        path = write(content, "docs.csv")
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}:{line}: .*{message}"):
            read_corpus(path)

    def test_cells_may_be_longer_than_the_limit_of_the_csv_module(self, write):
        assert read_corpus(write("text\n" + "tree " * 50_000 + "\n", "docs.csv")).n_tokens == 50_000

    def test_line_numbers_of_csv_count_lines_not_rows(self, write):
        path = write('id,text\n1,"a\nb\nc"\n2,"a\n\0"\n', "docs.csv")
        with pytest.raises(ValueError, match=r"docs\.csv:5: text has a NUL"):
            read_corpus(path)

    @pytest.mark.parametrize(("suffix", "kind"), [(".gz", "gzip"), (".zst", "zstd")])
    def test_every_truncation_of_a_compressed_file_is_refused(self, write, suffix, kind):
        content = as_json(RECORDS).encode()
        data = gzip.compress(content, mtime=0) if kind == "gzip" else zstandard.ZstdCompressor().compress(content)
        for end in range(8, len(data), 3):
            with pytest.raises(
                ValueError, match=rf"docs\.jsonl{suffix}: truncated or damaged {kind} file after line \d"
            ):
                read_corpus(write(data[:end], "docs.jsonl" + suffix))

    def test_zstd_files_of_many_frames_are_read_whole(self, write):
        pack = zstandard.ZstdCompressor().compress
        data = b"".join(pack(line.encode() + b"\n") for line in as_json(RECORDS).splitlines())
        assert read_corpus(write(data, "docs.jsonl.zst")).n_docs == 3

    @pytest.mark.parametrize("suffix", [".gz", ".zst"])
    def test_bomb_is_refused_before_it_is_unpacked(self, write, suffix):
        content = b'{"text": "' + b"tree " * 20_000 + b'"}\n'
        pack = gzip.compress if suffix == ".gz" else zstandard.ZstdCompressor().compress
        path = write(pack(content * 1000), "docs.jsonl" + suffix)
        Corpus.from_texts(["warm"])
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match="more than max_bytes=3000000"):
                read_corpus(path, max_bytes=3_000_000, n_jobs=1)
            assert tracemalloc.get_traced_memory()[1] < 60_000_000
        finally:
            tracemalloc.stop()

    def test_larger_folder_than_max_bytes_is_refused(self, write, tmp_path):
        write("tree " * 100, "docs/a.txt")
        with pytest.raises(ValueError, match="more than max_bytes=400"):
            read_corpus(tmp_path / "docs", max_bytes=400)

    def test_endless_line_is_refused(self, write, monkeypatch):
        monkeypatch.setattr(textfiles, "DOCUMENT_MAX_BYTES", 2**20)
        with pytest.raises(ValueError, match=r":1: the line, or run of blank lines, is longer than 1048576 bytes"):
            read_corpus(write(b"x" * 2**22))

    @pytest.mark.parametrize("name", ["docs.jsonl", "docs.txt", "docs.csv"])
    def test_empty_file_is_refused_naming_it(self, write, name):
        path = write("", name)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}.*no documents"):
            read_corpus(path)

    def test_folder_without_documents_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match="no documents"):
            read_corpus(tmp_path)

    @pytest.mark.parametrize("name", ["absent", "absent.jsonl", "absent.parquet", "absent.csv", "absent.mtx"])
    def test_missing_file_raises_file_not_found(self, tmp_path, name):
        with pytest.raises(FileNotFoundError, match="absent"):
            read_corpus(tmp_path / name)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    @pytest.mark.parametrize("name", ["pipe", "pipe.jsonl", "pipe.parquet", "pipe.csv"])
    def test_pipe_raises_os_error_instead_of_waiting(self, tmp_path, name):
        os.mkfifo(tmp_path / name)
        with pytest.raises(OSError, match="pipe cannot be read"):
            read_corpus(tmp_path / name)

    def test_parquet_without_pyarrow_says_what_to_install(self, write, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(ImportError, match=r"pip install 'topicgrove\[parquet\]'"):
            read_corpus(write(b"PAR1", "docs.parquet"))

    def test_damaged_parquet_is_refused(self, write):
        pytest.importorskip("pyarrow")
        with pytest.raises(ValueError, match=r"docs\.parquet: truncated or damaged Parquet"):
            read_corpus(write(b"PAR1 and no more", "docs.parquet"))

    @pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.7, 0.9])
    def test_parquet_with_damaged_bytes_is_refused_by_its_name(self, write, share):
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow

        whole = io.BytesIO()
        parquet.write_table(pyarrow.table({"text": [f"tree {i}" for i in range(100)]}), whole)
        data = bytearray(whole.getvalue())
        place = int(share * len(data))
        data[place : place + 40] = b"\xff" * 40
        with pytest.raises(ValueError, match=r"docs\.parquet"):
            read_corpus(write(bytes(data), "docs.parquet"))

    def test_parquet_with_a_column_whose_name_is_no_text_is_refused_by_its_name(self, write):
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow

        whole = io.BytesIO()
        parquet.write_table(pyarrow.table({"text": ["tree"], "other": [1]}), whole)
        with pytest.raises(ValueError, match=r"docs\.parquet: truncated or damaged Parquet"):
            read_corpus(write(whole.getvalue().replace(b"other", b"\x97ther"), "docs.parquet"))

    def test_parquet_on_a_failing_disk_is_an_error_of_the_disk(self, write, monkeypatch):
        parquet = pytest.importorskip("pyarrow.parquet")

        def fail(*arguments, **options):
            raise OSError(errno.EIO, "Input/output error", "docs.parquet")

        for name in ("ParquetFile", "read_metadata"):
            monkeypatch.setattr(parquet, name, fail)
        with pytest.raises(OSError, match="Input/output error"):
            read_corpus(write(b"PAR1", "docs.parquet"))

    def test_link_to_itself_is_an_error_of_its_file(self, write, tmp_path):
        write(b"tree", "docs/a.txt")
        (tmp_path / "docs" / "link.txt").symlink_to("link.txt")
        with pytest.raises(OSError, match=r"link\.txt"):
            read_corpus(tmp_path / "docs")

    @pytest.mark.parametrize("target", ["../secret.txt", "/etc/hostname", ".."])
    def test_link_out_of_the_folder_is_refused(self, write, tmp_path, target):
        write("secret", "secret.txt")
        write("tree", "docs/a.txt")
        (tmp_path / "docs" / "link.txt").symlink_to(target)
        with pytest.raises(ValueError, match=r"link\.txt: a link that leads out of the folder"):
            read_corpus(tmp_path / "docs")

    def test_a_loop_of_links_that_is_no_text_is_left_out(self, write, tmp_path):
        write("tree", "docs/a.txt")
        (tmp_path / "docs" / "loop").symlink_to("loop")
        assert read_corpus(tmp_path / "docs").ids == ("a.txt",)

    def test_a_name_that_is_not_utf_8_becomes_an_id_that_is(self, write, tmp_path):
        write("tree", os.fsdecode(b"docs/caf\xe9.txt"))
        assert read_corpus(tmp_path / "docs").ids == (r"caf\udce9.txt",)

    def test_link_inside_the_folder_is_a_document(self, write, tmp_path):
        write("tree", "docs/a.txt")
        (tmp_path / "docs" / "b.txt").symlink_to("a.txt")
        assert read_corpus(tmp_path / "docs").ids == ("a.txt", "b.txt")
