"""Make the demo corpus: descriptions of Debian packages as a bag of words.

Fetch the lists into a folder of their own first, as root or with a private configuration of apt:

    mkdir -p lists/partial
    apt-get update -o Acquire::Languages=en -o Acquire::GzipIndexes=false -o Dir::State::lists=$PWD/lists
    python scripts/make_demo_corpus.py lists/*_bookworm_main_*_Packages --translations lists/*_bookworm_main_*-en

The same lists give the same files, byte for byte.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

SEED = 2017
N_DOCS = 4_000
MOST_PER_SECTION = 250
LEAST_TOKENS = 30
SAME_START = 15
"""Descriptions that agree in so many first words count as one."""
LEAST_DOCS = 5
MOST_SHARE = 0.2
OUT = Path(__file__).resolve().parent.parent / "src" / "topicgrove" / "data"

BOILERPLATE = """
package packages packaged packaging provide provides provided providing contain contains containing include includes
included including debian use used uses using user users via http https www html org com net file files
support supports supported supporting based allow allows feature features available like new different install
installed installing simple easy make makes also etc github
"""
"""What descriptions say because they are descriptions of packages."""

STOP_WORDS = ENGLISH_STOP_WORDS | frozenset(BOILERPLATE.split())

UNWANTED_SECTIONS = {"debug", "doc", "introspection", "libdevel", "localization", "metapackages", "oldlibs", "tasks"}
UNWANTED_NAME = re.compile(r"-(dbg|dbgsym|prof|docs?|data|common|all|headers?|source|l10n|locales?)$")
UNWANTED_TEXT = re.compile(
    r"transitional|dummy package|empty package|meta-?package|debugging symbols|debug symbols", re.I
)
WORD = re.compile(r"[a-z]{3,}")


class Package(NamedTuple):
    """What the corpus needs to know of a package."""

    name: str
    source: str
    section: str
    text: str


def tokenise(text: str) -> list[str]:
    """Words of three or more letters in lower case, stop words and boilerplate left out.

    >>> tokenise("This package provides the BLAST2 aligner's 3 front-ends.")
    ['blast', 'aligner', 'ends']
    """
    return [word for word in WORD.findall(text.lower()) if word not in STOP_WORDS]


def without_refrain(text: str) -> str:
    """A description without later paragraphs on what "this package" holds: they are alike in a whole section."""
    first, *others = text.split("\n.\n")
    return "\n".join([first, *(paragraph for paragraph in others if not paragraph.startswith("This package"))])


def stanzas(path: Path) -> Iterator[dict[str, str]]:
    """The stanzas of a Debian control file, continuation lines joined to their fields."""
    fields: dict[str, str] = {}
    name = ""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line[0] in " \t":
                fields[name] += "\n" + line.strip()
            elif line == "\n":
                yield fields
                fields = {}
            else:
                name, _, value = line.partition(":")
                fields[name] = value.strip()
    if fields:
        yield fields


def read_packages(lists: Iterable[Path], translations: Iterable[Path]) -> list[Package]:
    """Packages with their long descriptions in English."""
    texts = {
        (fields["Package"], fields["Description-md5"]): fields["Description-en"]
        for path in translations
        for fields in stanzas(path)
    }
    packages = []
    for path in lists:
        for fields in stanzas(path):
            name = fields["Package"]
            text = texts.get((name, fields.get("Description-md5", "")), fields.get("Description", ""))
            source = fields.get("Source", name).split(" ")[0]
            packages.append(Package(name, source, fields.get("Section", "misc").split("/")[-1], without_refrain(text)))
    return packages


def is_wanted(package: Package) -> bool:
    """Whether a package is a thing of its own, and its description says what."""
    return (
        package.section not in UNWANTED_SECTIONS
        and not UNWANTED_NAME.search(package.name)
        and not UNWANTED_TEXT.search(package.text)
        and len(tokenise(package.text)) >= LEAST_TOKENS
    )


def one_per_source(packages: Iterable[Package]) -> list[Package]:
    """The package named like its source, or else the one that says most; no text twice."""
    by_source: dict[str, list[Package]] = defaultdict(list)
    for package in packages:
        by_source[package.source].append(package)
    best = [max(group, key=lambda p: (p.name == p.source, len(p.text), p.name)) for group in by_source.values()]
    by_words = {tuple(tokenise(package.text)[:LEAST_TOKENS]): package for package in sorted(best, reverse=True)}
    return sorted(by_words.values())


def choose(packages: Iterable[Package]) -> list[Package]:
    """A seeded selection, no section taking more than its share; in the order of the names."""
    by_section: dict[str, list[Package]] = defaultdict(list)
    for package in packages:
        by_section[package.section].append(package)
    rng = random.Random(SEED)
    pool: list[Package] = []
    for _, group in sorted(by_section.items()):
        pool += rng.sample(group, min(MOST_PER_SECTION, len(group)))
    return sorted(rng.sample(pool, min(N_DOCS, len(pool))))


def vocabulary_of(documents: list[Counter[str]]) -> list[str]:
    """The words in neither too few nor too many documents, in alphabetical order."""
    n_docs = Counter(word for document in documents for word in document)
    most = MOST_SHARE * len(documents)
    return sorted(word for word, n in n_docs.items() if LEAST_DOCS <= n <= most)


def bag_of_words(documents: list[Counter[str]], vocabulary: list[str]) -> bytes:
    """The UCI file of the documents, compressed without a time or a name in it."""
    ids = {word: i for i, word in enumerate(vocabulary, start=1)}
    records = [
        f"{d} {ids[word]} {document[word]}\n"
        for d, document in enumerate(documents, start=1)
        for word in sorted(document.keys() & ids.keys())
    ]
    head = f"{len(documents)}\n{len(vocabulary)}\n{len(records)}\n"
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write((head + "".join(records)).encode())
    return buffer.getvalue()


def main() -> None:
    """Read the lists named on the command line and write the three files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", type=Path, help="Packages lists, uncompressed")
    parser.add_argument("--translations", nargs="+", type=Path, required=True, help="Translation-en lists")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to")
    arguments = parser.parse_args()
    packages = read_packages(arguments.packages, arguments.translations)
    chosen = choose(one_per_source(filter(is_wanted, packages)))
    documents = [Counter(tokenise(package.text)) for package in chosen]
    vocabulary = vocabulary_of(documents)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "docword.debian.txt.gz").write_bytes(bag_of_words(documents, vocabulary))
    (arguments.out / "vocab.debian.txt").write_text("".join(f"{word}\n" for word in vocabulary), encoding="utf-8")
    titles = "".join(f"{package.name}\t{package.section}\n" for package in chosen)
    (arguments.out / "titles.debian.txt").write_text(titles, encoding="utf-8")
    n_tokens = sum(document[word] for document in documents for word in set(vocabulary) & document.keys())
    print(f"{len(documents)} documents, {len(vocabulary)} words, {n_tokens} tokens in {arguments.out}")


if __name__ == "__main__":
    main()
