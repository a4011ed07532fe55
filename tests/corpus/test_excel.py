"""Excel workbooks: the first sheet is a table like any other; whatever is wrong is named by sheet and row."""

import datetime
import re
import zipfile
from xml.sax.saxutils import escape

import pytest

from topicgrove.corpus import build_store, detect_format, excel, open_store, read_corpus, workbooks
from topicgrove.corpus.documents import Fields
from topicgrove.corpus.sources import file_blocks

openpyxl = pytest.importorskip("openpyxl")

OFFICE = "http://schemas.openxmlformats.org"
RELATIONS = f"""<Relationships xmlns="{OFFICE}/package/2006/relationships">
<Relationship Id="r1" Type="{OFFICE}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="r2" Type="{OFFICE}/officeDocument/2006/relationships/sharedStrings" Target="/xl/strings.xml"/>
</Relationships>"""
BOOK = f"""<workbook xmlns="{OFFICE}/spreadsheetml/2006/main"
 xmlns:r="{OFFICE}/officeDocument/2006/relationships">
<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"""
ROWS = [["id", "title", "text", "year"], ["a", "Oak", "old tree", 1984], ["b", None, "leaf", None]]


@pytest.fixture
def save(tmp_path):
    """Write rows with openpyxl, as a spreadsheet program would."""

    def write_rows(rows, name="book.xlsx", sheet="Reviews"):
        book = openpyxl.Workbook()
        book.active.title = sheet
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / name)
        return tmp_path / name

    return write_rows


@pytest.fixture
def book(tmp_path):
    """Write the XML of a sheet by hand, and of the texts that its cells share."""

    def write_xml(rows, texts="<sst/>", **members):
        path = tmp_path / "book.xlsx"
        sheet = f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
        parts = {"xl/workbook.xml": BOOK, "xl/_rels/workbook.xml.rels": RELATIONS, "xl/strings.xml": texts}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (parts | {"xl/worksheets/sheet1.xml": sheet} | members).items():
                archive.writestr(name, content)
        return path

    return write_xml


def shared(*texts):
    return "<sst>" + "".join(f"<si><t>{escape(text)}</t></si>" for text in texts) + "</sst>"


def row(*cells, number=None):
    place = "" if number is None else f' r="{number}"'
    return f"<row{place}>{''.join(cells)}</row>"


def inline(text, place=None):
    at = "" if place is None else f' r="{place}"'
    return f'<c t="inlineStr"{at}><is><t>{escape(text)}</t></is></c>'


HEADER = row(inline("text"))


