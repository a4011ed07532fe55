"""Write docs/api.md, the API reference, from the docstrings of the public names.

``python scripts/make_api_docs.py`` writes the file; ``make docs`` does so before it builds the site.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "docs" / "api.md"

INTRODUCTION = """\
# API reference

Made from the docstrings by `scripts/make_api_docs.py` (`make docs`); edit those, not this file. The
[tutorial](tutorial.md) puts it all together.
"""

SECTIONS: dict[str, list[tuple[str, str]]] = {
    "The model": [
        ("topicgrove", "HierarchicalLDA NestedHDP CorruptModelError SweepEvent ProgressEvent load"),
        ("topicgrove.inference", "Inferred"),
        ("topicgrove.several_paths.placing", "InferredWalks"),
        ("topicgrove.prior", "HyperParameters"),
        ("topicgrove.interrupts", "Terminated"),
    ],
    "The corpus": [
        ("topicgrove", "Corpus TextRules load_example read_corpus build_store open_store CorruptStoreError"),
        ("topicgrove", "read_uci read_ldac read_matrix_market"),
        ("topicgrove.corpus", "detect_format shard_bounds with_vocabulary StageEvent"),
        ("topicgrove.synthetic", "generate SyntheticCorpus"),
    ],
    "Several processes": [
        ("topicgrove.communication", "Communicator PeerLostError"),
        ("topicgrove.communication.launch", "communicator"),
    ],
    "The tree": [
        ("topicgrove", "TopicTree"),
        ("topicgrove.tree", "Documents Representative TopicDocument FoundTopic SharesOver"),
        ("topicgrove.tree.naming.namers", "CommandNamer EndpointNamer NamerError"),
        ("topicgrove.tree.naming.questions", "TopicQuestion"),
        ("topicgrove.tree.naming.run", "Naming"),
    ],
    "The explorer": [("topicgrove.explore", "write_page explorer_data render_page typical_documents read_texts")],
    "Pictures, notebooks and the live page": [
        ("topicgrove.plotting", "plot_tree plot_training plot_over"),
        ("topicgrove.widget", "Explorer"),
        ("topicgrove.watch", "LivePage serve"),
    ],
    "Evaluation": [
        ("topicgrove", "compare suggest_topics"),
        ("topicgrove.comparing", "Comparison Match"),
        ("topicgrove.suggesting", "Suggestion SizeTried"),
        ("topicgrove.evaluation.report", "evaluate_tree top_word_ids"),
        ("topicgrove.evaluation.coherence", "topic_coherence npmi_coherence cv_coherence Coherence"),
        (
            "topicgrove.evaluation.tree_quality",
            "tree_quality topic_diversity specialisation hierarchical_affinity TreeQuality HierarchicalAffinity",
        ),
        ("topicgrove.evaluation.agreement", "class_agreement class_paths ClassAgreement"),
    ],
}

SHARED = ("Resumable", "FittedModel", "TreeModel")
"""Classes whose methods are listed with those of the classes that inherit them."""

INTERNAL = ("for_kernels", "with_tables", "log_ncrp")
"""Methods that only TopicGrove itself calls."""

_UNDERLINE = re.compile(r"-{3,}")
_LISTS = ("Parameters", "Attributes", "Returns", "Raises")


def main() -> None:
    """Write the reference."""
    TARGET.write_text(reference(), encoding="utf-8")


def reference() -> str:
    """Make the whole file."""
    lines = [INTRODUCTION]
    for title, groups in SECTIONS.items():
        lines += [f"## {title}", ""]
        for module, names in groups:
            for name in names.split():
                lines += _entry(f"{module}.{name}", getattr(importlib.import_module(module), name))
    return "\n".join(lines).rstrip() + "\n"


def _entry(title: str, item: Any) -> Iterator[str]:
    """Format a class with its own public methods and properties, or a function."""
    yield from [f"### {title}", ""]
    if not (inspect.isclass(item) and issubclass(item, Exception | KeyboardInterrupt)):
        yield from _signature(title.rpartition(".")[2], item)
    yield from _docstring(item)
    if not inspect.isclass(item):
        return
    shared = [base for base in item.__mro__[1:] if base.__name__ in SHARED]
    for name, member in chain(vars(item).items(), *(_methods(base) for base in shared)):
        if not name.startswith("_") and name not in INTERNAL and _is_documented(member):
            yield from [f"#### {item.__name__}.{name}", ""]
            if callable(getattr(item, name)):
                # The first parameter of a method is the object itself, whatever its name.
                yield from _signature(name, getattr(item, name), bound=inspect.isfunction(member))
            yield from _docstring(member)


def _methods(base: type) -> list[tuple[str, Any]]:
    members = vars(base).items()
    return [(name, member) for name, member in members if inspect.isfunction(member) or isinstance(member, classmethod)]


def _is_documented(member: Any) -> bool:
    ours = callable(member) or isinstance(member, property | classmethod | staticmethod) or hasattr(member, "func")
    return ours and bool(inspect.getdoc(member))


def _signature(name: str, item: Callable[..., Any], bound: bool = False) -> Iterator[str]:
    """Format names and defaults; the docstring gives the types."""
    plain = inspect.Parameter.empty
    signature = inspect.signature(item)
    parameters = [p.replace(annotation=plain) for p in signature.parameters.values()][bound:]
    text = f"{name}{signature.replace(parameters=parameters, return_annotation=plain)}"
    yield from ["```python", *textwrap.wrap(text, 110, subsequent_indent="    "), "```", ""]


def _docstring(item: Any) -> Iterator[str]:
    """Convert a numpydoc docstring to Markdown."""
    lines = (inspect.getdoc(item) or "").splitlines()
    section, body = "", list[str]()
    for number, line in enumerate([*lines, "", "----"]):
        if _UNDERLINE.fullmatch(line):
            title = body.pop() if body else ""
            yield from _section(section, body)
            section, body = title, []
        elif number <= len(lines):
            body.append(line)


def _section(title: str, body: list[str]) -> Iterator[str]:
    if title:
        yield from [f"**{title}**", ""]
    text = "\n".join(body).strip("\n")
    if title in _LISTS:
        yield from _items(title, text)
    else:
        yield from _with_examples(text)


def _items(title: str, text: str) -> Iterator[str]:
    """Turn ``name : type`` with an indented description into a list item."""
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith(" ") and line:
            name, _, kind = line.partition(" : ")
            shown = f"`{name}`" if kind or title == "Parameters" else name
            end = ":" if following.startswith(" ") else ""
            yield f"- {shown} ({kind}){end}" if kind else f"- {shown}{end}"
        else:
            yield line[2:]
    yield ""


def _with_examples(text: str) -> Iterator[str]:
    """Keep paragraphs, and format those that begin with a prompt as code."""
    paragraphs = [paragraph for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]
    for paragraph in paragraphs:
        before, prompt, example = paragraph.partition(">>> ")
        if before.strip():
            yield from [before.rstrip(), ""]
        if prompt:
            yield from ["```pycon", prompt + example, "```", ""]


if __name__ == "__main__":
    main()
