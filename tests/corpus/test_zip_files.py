"""Zip files: a folder of texts, or the only file in them; faults inside are named, and nothing is unpacked to disk."""

import gzip
import io
import json
import re
import stat
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from topicgrove.corpus import archives, build_store, detect_format, open_store, read_corpus

TABLES = {
    "data.csv": "id,text\na,old tree\nb,leaf\n",
    "data.tsv": "id\ttext\na\told tree\nb\tleaf\n",
    "data.jsonl": '{"id": "a", "text": "old tree"}\n{"id": "b", "text": "leaf"}\n',
    "data.json": '[{"id": "a", "text": "old tree"},\n {"id": "b", "text": "leaf"}]',
}


@pytest.fixture
def pack(tmp_path):
    """Make a zip file of names and contents."""

    def make(members, name="docs.zip", compression=zipfile.ZIP_DEFLATED):
        path = tmp_path / name
        pairs = members.items() if isinstance(members, dict) else members
        with zipfile.ZipFile(path, "w", compression) as archive:
            for member, content in pairs:
                archive.writestr(member, content)
        return path

    return make


def link(name):
    member = zipfile.ZipInfo(name)
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


def texts_in(folder: Path, n_docs=300):
    for i in range(n_docs):
        file = folder / ("tree" if i % 2 else "sea/fish") / f"{i}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"word{i % 7} old {'tree' if i % 2 else 'fish'}")
    return folder


