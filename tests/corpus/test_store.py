"""The corpus store: it round-trips, is atomic, and is refused if anything about it is wrong."""

import hashlib
import json
import os
import shutil
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicgrove.corpus import Corpus, CorruptStoreError, TextRules, open_store, read_corpus, store_writer
from topicgrove.corpus.store import manifest_digest

FIELDS = ("n_words", "vocabulary", "ids", "titles", "classes", "rules", "n_unknown_words")


def assert_same(one, other):
    assert one.words.tolist() == other.words.tolist()
    assert one.offsets.tolist() == other.offsets.tolist()
    for field in FIELDS:
        assert getattr(one, field) == getattr(other, field), field


@pytest.fixture
def corpus():
    return Corpus(
        np.array([0, 0, 2, 1], np.int32),
        np.array([0, 3, 3, 4]),
        3,
        ("tree", "bäume", "with space\nand newline"),
        ids=("a", "", "日本"),
        titles=("A tree", "\n", "x" * 300),
        classes=(("garden", "wood"), (), ("garden",)),
        rules=TextRules(min_df=2, stop_words=["the"]),
        n_unknown_words=5,
    )


@pytest.fixture
def store(corpus, tmp_path):
    corpus.save(tmp_path / "store")
    return tmp_path / "store"


def change_manifest(store, **changes):
    manifest = json.loads((store / "manifest.json").read_text())
    manifest.pop("sha256")
    manifest |= changes
    manifest["sha256"] = manifest_digest(manifest)
    (store / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("verify", [True, False])
def test_what_was_saved_is_opened(corpus, store, verify):
    assert_same(open_store(store, verify=verify), corpus)


@given(st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=5))
def test_any_documents_survive(tmp_path_factory, docs):
    path = tmp_path_factory.mktemp("stores") / "store"
    corpus = Corpus.from_documents(docs, n_words=6)
    corpus.save(path)
    assert_same(open_store(path), corpus)


def test_arrays_are_mapped_and_may_be_written_to_without_changing_the_store(store):
    opened = open_store(store)
    assert isinstance(opened.words.base, np.memmap)
    assert type(opened.words) is np.ndarray
    assert opened.words.flags.writeable
    opened.words[:] = 0
    assert open_store(store).words.tolist() == [0, 0, 2, 1]


def test_documents_taken_of_a_store_keep_their_fields(store):
    taken = open_store(store).take([2, 0])
    assert taken.ids == ("日本", "a")
    assert taken.classes == (("garden",), ("garden", "wood"))


def test_store_is_an_input_like_any_other(corpus, store):
    assert_same(read_corpus(store), corpus)
    assert read_corpus(store, vocabulary=["tree"]).words.tolist() == [0, 0]


def test_rules_with_an_analyzer_are_stored_as_such(tmp_path):
    Corpus.from_texts(["a tree"], analyzer=str.split).save(tmp_path / "store")
    assert open_store(tmp_path / "store").rules.analyzer == "callable"


class TestNames:
    def test_existing_store_is_kept_unless_asked(self, corpus, store):
        with pytest.raises(FileExistsError, match="overwrite=True would replace it"):
            corpus.take([0]).save(store)
        assert open_store(store).n_docs == 3
        corpus.take([0]).save(store, overwrite=True)
        assert open_store(store).n_docs == 1
        assert os.listdir(store.parent) == ["store"]

    @pytest.mark.parametrize("overwrite", [True, False])
    def test_anything_else_is_never_replaced(self, corpus, tmp_path, overwrite):
        (tmp_path / "notes").mkdir()
        (tmp_path / "notes" / "important.txt").write_text("keep me")
        (tmp_path / "file").write_text("keep me")
        for name in ("notes", "file"):
            with pytest.raises(FileExistsError, match="is no corpus store that could be replaced"):
                corpus.save(tmp_path / name, overwrite=overwrite)
        assert (tmp_path / "notes" / "important.txt").exists()

    def test_empty_folder_becomes_the_store(self, corpus, tmp_path):
        (tmp_path / "store").mkdir()
        corpus.save(tmp_path / "store")
        assert open_store(tmp_path / "store").n_docs == 3

    @pytest.mark.parametrize("there", [True, False], ids=["to a store", "dangling"])
    def test_a_link_stays_and_the_folder_it_leads_to_becomes_the_store(self, corpus, tmp_path, there):
        (tmp_path / "elsewhere").mkdir()
        if there:
            corpus.save(tmp_path / "elsewhere" / "store")
        link = tmp_path / "link"
        link.symlink_to("elsewhere/store")
        corpus.take([0]).save(link, overwrite=there)
        assert os.readlink(link) == "elsewhere/store"
        assert open_store(tmp_path / "elsewhere" / "store").n_docs == 1
        assert os.listdir(tmp_path / "elsewhere") == ["store"]

    def test_a_replaced_store_keeps_its_mode(self, corpus, store):
        store.chmod(0o700)
        corpus.take([0]).save(store, overwrite=True)
        assert stat.S_IMODE(store.stat().st_mode) == 0o700

    @pytest.mark.parametrize("name", ["n" * 255, os.fsdecode(b"not utf-8 \xff")])
    def test_any_name_that_a_folder_can_have_will_do(self, corpus, tmp_path, name):
        corpus.save(tmp_path / name)
        corpus.save(tmp_path / name, overwrite=True)
        assert os.listdir(tmp_path) == [name]

    def test_missing_parent_is_an_os_error(self, corpus, tmp_path):
        with pytest.raises(FileNotFoundError):
            corpus.save(tmp_path / "absent" / "store")

    @pytest.mark.parametrize("fault", ["fsync", "replace"])
    def test_failed_save_leaves_the_old_store_and_nothing_else(self, corpus, store, monkeypatch, fault):
        def fail(*_):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(store_writer.os, fault, fail)
            with pytest.raises(OSError, match="No space left"):
                corpus.take([0]).save(store, overwrite=True)
        assert open_store(store).n_docs == 3
        assert os.listdir(store.parent) == ["store"]

    def test_store_takes_its_name_only_when_it_is_whole(self, corpus, tmp_path, monkeypatch):
        seen = []
        replace = os.replace

        def record(source, target):
            seen.append(open_store(source).n_docs)
            replace(source, target)

        monkeypatch.setattr(store_writer.os, "replace", record)
        corpus.save(tmp_path / "store")
        assert seen == [3]


