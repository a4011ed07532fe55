"""A demo of every step with the bundled corpus: text, corpus store, model, tree."""

from __future__ import annotations

import sys
from pathlib import Path

from topicgrove import HierarchicalLDA, TextRules, build_store
from topicgrove.corpus.example import EXAMPLE, MAX_DF
from topicgrove.explore import read_texts, typical_documents, write_page
from topicgrove.progress import shown
from topicgrove.shell import quoted

TITLE = "Debian packages"
N_LEVELS = 3
"""Number of levels. Descriptions are short: on a deeper path, each level would have few words."""

N_ITER = 100
SHOWN_DOCS = 20
"""Topics with fewer documents are not printed; the files have them all."""


def run(folder: Path, *, n_iter: int = N_ITER, n_jobs: int = -1) -> None:
    """Fit the descriptions of Debian packages, print their tree of topics, and write all files to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    store, saved, tree_file = folder / "debian.corpus", folder / "debian.grove", folder / "debian-tree.json"
    page = folder / "debian.html"

    print("1. Text to corpus: what Debian's package lists say of its software")
    _print_command("corpus build", EXAMPLE, "-o", store, "--class-field", "section", "--max-df", MAX_DF)
    rules = TextRules(max_df=MAX_DF)
    corpus = build_store(EXAMPLE, store, rules=rules, titles=True, class_field="section", overwrite=True, n_jobs=n_jobs)
    print(f"   {corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens, {corpus.n_words:,} words\n")

    print("2. Corpus to model")
    _print_command("fit", store, "-o", saved, "--seed", 0, "--levels", N_LEVELS)
    sys.stdout.flush()
    with shown() as callbacks:
        model = HierarchicalLDA(N_LEVELS, n_iter=n_iter, random_state=0, n_jobs=n_jobs, callbacks=callbacks)
        model.fit(corpus)
    model.save(saved)
    tree = model.tree_
    per_level = "-".join(map(str, tree.n_topics_per_level))
    print(f"   {len(tree)} topics on {tree.n_levels} levels ({per_level})\n")

    print("3. The tree: documents, topic, words that set it apart")
    _print_command("show", saved, "--min-docs", SHOWN_DOCS)
    tree.print_tree(min_docs=SHOWN_DOCS, file=sys.stdout)
    tree.to_json(tree_file, indent=1)

    print("\n4. The explorer: the tree with its words and documents, as a page for your browser")
    _print_command("explore", saved, "-o", page, "--corpus", EXAMPLE, "--title", TITLE)
    texts = read_texts(EXAMPLE, typical_documents(tree))
    write_page(model, page, corpus=corpus, texts=texts, title=TITLE)
    print(f"   {page.resolve()}")

    print(f"\nThe model is in {saved}, the tree in {tree_file}, the corpus in {store}. What to do next:")
    _print_command("show", saved, "--topic", int(tree.children[0][0]))
    _print_command("evaluate", saved, store)
    _print_command("infer", saved, "YOUR_TEXTS.jsonl", "-o", folder / "paths.jsonl")
    _print_command("fit", "YOUR_TEXTS.jsonl", "-o", folder / "yours.grove")


def _print_command(*words: object) -> None:
    command, *arguments = words
    print(f"   $ topicgrove {command} {' '.join(quoted(str(argument)) for argument in arguments)}")