class TestFolders:
    @pytest.mark.parametrize("inside", ["", "docs"])
    def test_a_zipped_folder_is_read_as_the_folder(self, tmp_path, inside, monkeypatch):
        monkeypatch.setattr(archives, "BLOCK_FILES", 70)
        folder = texts_in(tmp_path / "docs")
        with zipfile.ZipFile(tmp_path / "docs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in folder.rglob("*"):
                archive.write(file, inside / file.relative_to(folder))
        options = {"titles": True, "class_field": "folder"}
        one, other = (read_corpus(path, **options) for path in (folder, tmp_path / "docs.zip"))
        assert (one.ids, one.titles, one.classes) == (other.ids, other.titles, other.classes)
        assert one.words.tolist() == other.words.tolist()
        assert set(other.classes) == {("tree",), ("sea", "fish")}
        build_store(tmp_path / "docs.zip", tmp_path / "store", **options)
        assert open_store(tmp_path / "store").classes == one.classes

    def test_classes_are_the_folders_of_the_files(self, pack):
        corpus = read_corpus(pack({"top.txt": "tree", "a/b/c.txt": "leaf"}), class_field="folder")
        assert corpus.classes == (("a", "b"), ())
        with pytest.raises(ValueError, match=r"docs\.zip:a/b/c\.txt: no field 'label'; .*'folder'"):
            read_corpus(pack({"top.txt": "tree", "a/b/c.txt": "leaf"}), class_field="label")

    def test_what_systems_add_is_ignored(self, pack):
        junk = {"__MACOSX/._a.txt": b"\0\1", "docs/.DS_Store": b"\0", "docs/": ""}
        corpus = read_corpus(pack(junk | {"docs/a.txt": "tree", "docs/b.txt": "leaf", "docs/c.py": "no"}))
        assert corpus.ids == ("a.txt", "b.txt")

    def test_markdown_is_read_where_there_is_no_txt(self, pack):
        assert read_corpus(pack({"a.md": "tree", "b.text": "leaf"})).n_docs == 2

    def test_without_text_files_it_says_what_is_there(self, pack):
        with pytest.raises(ValueError, match=r"docs\.zip: no documents: .*'\.zip' \(2\)"):
            read_corpus(pack({"a.zip": b"PK", "b.zip": b"PK"}))
        with pytest.raises(ValueError, match=r"docs\.zip: no documents"):
            read_corpus(pack({}))


class TestOnlyFile:
    @pytest.mark.parametrize("name", [*TABLES, "lines"])
    def test_it_is_read_as_if_it_were_not_zipped(self, pack, name):
        corpus = read_corpus(pack({f"sub/{name}": TABLES.get(name, TABLES["data.jsonl"])}))
        assert (corpus.ids, corpus.vocabulary) == (("a", "b"), ("leaf", "old", "tree"))

    @pytest.mark.parametrize("name", TABLES)
    def test_a_table_may_have_notes_beside_it(self, pack, name):
        corpus = read_corpus(pack({name: TABLES[name], "README.txt": "about", "x/LICENSE.txt": "free"}))
        assert (corpus.ids, corpus.vocabulary) == (("a", "b"), ("leaf", "old", "tree"))

    def test_a_single_text_file_has_a_document_a_line(self, pack):
        assert read_corpus(pack({"texts.txt": "old tree\nleaf\n"})).n_docs == 2

    def test_a_compressed_table_inside_is_unpacked(self, pack):
        assert read_corpus(pack({"data.csv.gz": gzip.compress(TABLES["data.csv"].encode())})).ids == ("a", "b")

    @pytest.mark.parametrize(
        "members", [{"a.csv": "text\n", "b.csv": "text\n"}, {"labels.csv": "text\n", "1.txt": "tree", "2.txt": "leaf"}]
    )
    def test_several_that_could_be_meant_are_refused_by_name(self, pack, members):
        with pytest.raises(ValueError, match=r"docs\.zip: which of its files .*\.csv") as error:
            read_corpus(pack(members))
        assert all(name in str(error.value) for name in members)

    def test_faults_name_file_member_and_line(self, pack):
        with pytest.raises(ValueError, match=r"docs\.zip:data\.csv:3: the row has 1 cells"):
            read_corpus(pack({"data.csv": "id,text\na,tree\nb\n"}))
        with pytest.raises(ValueError, match=r"docs\.zip:b\.txt:2: invalid UTF-8"):
            read_corpus(pack({"a.txt": "tree", "b.txt": b"old\n\xff"}))

    @pytest.mark.parametrize("name", ["data.parquet", "inner.zip", "book.xlsx"])
    def test_what_is_no_stream_is_refused(self, pack, name):
        inside = io.BytesIO()
        with zipfile.ZipFile(inside, "w") as archive:
            archive.writestr("a.txt", "tree")
        content = b"PAR1" + bytes(100) if name.endswith("parquet") else inside.getvalue()
        with pytest.raises(ValueError, match=rf"docs\.zip:{re.escape(name)}: .* can only be read from a file"):
            read_corpus(pack({name: content}))


class TestHostile:
    @pytest.mark.parametrize("name", ["../a.txt", "a/../../b.txt", "/etc/a.txt", "C:/a.txt", "..\\a.txt", "\\a.txt"])
    def test_names_that_lead_out_are_refused(self, pack, name):
        with pytest.raises(ValueError, match=r"docs\.zip:.*: the name leads out of the archive"):
            read_corpus(pack({name: "tree", "b.txt": "leaf"}))

    def test_links_are_refused(self, pack):
        with pytest.raises(ValueError, match=r"docs\.zip:a\.txt: a link"):
            read_corpus(pack([(link("a.txt"), "/etc/passwd"), ("b.txt", "leaf")]))

    def test_names_that_come_twice_are_refused(self, pack):
        with pytest.warns(UserWarning, match="Duplicate"):
            path = pack([("a.txt", "tree"), ("a.txt", "leaf"), ("b.txt", "leaf")])
        with pytest.raises(ValueError, match=r"docs\.zip:a\.txt: .*several files of this name"):
            read_corpus(path)

    def test_encrypted_files_are_refused(self, pack):
        path = pack({"a.txt": "tree", "b.txt": "leaf"})
        data = bytearray(path.read_bytes())
        entry = data.index(b"PK\x01\x02")
        data[entry + 8] |= 1
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"docs\.zip:a\.txt: encrypted"):
            read_corpus(path)

    @pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_compression_without_bounds_is_refused(self, pack, compression):
        with pytest.raises(ValueError, match=r"docs\.zip:a\.txt: compressed by method"):
            read_corpus(pack({"a.txt": "tree", "b.txt": "leaf"}, compression=compression))

    def test_bombs_are_refused_after_max_bytes(self, pack):
        bomb = b"tree " * 10**6
        for members in ({"a.csv": b"text\n" + b"tree\n" * 10**6}, {f"{i}.txt": bomb for i in range(3)}):
            path = pack(members)
            assert path.stat().st_size < 10**5
            with pytest.raises(ValueError, match=r"docs\.zip.*: more than max_bytes=2000000 bytes of text"):
                read_corpus(path, max_bytes=2_000_000)

    def test_a_file_longer_than_a_document_is_refused(self, pack, monkeypatch):
        monkeypatch.setattr(archives, "DOCUMENT_MAX_BYTES", 2**20)
        with pytest.raises(ValueError, match=r"docs\.zip:a\.txt: more than 1048576 bytes of text"):
            read_corpus(pack({"a.txt": b"tree " * 2**20, "b.txt": "leaf"}))

    def test_a_size_that_is_less_than_the_truth_is_noticed(self, pack):
        path = pack({"a.txt": "tree " * 1000, "b.txt": "leaf"})
        data = bytearray(path.read_bytes())
        entry = data.index(b"PK\x01\x02")
        struct.pack_into("<I", data, entry + 24, 3)
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"docs\.zip.*: truncated or damaged zip file"):
            read_corpus(path)

    def test_every_truncation_is_refused(self, pack):
        path = pack({"a.txt": "old tree", "b.txt": "leaf"})
        data = path.read_bytes()
        for length in range(len(data)):
            path.write_bytes(data[:length])
            with pytest.raises(ValueError, match=r"docs\.zip: truncated or damaged zip file"):
                read_corpus(path)

    def test_a_member_that_begins_before_the_file_is_noticed(self, pack):
        path = pack({"a.txt": "tree", "b.txt": "leaf"})
        data = path.read_bytes()
        at = data.index(b"PK\x05\x06") + 16
        begin = struct.unpack_from("<I", data, at)[0]
        # The header claims that the table of contents begins later than it does, so all members would begin earlier.
        path.write_bytes(data[:at] + struct.pack("<I", begin + 50) + data[at + 4 :])
        with pytest.raises(ValueError, match=r"docs\.zip: truncated or damaged zip file"):
            read_corpus(path)

    def test_changed_bytes_are_noticed(self, pack):
        path = pack({"a.txt": "old tree " * 50, "b.txt": "leaf"}, compression=zipfile.ZIP_STORED)
        data = bytearray(path.read_bytes())
        data[data.index(b"old tree")] ^= 1
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"docs\.zip: truncated or damaged zip file.* 'a\.txt'"):
            read_corpus(path)


