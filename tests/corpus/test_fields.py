"""Names of fields: inside objects, several of them joined, and the titles of documents that have none."""

import json
from itertools import pairwise

import pytest

from topicgrove.corpus import Corpus, build_store, read_corpus

RULES = {"stop_words": None, "min_df": 1, "max_df": 1.0}


def texts_of(corpus):
    words = [corpus.vocabulary[w] for w in corpus.words]
    return [sorted(words[begin:end]) for begin, end in pairwise(corpus.offsets.tolist())]


@pytest.fixture
def records(write):
    def write_records(*rows):
        return write("".join(json.dumps(row) + "\n" for row in rows), "docs.jsonl")

    return write_records


class TestNested:
    def test_a_dot_leads_into_an_object(self, records):
        path = records({"body": {"text": "tree", "meta": {"key": "k", "class": "a/b"}}})
        corpus = read_corpus(path, text_field="body.text", id_field="body.meta.key", class_field="body.meta.class")
        assert (texts_of(corpus), corpus.ids, corpus.classes) == ([["tree"]], ("k",), (("a", "b"),))

    def test_a_field_of_just_that_name_wins(self, records):
        path = records({"body": {"text": "leaf"}, "body.text": "tree"})
        assert texts_of(read_corpus(path, text_field="body.text")) == [["tree"]]

    @pytest.mark.parametrize("body", ["text", None, 3, ["text"], {"other": "leaf"}])
    def test_what_is_not_inside_is_missing(self, records, body):
        path = records({"body": {"text": "tree"}}, {"body": body})
        with pytest.raises(ValueError, match=r"docs\.jsonl:2: no field 'body\.text'; the fields are 'body'"):
            read_corpus(path, text_field="body.text")

    def test_structs_of_parquet(self, tmp_path):
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        rows = [{"id": "a", "body": {"text": "old tree", "n": 1}}, {"id": "b", "body": {"text": "leaf", "n": 2}}]
        path = tmp_path / "docs.parquet"
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        corpus = read_corpus(path, text_field="body.text", **RULES)
        assert (texts_of(corpus), corpus.ids) == ([["old", "tree"], ["leaf"]], ("a", "b"))
        with pytest.raises(ValueError, match=r"docs\.parquet: row 0: no field 'body\.other'"):
            read_corpus(path, text_field="body.other")

    def test_data_frame_with_objects(self):
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"body": [{"text": "tree"}, {"text": "leaf"}]})
        assert texts_of(Corpus.from_texts(frame, text_field="body.text")) == [["tree"], ["leaf"]]


class TestJoined:
    @pytest.mark.parametrize("names", ["title,abstract", " title , abstract ", ["title", "abstract"]])
    def test_fields_are_joined_in_the_order_asked_for(self, records, names):
        path = records({"title": "tree", "abstract": "old"}, {"abstract": "leaf"}, {"title": "moon", "abstract": None})
        corpus = read_corpus(path, text_field=names, titles=True)
        assert texts_of(corpus) == [["old", "tree"], ["leaf"], ["moon"]]
        assert corpus.titles == ("tree", "leaf", "moon")

    def test_parts_do_not_run_into_each_other(self, records):
        corpus = read_corpus(records({"a": "old", "b": "tree"}), text_field="a,b", token_pattern=r"(?s).+", **RULES)
        assert corpus.vocabulary == ("old\n\ntree",)

    def test_a_field_whose_name_has_a_comma_wins(self, records):
        path = records({"a,b": "tree", "a": "leaf", "b": "leaf"})
        assert texts_of(read_corpus(path, text_field="a,b")) == [["tree"]]

    def test_nested_fields_are_joined_too(self, records):
        path = records({"title": "tree", "body": {"text": "old"}})
        assert texts_of(read_corpus(path, text_field="title,body.text")) == [["old", "tree"]]

    def test_a_record_without_any_of_them_is_refused(self, records):
        path = records({"a": "tree"}, {"c": "leaf"})
        with pytest.raises(ValueError, match=r"docs\.jsonl:2: no field 'a' or 'b'; the fields are 'c'"):
            read_corpus(path, text_field="a,b")

    @pytest.mark.parametrize(("row", "message"), [({"a": "x", "b": 3}, "b is 3"), ({"a": None}, "a is None")])
    def test_a_part_that_is_no_string_is_refused(self, records, row, message):
        with pytest.raises(ValueError, match=rf"docs\.jsonl:1: {message}; it must be a string"):
            read_corpus(records(row), text_field="a,b")

    def test_a_table_must_have_all_columns(self, write):
        path = write("id,title,abstract\n1,tree,old\n2,,leaf\n", "docs.csv")
        assert texts_of(read_corpus(path, text_field="title,abstract")) == [["old", "tree"], ["leaf"]]
        with pytest.raises(ValueError, match=r"docs\.csv:1: no field 'body'; the fields are 'id', 'title', 'abstract'"):
            read_corpus(path, text_field="title,body")

    def test_a_store_has_the_same_documents(self, records, tmp_path):
        path = records({"a": "tree", "b": "old"}, {"b": "leaf"})
        store = build_store(path, tmp_path / "store", text_field=("a", "b"))
        assert texts_of(store) == texts_of(read_corpus(path, text_field=("a", "b")))

    @pytest.mark.parametrize("names", [[], [1], 3, None])
    def test_other_values_are_refused(self, write, names):
        with pytest.raises(TypeError, match="text_field must be a string or a list of strings"):
            read_corpus(write("tree\n"), text_field=names)


class TestTitles:
    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("A title\nand a text", "A title"),
            ("\n \n  A   title \r\ntext", "A title"),
            ("", ""),
            (" \n", ""),
            ("tree " * 100, "tree " * 15 + "tree…"),
            ("trees " * 100, "trees " * 12 + "trees…"),
            ("x" * 300, "x" * 79 + "…"),
            ("x" * 80, "x" * 80),
        ],
    )
    def test_a_document_without_one_has_its_first_line(self, records, text, title):
        corpus = read_corpus(records({"text": text}, {"text": "tree"}), titles=True)
        assert corpus.titles == (title, "tree")

    def test_titles_are_never_long(self):
        text = "A story about trees, leaves and roots. " * 50
        title = Corpus.from_texts([text], titles=True).titles[0]
        assert len(title) <= 80
        assert title.endswith(("…",))
        assert text.startswith(title[:-1])

    def test_a_title_field_is_kept_as_it_is(self, records):
        title = "long " * 40
        assert read_corpus(records({"text": "tree", "title": title}), titles=True).titles == (title,)