class TestTables:
    def test_the_first_sheet_is_read_by_its_header(self, save, tmp_path):
        path = save(ROWS)
        corpus = read_corpus(path, titles=True, class_field="year")
        assert detect_format(path) == "xlsx"
        assert (corpus.ids, corpus.titles, corpus.classes) == (("a", "b"), ("Oak", "leaf"), (("1984",), ()))
        assert corpus.vocabulary == ("leaf", "old", "tree")
        build_store(path, tmp_path / "store", titles=True, class_field="year")
        assert open_store(tmp_path / "store").titles == corpus.titles

    def test_it_is_known_by_its_content(self, save):
        path = save(ROWS)
        assert detect_format(path.rename(path.with_name("book"))) == "xlsx"

    def test_empty_rows_are_skipped_and_empty_texts_are_empty_documents(self, save):
        corpus = read_corpus(save([[], *ROWS[:2], [], [None, None, None], ["c", "Three", None, 3], []]))
        assert corpus.ids == ("a", "c")
        assert corpus.document_lengths.tolist() == [2, 0]

    def test_other_sheets_and_hidden_ones_are_left_alone(self, save):
        path = save(ROWS)
        book = openpyxl.load_workbook(path)
        book.create_sheet("Hidden", 0).append(["no"])
        book["Hidden"].sheet_state = "hidden"
        book.create_sheet("Last").append(["no"])
        book.save(path)
        assert read_corpus(path).ids == ("a", "b")

    def test_numbers_and_dates_may_stand_in_columns_that_are_not_text(self, save):
        day = datetime.date(2026, 11, 18)
        corpus = read_corpus(save([["id", "text", "day", "ok"], [7, "tree", day, True], [7.5, "leaf", day, False]]))
        assert corpus.ids == ("7", "7.5")
        assert read_corpus(save([["text", "ok"], ["tree", True]]), class_field="ok").classes == (("TRUE",),)

    def test_texts_of_all_characters_come_back(self, save):
        texts = ["a & b <c>", "  two\nlines\t ", "木 été 🌲", "=no formula", "x" * 30_000]
        path = save([["text"], *([text] for text in texts)])
        book = openpyxl.load_workbook(path)
        book.active["A5"].data_type = "s"
        book.save(path)
        blocks = [block() for block in file_blocks(path, "xlsx", Fields(), 2**30)]
        assert [text for block in blocks for text in block.texts] == texts

    def test_characters_that_xml_has_none_for_are_escaped_in_workbooks(self, book):
        path = book(HEADER + row(inline("a_x000D_b _x005F_x0041_ _x41_")))
        (block,) = file_blocks(path, "xlsx", Fields(), 2**30)
        assert block().texts == ["a\rb _x0041_ _x41_"]

    def test_fields_are_joined_and_missing_ones_named(self, save):
        assert read_corpus(save(ROWS), text_field="title,text").n_tokens == 4
        with pytest.raises(ValueError, match=r"book\.xlsx:Reviews:1: no field 'body'; the fields are 'id', 'title'"):
            read_corpus(save(ROWS), text_field="body")
        with pytest.raises(ValueError, match=r"Reviews:1: the header has 'a' more than once"):
            read_corpus(save([["a", "a", "text"]]))

    def test_blocks_have_a_bounded_size(self, save, monkeypatch):
        monkeypatch.setattr(excel, "_BLOCK_CHARACTERS", 1000)
        path = save([["text"]] + [["tree " * 20]] * 100)
        assert [len(block().texts) for block in file_blocks(path, "xlsx", Fields(), 2**30)] == [10] * 10


class TestCells:
    def test_formulas_are_the_values_that_were_saved(self, book):
        cells = [
            '<c t="str"><f>A1</f><v>old tree</v></c>',
            '<c t="str"><f>A1</f></c>',
            '<c t="s"><f>A1</f><v>0</v></c>',
        ]
        path = book(HEADER + "".join(row(cell, inline("x")) for cell in cells), shared("leaf"))
        assert read_corpus(path).document_lengths.tolist() == [2, 0, 1]

    def test_runs_are_joined_and_readings_left_out(self, book):
        texts = "<sst><si><r><t>old </t></r><r><t>tree</t></r><rPh><t>reading</t></rPh><phoneticPr/></si></sst>"
        path = book(HEADER + row('<c t="s"><v>0</v></c>'), texts)
        assert read_corpus(path).vocabulary == ("old", "tree")

    def test_cells_without_places_follow_each_other(self, book):
        path = book(row(inline("id"), inline("text")) + row(inline("a"), inline("tree")) + row(inline("leaf", "B9")))
        assert read_corpus(path).ids == ("a", "1")

    @pytest.mark.parametrize(
        ("cell", "message"),
        [
            ("<c><v>1984</v></c>", "text is 1984, a number; it must be text"),
            ('<c t="e"><v>#N/A</v></c>', "text is #N/A, an error"),
            ('<c t="b"><v>1</v></c>', "text is TRUE, a truth value"),
            ('<c t="d"><v>2026-11-18</v></c>', "text is 2026-11-18, a date"),
            ('<c t="s"><v>1</v></c>', "there is no shared text '1'"),
            ('<c t="s"><v>x</v></c>', "there is no shared text 'x'"),
            ("<c><v>x</v></c>", "'x' is not a number"),
            ('<c r="XFE5"><v>1</v></c>', "there is no cell 'XFE5'"),
            ('<c r="7"><v>1</v></c>', "there is no cell '7'"),
            (inline("tree\x01").replace("\x01", "_x0000_"), "text has a NUL"),
        ],
    )
    def test_wrong_ones_are_named_by_sheet_and_row(self, book, cell, message):
        path = book(HEADER + row(inline("tree")) + row(cell, number=5), shared("leaf"))
        with pytest.raises(ValueError, match=rf"book\.xlsx:S:5: {re.escape(message)}"):
            read_corpus(path)

    @pytest.mark.parametrize("number", ["x", "0", "1", "99999999999999999999", "1048577"])
    def test_rows_that_cannot_be_are_refused(self, book, number):
        with pytest.raises(ValueError, match=r"book\.xlsx:S:2: there is no row"):
            read_corpus(book(HEADER + row(inline("tree"), number=number)))

    def test_a_cell_far_out_takes_no_more_than_its_own_memory(self, book):
        path = book(HEADER + row(inline("tree", "A1048576"), inline("far", "XFD1048576"), number=1048576))
        assert read_corpus(path).n_docs == 1