def test_formats_are_told_by_name_and_content(pack, write):
    assert detect_format(pack({"a.txt": "tree"})) == "zip"
    assert detect_format(pack({"a.txt": "tree"}, "docs")) == "zip"
    assert detect_format(pack({"xl/workbook.xml": ""}, "docs")) == "xlsx"
    for name in ("a.xls", "a.ods", "a.pdf", "a.docx", "a.tar.gz", "a.7z"):
        with pytest.raises(ValueError, match=rf"{re.escape(name)}: .* cannot be read; .*\."):
            detect_format(write(b"x", name))
    with pytest.raises(ValueError, match=r"old: a spreadsheet that cannot be read; save it as \.xlsx or \.csv"):
        detect_format(write(b"\xd0\xcf\x11\xe0" + bytes(100), "old"))


PROGRAM = """
import json, resource, sys
from topicgrove.corpus import build_store
build_store(sys.argv[1], sys.argv[2], n_jobs=1)
print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_archive(pack, tmp_path):
    peaks = []
    for n in (2_000, 20_000):
        texts = [" ".join(f"word{zlib.crc32(bytes([i, j])) % 999}" for i in range(200)) for j in range(50)]
        path = pack(((f"{i}.txt", texts[i % 50] * 10) for i in range(n)), f"{n}.zip")
        run = [sys.executable, "-c", PROGRAM, path, tmp_path / f"{n}-store"]
        peaks.append(json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout))
    # A name in the archive takes about a kilobyte; the 300 MB of text are not held.
    assert peaks[1] - peaks[0] < 50_000
