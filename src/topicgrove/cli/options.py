"""Options that several commands share, and their conversion for the library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from topicgrove.cli.config import read_config
from topicgrove.corpus.format_table import names_of_formats

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[names_of_formats("stream", "file")]

Input = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="Documents: JSON lines or array, CSV, TSV, a plain file with one a line (also as .gz or .zst), Parquet, "
        ".xlsx, a folder or .zip of .txt files, UCI, LDA-C or MatrixMarket counts, a corpus store, or - for standard "
        "input.",
    ),
]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="What fit wrote.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary: errors and warnings only.")]
Threads = Annotated[
    int | None, typer.Option(min=1, max=1024, show_default="all cores", help="Threads; with 1, seeds repeat a run.")
]
Watchdog = Annotated[
    float | None,
    typer.Option(
        min=1,
        metavar="SECONDS",
        show_default="120",
        help="Under mpiexec: a process that is silent for so long is lost, and the job ends with exit code 75.",
    ),
]
Watch = Annotated[
    bool, typer.Option("--watch", help="Serve a page that shows the tree while it grows, on this machine only.")
]
Port = Annotated[
    int | None, typer.Option(min=1, max=65535, show_default="a free one", help="Port of the page that --watch serves.")
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml",
        callback=read_config,
        is_eager=True,
        help="Options from a TOML file: names as here, with - or _. The command line wins.",
    ),
]

Format = Annotated[
    FormatName | None,
    typer.Option(show_default="told by name and content", help="The format of INPUT."),
]
TextField = Annotated[str, typer.Option(help="Field or column of the text: a.b is inside another, a,b are joined.")]
IdField = Annotated[str | None, typer.Option(show_default="id, if there", help="Field of the document's name.")]
TitleField = Annotated[str | None, typer.Option(show_default="title, if there", help="Field of the title.")]
ClassField = Annotated[
    str | None,
    typer.Option(help="Field of the document's class, or of classes from the top down: a list, or text such as a/b."),
]
LabelField = Annotated[str | None, typer.Option(hidden=True, help="The old name of --class-field.")]
Titles = Annotated[bool, typer.Option(help="Keep titles, or the first lines of texts without one.")]
EncodingErrors = Annotated[
    Literal["strict", "replace", "ignore"], typer.Option(help="What to do with bytes that are not UTF-8.")
]
MinDf = Annotated[
    str | None,
    typer.Option(
        show_default="auto: 1 below 100 documents, 2 below 1,000, else 5",
        help="Leave out words in fewer documents: a number, or a share such as 0.01.",
    ),
]
MaxDf = Annotated[
    str | None,
    typer.Option(
        show_default="auto: 1.0 below 100 documents, else 0.5",
        help="Leave out words in more documents: a number, or a share such as 0.5.",
    ),
]
MaxFeatures = Annotated[int | None, typer.Option(help="Keep only that many words.")]
StopWords = Annotated[
    str | None,
    typer.Option(
        show_default="those of the language",
        help="Words to leave out: english, none, a file with one a line, or words with commas between.",
    ),
]
Language = Annotated[
    str | None,
    typer.Option(
        metavar="CODE",
        show_default="auto, by the first texts",
        help="Language of the texts, such as de: stop words, case, and words in scripts without spaces; or none.",
    ),
]
TokenPattern = Annotated[str | None, typer.Option(help="Regular expression of a word.")]
TrustedPattern = Annotated[
    str | None,
    typer.Option(
        show_default="the model's",
        help="Regular expression of a word, for models whose own might take forever and is refused.",
    ),
]
NgramRange = Annotated[str | None, typer.Option(metavar="MIN,MAX", help="Runs of words taken for one, as in 1,2.")]
Lowercase = Annotated[bool | None, typer.Option(show_default="lowercase", help="Fold case.")]
Clean = Annotated[
    str | None,
    typer.Option(
        show_default="all, with the usual token pattern",
        help="Junk to leave out, with commas: urls,emails,html,latex,contractions,numbers; or none.",
    ),
]
StripAccents = Annotated[Literal["ascii", "unicode"] | None, typer.Option(help="Take accents off letters.")]

Phrases = Annotated[
    bool | None, typer.Option(show_default="no-phrases", help="Make one word of collocations such as neural network.")
]


def given(context: typer.Context) -> set[str]:
    """Return the names of the parameters that the user gave, on the command line or in a file."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name != "DEFAULT"}