class TestHostile:
    def test_unpacked_bytes_are_bounded(self, book):
        path = book(HEADER + row(inline("tree " * 10**6)))
        assert path.stat().st_size < 10**5
        with pytest.raises(ValueError, match=r"book\.xlsx: more than max_bytes=2000000 bytes of text"):
            read_corpus(path, max_bytes=2_000_000)

    def test_texts_that_cells_share_count_each_time(self, book):
        path = book(HEADER + row('<c t="s"><v>0</v></c>') * 1000, shared("tree " * 1000))
        assert read_corpus(path, max_df=1.0).n_tokens == 10**6
        with pytest.raises(ValueError, match=r"book\.xlsx: more than max_bytes=1000000 bytes of text"):
            read_corpus(path, max_bytes=1_000_000)

    def test_a_text_longer_than_a_document_is_refused(self, book, monkeypatch):
        monkeypatch.setattr(workbooks, "DOCUMENT_MAX_BYTES", 1000)
        for path in (book(HEADER + row(inline("x" * 2000))), book(HEADER, shared("x" * 2000))):
            with pytest.raises(ValueError, match=r"book\.xlsx:S:.* more than 1000 characters"):
                read_corpus(path)

    def test_entities_are_refused(self, book):
        bomb = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        with pytest.raises(ValueError, match=r"book\.xlsx:xl/strings\.xml: .*declares a document type"):
            read_corpus(book(HEADER, bomb + "<sst><si><t>&b;</t></si></sst>"))

    @pytest.mark.parametrize(
        "xml", ["<sst>", "<sst><si></sst>", "no xml", "", '<?xml version="1.0" encoding="x-y"?><sst/>', "<sst>\0</sst>"]
    )
    def test_damaged_xml_is_refused_by_its_member(self, book, xml):
        with pytest.raises(ValueError, match=r"book\.xlsx:xl/strings\.xml: damaged XML: "):
            read_corpus(book(HEADER + row(inline("tree")), xml))

    def test_what_is_no_workbook_is_refused(self, book, write, tmp_path):
        with pytest.raises(ValueError, match=r"a\.xlsx: truncated or damaged zip file, or none at all"):
            read_corpus(write("text\ntree\n", "a.xlsx"))
        with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as archive:
            archive.writestr("a.txt", "tree")
        with pytest.raises(ValueError, match=r"b\.xlsx: not an Excel workbook: there is no 'xl/_rels/workbook"):
            read_corpus(tmp_path / "b.xlsx")
        with pytest.raises(ValueError, match=r"book\.xlsx: the workbook has no sheet with cells"):
            read_corpus(book(HEADER, **{"xl/workbook.xml": "<workbook/>"}))
        with pytest.raises(ValueError, match=r"book\.xlsx:S:1: no field 'text'; the fields are none"):
            read_corpus(book(""))

    def test_every_truncation_is_refused(self, save):
        path = save(ROWS)
        data = path.read_bytes()
        for length in range(0, len(data), 7):
            path.write_bytes(data[:length])
            with pytest.raises(ValueError, match=r"book\.xlsx"):
                read_corpus(path)
