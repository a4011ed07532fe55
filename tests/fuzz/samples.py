"""Small valid inputs, made once a process by the project's own writers: what cases damage."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from topicgrove import Corpus, HierarchicalLDA

SUBJECTS = ("moon orbit rocket crater lander", "hockey puck skate goalie rink", "Baum Wälder été naïve 木")
N_ITER = 8


@cache
def records() -> list[dict[str, Any]]:
    """Documents with all that a document can have; one is empty."""
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice([*SUBJECTS[d % 3].split(), "news"], size=8)) for d in range(9)]
    texts[4] = ""
    return [
        {"id": f"doc-{d}", "title": f"Title, {d}", "text": text, "label": f"top/{d % 3}", "n": d}
        for d, text in enumerate(texts)
    ]


@cache
def corpus() -> Corpus:
    """The documents as a corpus, with ids, titles and labels."""
    rows = records()
    made = Corpus.from_texts([row["text"] for row in rows], ids=[row["id"] for row in rows], titles=True, n_jobs=1)
    return made._with(classes=tuple(tuple(row["label"].split("/")) for row in rows))


@cache
def text_files() -> dict[str, bytes]:
    """A file in each of the formats that are lines of text, by the end of its name."""
    counts = corpus().to_csr().tocoo()
    triples = list(zip((counts.row + 1).tolist(), (counts.col + 1).tolist(), counts.data.tolist(), strict=True))
    entries = "".join(f"{d} {w} {n}\n" for d, w, n in triples)
    (n_docs, n_words), n = counts.shape, len(triples)
    bags = [[f"{w - 1}:{n}" for e, w, n in triples if e == d + 1] for d in range(n_docs)]
    banner = "%%MatrixMarket matrix coordinate integer general\n% a comment\n"
    files = {
        "uci": f"{n_docs}\n{n_words}\n{n}\n{entries}",
        "ldac": "".join(" ".join([str(len(bag)), *bag]) + "\n" for bag in bags),
        "mtx": f"{banner}{n_docs} {n_words} {n}\n{entries}",
        "jsonl": "".join(json.dumps(row, ensure_ascii=row["n"] % 2 == 0) + "\n" for row in records()),
        "json": json.dumps(records(), indent=1, ensure_ascii=False),
        "strings": json.dumps([row["text"] for row in records()]),
        "csv": _table(","),
        "semicolons": _table(";"),
        "tsv": _table("\t"),
        "txt": "".join(row["text"] + "\n" for row in records()),
        "vocab": "".join(word + "\n" for word in corpus().vocabulary or ()),
    }
    return {name: text.encode() for name, text in files.items()}


def _table(delimiter: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(records()[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records())
    return text.getvalue()


@cache
def parquet_file() -> bytes:
    """The documents as a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(records()), sink)
    return sink.getvalue()


@cache
def workbook_parts() -> dict[str, bytes]:
    """The documents as an Excel workbook: its parts by their names, with shared and other texts, and numbers."""
    office = "http://schemas.openxmlformats.org"
    kind, main = f"{office}/officeDocument/2006/relationships", f'xmlns="{office}/spreadsheetml/2006/main"'
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    rows = [list(records()[0]), *(list(row.values()) for row in records())]
    texts = sorted({cell for row in rows for cell in row if isinstance(cell, str)})
    cells = [[_cell(cell, texts, d, place) for place, cell in enumerate(row)] for d, row in enumerate(rows, start=1)]
    sheet = "\n".join(f'<row r="{d}">{"".join(row)}</row>' for d, row in enumerate(cells, start=1))
    links = f"""<Relationship Id="r1" Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="r2" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/>"""
    parts = {
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{sheet}</sheetData></worksheet>",
        "xl/sharedStrings.xml": f"<sst {main}>" + "\n".join(f"<si><t>{text}</t></si>" for text in texts) + "</sst>",
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{kind}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{office}/package/2006/relationships">{links}'
        "</Relationships>",
        "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{types}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{types}.sharedStrings+xml"/></Types>',
    }
    return {name: text.encode() for name, text in parts.items()}


def _cell(value: Any, texts: list[str], row: int, column: int) -> str:
    place = f'r="{"ABCDE"[column]}{row}"'
    if not isinstance(value, str):
        return f"<c {place}><v>{value}</v></c>"
    if row % 3 == 0:
        return f'<c {place} t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c {place} t="s"><v>{texts.index(value)}</v></c>'


def estimator(**changes: Any) -> HierarchicalLDA:
    """A short run with topics of both kinds, slow and rapid."""
    parameters = {"beta": [0.5, 0.3, 0.2], "gamma": 0.5, "n_iter": N_ITER, "collapse_below": 4, "random_state": 5}
    return HierarchicalLDA(3, **parameters | changes)


@cache
def model() -> HierarchicalLDA:
    """A fitted model with everything that a model can have."""
    fitted = estimator(learn="beta").fit(corpus())
    fitted.tree_.set_names({0: "alles", 1: "первый"})
    return fitted


@cache
def model_file() -> bytes:
    """The model as it is saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.grove")
        model().save(path)
        return path.read_bytes()


@cache
def folder_of(kind: str) -> dict[str, bytes]:
    """The files of a "store", or of the "checkpoints" of a run, by their names inside it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, kind)
        if kind == "store":
            corpus().save(root)
        else:
            estimator(checkpoint=root, checkpoint_every=3, learn="beta", early_stopping=5).fit(corpus())
        return {
            file.relative_to(root).as_posix(): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()
        }


def write_folder(root: Path, files: dict[str, bytes]) -> Path:
    """Make a folder of files."""
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root
