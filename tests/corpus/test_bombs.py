"""Small files that expand to huge ones, and endless records: refused early, in bounded memory, naming the place."""

import csv
import gzip
import json
import re
import tracemalloc
from functools import partial

import pytest
import zstandard

from topicgrove.corpus import (
    build_store,
    count_matrix,
    folders,
    parquet_files,
    read_corpus,
    tables,
    textfiles,
)
from topicgrove.corpus.documents import Fields
from topicgrove.corpus.sources import file_blocks
from topicgrove.corpus.textfiles import read_vocabulary

LABELS = ["x" * 2**16, ["x" * 2**16]]


class TestLines:
    @pytest.mark.parametrize("name", ["docs.jsonl.gz", "docs.txt.gz", "docs.csv.gz"])
    def test_endless_line_of_a_bomb_is_refused_in_bounded_memory(self, write, monkeypatch, name):
        monkeypatch.setattr(textfiles, "DOCUMENT_MAX_BYTES", 2**21)
        path = write(gzip.compress(b" " * 2**25, 1), name)
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match=r":1: the line, or run of blank lines, is longer than 2097152 bytes"):
                read_corpus(path, n_jobs=1)
            assert tracemalloc.get_traced_memory()[1] < 2**24
        finally:
            tracemalloc.stop()

    def test_endless_run_of_blank_lines_is_refused(self, write, monkeypatch):
        monkeypatch.setattr(textfiles, "DOCUMENT_MAX_BYTES", 2**20)
        with pytest.raises(ValueError, match=r":2: the line, or run of blank lines, is longer than 1048576 bytes"):
            read_corpus(write(b"old tree\n" + b"\n" * 2**22 + b"leaf\n"))

    def test_vocabulary_that_unpacks_to_more_than_any_is_refused(self, write, monkeypatch):
        monkeypatch.setattr(textfiles, "_VOCABULARY_MAX_BYTES", 2**20)
        with pytest.raises(ValueError, match=r"vocab\.txt: more than 1048576 bytes of text"):
            read_vocabulary(write(gzip.compress(b"\0" * 2**22, 1), "vocab.txt"))

    @pytest.mark.parametrize(
        "value", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "1" * 100_000]
    )
    def test_json_that_is_too_deep_or_too_long_a_number_is_refused(self, write, value):
        path = write('{"text": "fine"}\n{"text": "tree", "x": ' + value + "}\n", "docs.jsonl")
        with pytest.raises(ValueError, match=r"docs\.jsonl:2: not a JSON object"):
            read_corpus(path)

    def test_texts_with_more_tokens_than_kernels_count_are_refused(self, write, tmp_path, monkeypatch):
        monkeypatch.setattr(count_matrix, "MAX_LENGTH", 100)
        path = write("old tree\n" + "tree " * 101 + "\n")
        for read in (read_corpus, partial(build_store, out=tmp_path / "store")):
            with pytest.raises(ValueError, match=rf"^{re.escape(str(path))}: document 1 has 101 tokens"):
                read(path)
        assert list(tmp_path.iterdir()) == [path]


class TestFolders:
    @pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
    def test_bytes_are_counted_unpacked(self, write, tmp_path, pack):
        for name in ("a", "b", "c"):
            write(pack(b"tree " * 10_000), f"docs/{name}.txt")
        with pytest.raises(ValueError, match=r"docs: more than max_bytes=120000 bytes of text"):
            read_corpus(tmp_path / "docs", max_bytes=120_000)
        assert read_corpus(tmp_path / "docs", max_bytes=150_000).n_tokens == 30_000

    def test_a_file_that_unpacks_to_more_than_a_document_is_refused(self, write, tmp_path, monkeypatch):
        monkeypatch.setattr(folders, "DOCUMENT_MAX_BYTES", 2**20)
        write(gzip.compress(b"tree " * 2**20, 1), "docs/a.txt")
        with pytest.raises(ValueError, match=r"docs/a\.txt: more than 1048576 bytes of text"):
            read_corpus(tmp_path / "docs")


