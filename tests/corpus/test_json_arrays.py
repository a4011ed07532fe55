"""JSON arrays of objects or strings, in bounded memory."""

import json
import re
import tracemalloc

import pytest

from topicgrove.corpus import build_store, detect_format, json_arrays, read_corpus, textfiles

RECORDS = [
    {"id": "a", "text": "An old tree", "title": "Trees", "path": ["garden", "wood"]},
    {"id": "b", "text": 'Leaves, "green" \\ [{}],\nand Bäume', "title": "Leaves", "path": ["garden", "leaf"]},
    {"id": "c", "text": "", "title": "Nothing", "path": []},
]


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("name", ["docs.json", "docs"])
def test_objects_are_documents(write_packed, indent, name):
    path = write_packed(json.dumps(RECORDS, indent=indent, ensure_ascii=False), name)
    assert detect_format(path) == "json"
    corpus = read_corpus(path, titles=True, class_field="path")
    assert corpus.vocabulary == ("bäume", "green", "leaves", "old", "tree")
    assert corpus.ids == ("a", "b", "c")
    assert corpus.titles == ("Trees", "Leaves", "Nothing")
    assert corpus.labels == (("garden", "wood"), ("garden", "leaf"), ())
    assert corpus.document_lengths.tolist() == [2, 3, 0]


def test_strings_are_texts(write):
    corpus = read_corpus(write('\ufeff ["old tree", "leaf"]\n', "docs.json"))
    assert (corpus.vocabulary, corpus.ids) == (("leaf", "old", "tree"), ("0", "1"))


def test_a_json_file_may_have_an_object_a_line(write):
    assert detect_format(write('{"text": "tree"}\n', "docs.json")) == "jsonl"


def test_text_in_brackets_is_no_array(write):
    assert detect_format(write("[1] A note\n", "notes")) == "text"


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64])
def test_any_pieces_give_the_same_documents(write, tmp_path, monkeypatch, piece):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", piece)
    monkeypatch.setattr(json_arrays, "_BLOCK_BYTES", 40)
    path = write(json.dumps(RECORDS, indent=1, ensure_ascii=False), "docs.json")
    store = build_store(path, tmp_path / "store")
    assert store.vocabulary == ("bäume", "green", "leaves", "old", "tree")
    assert list(store.ids) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "no documents"),
        ('[{"text": "tree"}, {"x": 1}]', "element 1: no field 'text'; the fields are 'x'"),
        ('[{"text": "tree"}, 3]', "element 1: expected a JSON object or a string, found '3'"),
        ('[["tree"]]', "element 0: expected a JSON object or a string"),
        ('["tree", null]', "element 1: expected a JSON object or a string"),
        ('["tree",]', "element 1: not JSON"),
        ('["tree" "leaf"]', "element 0: not JSON"),
        ('["tree", "leaf"}', "element 1 is followed by }"),
        ('["tree"] ["leaf"]', "the array is followed by '"),
        ('["tree", {"text": "le\\u0000af"}]', "element 1: text has a NUL at character 2"),
        ('["tree", "\\ud800"]', "element 1: not JSON"),
        ("[" * 5000 + "]" * 5000, "element 0: not JSON"),
    ],
)
def test_wrong_arrays_are_refused_naming_the_element(write, content, message):
    path = write(content, "docs.json")
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_corpus(path)
    assert str(path) in str(error.value)


def test_every_truncation_is_refused(write):
    content = json.dumps(RECORDS)
    for end in range(1, len(content)):
        with pytest.raises(ValueError, match=r"docs\.json: element [0-3] is not complete: the file ends"):
            read_corpus(write(content[:end], "docs.json"))


def test_invalid_utf8_is_refused_naming_element_and_byte(write):
    path = write(b'["tree","le\xe4f"]', "docs.json")
    with pytest.raises(ValueError, match=r"element 1: invalid UTF-8 at byte 3 of the element"):
        read_corpus(path)
    assert read_corpus(path, encoding_errors="ignore").vocabulary == ("lef", "tree")


def test_an_endless_element_is_refused(write, monkeypatch):
    monkeypatch.setattr(json_arrays, "DOCUMENT_MAX_BYTES", 1000)
    path = write('["tree", "' + "leaf " * 1000, "docs.json")
    with pytest.raises(ValueError, match="element 1 has more than 1000 bytes, the most that a document may have"):
        read_corpus(path)


def test_more_than_max_bytes_is_refused(write_packed):
    path = write_packed(json.dumps(["tree " * 100] * 100), "docs.json")
    with pytest.raises(ValueError, match="more than max_bytes=2000 bytes of text"):
        read_corpus(path, max_bytes=2000)


def test_memory_does_not_grow_with_the_array(write, monkeypatch):
    monkeypatch.setattr(textfiles, "_CHUNK_BYTES", 2**14)
    monkeypatch.setattr(json_arrays, "_BLOCK_BYTES", 2**14)

    def peak(n_docs):
        path = write("[" + ",".join([json.dumps({"text": "tree " * 20})] * n_docs) + "]", "docs.json")
        fields = json_arrays.Fields()
        tracemalloc.start()
        n_read = sum(len(block().texts) for block in json_arrays.json_array(path, fields, 2**30))
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert n_read == n_docs
        return used

    assert peak(20_000) < 1.5 * peak(2_000)
