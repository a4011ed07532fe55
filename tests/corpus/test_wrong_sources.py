"""Sources that are wrong, damaged, hostile or unusual: what is refused, naming the place, and what is understood."""

import errno
import gzip
import io
import os
import re
import sys
import tracemalloc

import pytest
import zstandard

from topicgrove.corpus import Corpus, read_corpus, textfiles

LINES = """{"id": "a", "text": "An old tree", "title": "Trees"}
{"id": "b", "text": "Leaves, \\"green\\",\\nand Bäume", "title": "Leaves"}
{"id": "c", "text": "", "title": "Nothing"}
"""


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
        content = LINES.encode()
        data = gzip.compress(content, mtime=0) if kind == "gzip" else zstandard.ZstdCompressor().compress(content)
        for end in range(8, len(data), 3):
            with pytest.raises(
                ValueError, match=rf"docs\.jsonl{suffix}: truncated or damaged {kind} file after line \d"
            ):
                read_corpus(write(data[:end], "docs.jsonl" + suffix))

    def test_zstd_files_of_many_frames_are_read_whole(self, write):
        pack = zstandard.ZstdCompressor().compress
        data = b"".join(pack(line.encode() + b"\n") for line in LINES.splitlines())
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