class TestTables:
    def test_a_row_of_endless_lines_is_refused(self, write, monkeypatch):
        monkeypatch.setattr(tables, "_ROW_MAX_CHARACTERS", 1000)
        with pytest.raises(ValueError, match=r"docs\.csv:2: the row has more than 1000 characters"):
            read_corpus(write('text\n"' + '\n","' * 1000, "docs.csv"))

    def test_a_cell_longer_than_a_document_is_refused(self, write, monkeypatch):
        monkeypatch.setattr(tables, "DOCUMENT_MAX_BYTES", 1000)
        before = csv.field_size_limit(1000)
        try:
            with pytest.raises(ValueError, match=r"docs\.csv:2: field larger than field limit \(1000\)"):
                read_corpus(write('text\n"' + "tree\n" * 1000 + '"\n', "docs.csv"))
        finally:
            csv.field_size_limit(before)

    def test_many_empty_cells_make_blocks_of_bounded_size(self, write, monkeypatch):
        monkeypatch.setattr(tables, "_BLOCK_CHARACTERS", 1000)
        path = write("text\n" + '""\n' * 3000, "docs.csv")
        assert [len(block().texts) for block in file_blocks(path, "csv", Fields(), 2**30)] == [1000] * 3

    def test_a_table_of_many_columns_is_read_by_those_that_are_wanted(self, write):
        n_columns = 100_000
        names = ",".join(f"c{i}" for i in range(n_columns))
        path = write(f"text,{names}\n" + ("old tree" + "," * n_columns + "\n") * 3, "docs.csv")
        assert read_corpus(path).n_docs == 3
        with pytest.raises(ValueError, match=r"docs\.csv:1: the header has 'c7' more than once"):
            read_corpus(write(f"text,{names},c7\n", "docs.csv"))

    @pytest.mark.parametrize("name", ["docs.csv", "docs.jsonl"])
    def test_an_error_shows_the_first_of_many_fields(self, write, name):
        fields = ["c" * 10_000] + [f"c{i}" for i in range(1000)]
        content = ",".join(fields) if name == "docs.csv" else json.dumps(dict.fromkeys(fields, 0))
        with pytest.raises(ValueError, match=r":1: no field 'text'; the fields are .* and 981 more$") as caught:
            read_corpus(write(content + "\n", name))
        assert len(str(caught.value)) < 1000


class TestParquet:
    @pytest.fixture
    def write_rows(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")

        def write_table(columns, **options):
            parquet.write_table(pyarrow.table(columns), tmp_path / "docs.parquet", compression="zstd", **options)
            return tmp_path / "docs.parquet"

        return write_table

    @pytest.mark.parametrize("labels", LABELS)
    def test_rows_that_share_a_text_are_unpacked_in_bounded_memory(self, write_rows, monkeypatch, labels):
        monkeypatch.setattr(parquet_files, "DOCUMENT_MAX_BYTES", 2**20)
        text = "old tree " * 2**13
        path = write_rows({"text": [text] * 200, "path": [labels] * 200}, dictionary_pagesize_limit=2**30)
        assert path.stat().st_size < 2**15
        blocks = [block() for block in file_blocks(path, "parquet", Fields(class_field="path"), 2**30)]
        assert max(block.n_bytes for block in blocks) <= 2**20
        assert [value for block in blocks for value in block.texts] == [text] * 200
        with pytest.raises(ValueError, match=r"docs\.parquet: more than max_bytes=10000000 bytes of text"):
            read_corpus(path, class_field="path", max_bytes=10_000_000)

    def test_a_row_longer_than_a_document_is_refused(self, write_rows, monkeypatch):
        monkeypatch.setattr(parquet_files, "DOCUMENT_MAX_BYTES", 2**16)
        path = write_rows({"text": ["old tree"] * 5 + ["tree " * 2**14] + ["leaf"]})
        with pytest.raises(ValueError, match=r"docs\.parquet: row 5: more than 65536 bytes"):
            read_corpus(path)

    @pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
    def test_texts_of_every_type_and_many_row_groups_are_read(self, write_rows, kind):
        pyarrow = pytest.importorskip("pyarrow")
        type_ = pyarrow.dictionary("int8", "string") if kind == "dictionary" else getattr(pyarrow, kind)()
        texts = pyarrow.array([f"tree{i % 7} leaf" for i in range(5000)]).cast(type_)
        path = write_rows({"text": texts, "id": list(range(5000))}, row_group_size=700)
        corpus = read_corpus(path, max_df=1.0)
        assert (corpus.n_docs, corpus.n_tokens, corpus.n_words, corpus.ids[4321]) == (5000, 10_000, 8, "4321")