class TestDamage:
    def test_every_flipped_byte_is_noticed(self, store):
        for path in sorted(store.iterdir()):
            data = path.read_bytes()
            for position in range(0, len(data), max(1, len(data) // 40)):
                changed = bytearray(data)
                changed[position] ^= 0x20
                if path.name == "manifest.json" and json_or_none(changed) == json.loads(data):
                    continue
                path.write_bytes(bytes(changed))
                with pytest.raises(CorruptStoreError, match=path.name):
                    open_store(store)
            path.write_bytes(data)
        assert open_store(store).n_docs == 3

    @pytest.mark.parametrize("verify", [True, False])
    def test_every_truncation_is_noticed(self, store, verify):
        for path in sorted(store.iterdir()):
            data = path.read_bytes()
            for end in range(0, len(data), max(1, len(data) // 50)):
                path.write_bytes(data[:end])
                with pytest.raises(CorruptStoreError, match=path.name):
                    open_store(store, verify=verify)
            path.write_bytes(data)

    def test_missing_file_is_named(self, store):
        for path in sorted(store.iterdir()):
            if path.name != "manifest.json":
                moved = path.rename(store.parent / "moved")
                with pytest.raises(CorruptStoreError, match=f"{path.name}: missing"):
                    open_store(store)
                moved.rename(path)

    def test_newer_version_is_refused(self, store):
        change_manifest(store, version=2)
        with pytest.raises(CorruptStoreError, match="version 2, this program knows up to 1; update"):
            open_store(store)

    @pytest.mark.parametrize("content", ["{}", "[]", "3", '{"format": "other", "version": 1}'])
    def test_foreign_folder_is_refused(self, tmp_path, content):
        (tmp_path / "manifest.json").write_text(content)
        with pytest.raises(CorruptStoreError, match="no corpus store of TopicGrove"):
            open_store(tmp_path)

    @pytest.mark.parametrize(
        "changes",
        [
            {"n_docs": 4},
            {"n_tokens": 2**40},
            {"n_words": 2},
            {"n_words": 2**40},
            {"n_words": "3"},
            {"rules": {"stemmer": 1}},
            {"rules": 3},
            {"files": {}},
            {"files": 3},
            {"version": "1"},
            {"version": 0},
        ],
    )
    def test_manifest_that_contradicts_the_files_is_refused(self, store, changes):
        change_manifest(store, **changes)
        with pytest.raises(CorruptStoreError, match="manifest"):
            open_store(store)

    @pytest.mark.parametrize("changes", [{"n_unknown_words": -1}, {"n_unknown_words": "5"}, {"n_words": True}])
    @pytest.mark.parametrize("verify", [True, False])
    def test_numbers_that_are_none_are_refused(self, store, changes, verify):
        change_manifest(store, **changes)
        with pytest.raises(CorruptStoreError, match="must be a whole number"):
            open_store(store, verify=verify)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("ids.bin", b"\xff\xff\xff\xff\xff\xff\xff", "utf-8"),
            ("ids.offsets.bin", np.array([0, 2, 2, 7]).tobytes(), "inside of a character"),
            ("labels.bin", b'{"a":1,"b":22222}[]["garden"]', "labels must be a list"),
            ("vocabulary.json", b'{"tree": 1, "leaf": 2, "root": 3}', "must be a list of texts"),
            ("vocabulary.json", b'["tree", 2, "root"]', "must be a list of texts"),
        ],
    )
    def test_texts_that_are_none_are_refused(self, store, name, content, message):
        (store / name).write_bytes(content)
        files = json.loads((store / "manifest.json").read_text())["files"]
        entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        change_manifest(store, files=files | {name: entry})
        with pytest.raises(CorruptStoreError, match=message):
            open_store(store)

    @pytest.mark.posix
    def test_a_pipe_in_place_of_a_file_is_not_waited_for(self, store):
        files = json.loads((store / "manifest.json").read_text())["files"]
        (store / "words.bin").unlink()
        os.mkfifo(store / "words.bin")
        change_manifest(store, files=files | {"words.bin": {"bytes": 0, "sha256": hashlib.sha256().hexdigest()}})
        with pytest.raises(CorruptStoreError, match=r"words.bin: no ordinary file"):
            open_store(store)

    def test_names_in_a_manifest_lead_nowhere_else(self, store):
        files = json.loads((store / "manifest.json").read_text())["files"]
        change_manifest(store, files={**files, "../../secret": {"bytes": 0, "sha256": ""}})
        with pytest.raises(CorruptStoreError, match=r"store/secret: missing"):
            open_store(store)

    def test_missing_store_and_file_in_its_place_are_os_errors(self, tmp_path, store):
        with pytest.raises(FileNotFoundError):
            open_store(tmp_path / "absent")
        with pytest.raises(OSError, match="words"):
            open_store(store / "words.bin")

    def test_a_copy_of_a_store_is_a_store(self, corpus, store, tmp_path):
        shutil.copytree(store, tmp_path / "copy")
        assert_same(open_store(tmp_path / "copy"), corpus)


def json_or_none(data):
    try:
        return json.loads(bytes(data))
    except ValueError:
        return None