def reading_options(params: dict[str, Any]) -> dict[str, Any]:
    """Return keyword arguments of `read_corpus` and `build_store`, from the parameters of a command."""
    names = ("format", "text_field", "id_field", "title_field", "titles", "encoding_errors")
    given = {name: params[name] for name in names if name in params} | {"n_jobs": n_jobs(params["threads"])}
    return given | ({"class_field": class_field(params)} if "class_field" in params else {})


def class_field(params: dict[str, Any]) -> str | None:
    """Return the field of classes, given by either of its two options."""
    new: str | None = params["class_field"]
    old: str | None = params.get("label_field")
    if new is not None and old is not None:
        raise ValueError("--label-field is the old name of --class-field: give one of them")
    return new if old is None else old


def rule_options(params: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of TextRules that the user gave.

    >>> rule_options({"min_df": "3", "max_df": ".5", "ngram_range": "1,2", "stop_words": "none", "lowercase": None})
    {'stop_words': None, 'ngram_range': (1, 2), 'min_df': 3, 'max_df': 0.5}
    """
    read: dict[str, Callable[[Any], Any]] = {
        "lowercase": bool,
        "token_pattern": str,
        "stop_words": _stop_words,
        "ngram_range": lambda text: tuple(numbers("ngram_range", text, whole=True)),
        "min_df": lambda text: _frequency("min_df", text),
        "max_df": lambda text: _frequency("max_df", text),
        "max_features": int,
        "strip_accents": str,
        "phrases": bool,
        "clean": _kinds,
        "language": lambda text: None if text == "none" else text,
    }
    return {name: convert(params[name]) for name, convert in read.items() if params.get(name) is not None}


def part(name: str, text: str) -> float:
    """Parse a share of the documents, or a number of them.

    >>> part("--hold-out", "10%"), part("--hold-out", "0.1"), part("--hold-out", "300")
    (0.1, 0.1, 300)
    """
    try:
        if text.strip().isdecimal():
            size: float = int(text)
        else:
            size = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        size = 0
    if (isinstance(size, int) and size > 0) or 0 < size < 1:
        return size
    raise ValueError(f"{name} must be a share such as 10% or 0.1, or a number of documents; got {text!r}")


def n_jobs(threads: int | None) -> int:
    """Return n_jobs for a number of threads; None means all cores."""
    return -1 if threads is None else threads


def numbers(name: str, text: str, *, whole: bool = False) -> list[Any]:
    """Parse numbers separated by commas.

    >>> numbers("beta", "1, .5")
    [1.0, 0.5]
    """
    try:
        return [int(part) if whole else float(part) for part in text.split(",")]
    except ValueError:
        kind = "whole numbers" if whole else "a number, or numbers"
        raise ValueError(f"{name} must be {kind} with commas between; got {text!r}") from None


def _frequency(name: str, text: str) -> Any:
    if text == "auto":
        return text
    return numbers(name, text, whole=text.lstrip("-").isdecimal())[0]


def _kinds(text: str) -> Any:
    if text in ("auto", "none"):
        return None if text == "none" else text
    return [kind.strip() for kind in text.split(",")]


def _stop_words(text: str) -> Any:
    if text in ("auto", "english", "none"):
        return None if text == "none" else text
    if "," in text:
        return [word.strip() for word in text.split(",") if word.strip()]
    from topicgrove.corpus.textfiles import read_vocabulary

    return read_vocabulary(text)
