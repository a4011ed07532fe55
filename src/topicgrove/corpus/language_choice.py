"""Choose the language of a corpus before counting its words: as given, or detected from the first texts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from topicgrove.communication.communicator import Communicator
from topicgrove.communication.together import together
from topicgrove.corpus.detection import DOCUMENT_CHARACTERS, Detected, detect_language, is_enough
from topicgrove.corpus.documents import Block, Blocks, Documents
from topicgrove.corpus.languages import BIGRAMS, LANGUAGES, base_of
from topicgrove.corpus.rules import TextRules
from topicgrove.corpus.segmenting import LIBRARIES, has_segmenter
from topicgrove.extras import EXTRAS

_MAIN_SHARE = 0.75
"""Least share of the main language, among documents whose language is sure, for a corpus not to be mixed."""


def settle_language(
    rules: TextRules, blocks: Blocks, *, placing: bool = False, comm: Communicator | None = None, stacklevel: int = 1
) -> tuple[TextRules, Blocks]:
    """Return the rules with their language chosen, and all blocks, including those read to detect it.

    Rank 0 decides for all. ``placing`` says that the vocabulary is given, which limits the warnings.
    """
    comm = comm or Communicator()
    decide = partial(_settle, rules, blocks, placing, stacklevel + 4)
    settled, blocks = together(comm, lambda: decide() if comm.rank == 0 else (rules, blocks))
    code = comm.broadcast((settled.language or "").encode()).decode()
    return replace(rules, language=code or None), blocks


def _settle(rules: TextRules, blocks: Blocks, placing: bool, stacklevel: int) -> tuple[TextRules, Blocks]:
    code = rules.language
    if code == "auto" and not rules.tells_language():
        code = None
    elif code == "auto":
        texts, blocks = first_texts(blocks)
        detected = detect_language(texts)
        code = detected.code or "en"
        if not placing:
            _report(detected, stacklevel + 1)
    if code is None or callable(rules.analyzer):
        return replace(rules, language=code), blocks
    language = base_of(code)
    name = LANGUAGES[language].name
    if language in LIBRARIES and not code.endswith(BIGRAMS) and not has_segmenter(language):
        library = LIBRARIES[language]
        warnings.warn(
            f"{name} has no spaces between words, and {library}, which finds them, cannot be imported: pairs of "
            f"characters are taken for words. For real words: pip install 'topicgrove[{EXTRAS[library]}]'",
            stacklevel=stacklevel,
        )
        code += BIGRAMS
    if not placing and rules.stop_words == "auto" and not LANGUAGES[language].has_stop_words:
        warnings.warn(
            f"there is no list of stop words for {name}; give one, stop_words=[...], or none, stop_words=None",
            stacklevel=stacklevel,
        )
    return replace(rules, language=code), blocks


def first_texts(blocks: Blocks) -> tuple[list[str], Blocks]:
    """Return the texts of the first blocks, enough to detect their language, and all blocks."""
    texts: list[str] = []
    seen: list[Block] = []
    n_characters = 0
    for block in blocks:
        documents = block()
        seen.append(partial(_as_it_is, documents))
        texts += documents.texts
        n_characters += sum(min(len(text), DOCUMENT_CHARACTERS) for text in documents.texts)
        if is_enough(len(texts), n_characters):
            break
    return texts, _put_back(seen, blocks)


def _put_back(seen: list[Block], blocks: Blocks) -> Iterator[Block]:
    # One by one, so that a block is freed once its words are counted.
    while seen:
        yield seen.pop(0)
    yield from chain(blocks)


def _as_it_is(documents: Documents) -> Documents:
    return documents


def _report(detected: Detected, stacklevel: int) -> None:
    """Warn about texts in several languages, or in an unknown one."""
    taken = LANGUAGES[detected.code or "en"].name
    found = sorted(detected.documents.items(), key=lambda item: -item[1])
    if len(found) > 1 and found[0][1] < _MAIN_SHARE:
        some = ", ".join(f"{LANGUAGES[code].name} ({share:.0%})" for code, share in found[:3])
        warnings.warn(
            f"the first texts are in several languages: {some}. All are read by the rules of {taken}; "
            "give another language, or stop_words=[...] with the words of all of them",
            stacklevel=stacklevel,
        )
    elif detected.code is None and detected.script not in ("", "latin"):
        warnings.warn(
            f"the texts are in {detected.script} script, in a language that is not told for sure, and are read by the "
            "rules of English; give the language, or its stop words, stop_words=[...]",
            stacklevel=stacklevel,
        )
