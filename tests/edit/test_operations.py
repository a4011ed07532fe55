"""Merge, move, split, delete, reorder, rename and undo: counts, paths and levels stay right."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicgrove import HierarchicalLDA, load
from topicgrove.edit.draft import Draft
from topicgrove.edit.edits import OPERATIONS


def leaves(tree, parent):
    return tree.children[parent].tolist()


def inner_with(model, n):
    """A level-1 topic with at least n children."""
    return next(t for t in leaves(model.tree_, 0) if len(model.tree_.children[t]) >= n)


def test_merged_siblings_have_the_documents_words_and_children_of_all(model, check):
    before = model.tree_
    a, b = leaves(before, 0)[:2]
    model.tree_.set_names({a: "one", b: "two"})
    model.merge_topics([a, b])
    check(model)
    kept = next(t for t, name in model.tree_.names.items() if name == "one")
    assert model.tree_.n_docs[kept] == before.n_docs[a] + before.n_docs[b]
    assert len(model.tree_.children[kept]) == len(before.children[a]) + len(before.children[b])
    assert len(model.tree_) == len(before) - 1
    assert "two" not in model.tree_.names.values()


def test_merging_siblings_needs_no_documents_and_is_the_same_with_them(model, corpus):
    pair = leaves(model.tree_, 0)[:2]
    model.merge_topics(pair)
    without = model.tree_.fingerprint
    model.undo_edits()
    model.merge_topics(pair, corpus=corpus)
    assert model.tree_.fingerprint == without


def test_topics_with_other_parents_can_be_merged_with_the_documents(model, corpus, check):
    first, second = leaves(model.tree_, 0)[:2]
    a, b = leaves(model.tree_, first)[0], leaves(model.tree_, second)[0]
    size = model.tree_.n_docs[a] + model.tree_.n_docs[b]
    with pytest.raises(ValueError, match="needs the documents, which a model does not keep; give corpus"):
        model.merge_topics([a, b])
    model.merge_topics([a, b], into=b, corpus=corpus)
    check(model)
    assert size in model.tree_.n_docs.tolist()


def test_a_moved_branch_takes_its_documents_along_and_leaves_levels_alone(model, corpus, check):
    before = model.tree_
    start = inner_with(model, 2)
    target = next(t for t in leaves(before, 0) if t != start)
    leaf = leaves(before, start)[-1]
    inside = np.flatnonzero(model.paths_[:, 2] == leaf)
    levels = model.token_levels_.copy()
    model.move_topic(leaf, parent=target, corpus=corpus)
    check(model)
    assert len(set(model.paths_[inside, 1])) == 1
    others = np.flatnonzero(before.documents.paths[:, 1] == target)
    assert set(model.paths_[inside, 1]) == set(model.paths_[others, 1])
    assert np.array_equal(model.token_levels_, levels)


def test_a_parent_left_without_children_goes(model, corpus, check):
    first, second = leaves(model.tree_, 0)[:2]
    n_topics = model.tree_.n_topics_per_level
    edits = [{"do": "move", "topic": t, "parent": second} for t in leaves(model.tree_, first)]
    model.apply_edits(as_file(model, edits), corpus=corpus)
    check(model)
    assert model.tree_.n_topics_per_level == [1, n_topics[1] - 1, n_topics[2]]


def test_a_split_leaf_has_parts_that_differ_in_their_words(model, corpus, check):
    # Leaves of all variants of a theme become one, which falls apart again.
    branch = inner_with(model, 2)
    model.merge_topics(leaves(model.tree_, branch))
    whole = int(model.tree_.children[leaves(model.tree_, 0)[0]][0])
    documents = np.flatnonzero(model.paths_[:, 2] == whole)
    before = model.log_joint_
    model.tree_.set_names({whole: "whole"})
    model.split_topic(whole, into=3, corpus=corpus)
    check(model)
    parts = np.unique(model.paths_[documents, 2])
    assert len(parts) == 3
    assert model.tree_.names == {}
    assert model.log_joint_ > before


def test_a_split_inner_topic_shares_out_its_children(model, corpus, check):
    topics = leaves(model.tree_, 0)[:2]
    documents = np.flatnonzero(np.isin(model.paths_[:, 1], topics))
    before = model.paths_[documents, 1].copy()
    model.merge_topics(topics)
    whole = int(model.paths_[documents[0], 1])
    model.split_topic(whole, into=2, corpus=corpus)
    check(model)
    assert len(np.unique(model.paths_[documents, 1])) == 2
    # Two themes without a common word come apart as they were.
    assert len({(int(a), int(b)) for a, b in zip(before, model.paths_[documents, 1], strict=True)}) == 2


def test_documents_of_a_deleted_topic_move_to_the_best_other_path(model, corpus, check):
    branch = inner_with(model, 2)
    gone = leaves(model.tree_, branch)[0]
    documents = np.flatnonzero((model.paths_[:, 2] == gone) & (corpus.document_lengths > 0))
    siblings = np.flatnonzero((model.paths_[:, 1] == branch) & (model.paths_[:, 2] != gone))
    model.delete_topic(gone, corpus=corpus)
    check(model)
    # The nearest words are those of the same theme.
    assert set(model.paths_[documents, 1]) == set(model.paths_[siblings, 1])


def test_all_documents_of_a_deleted_branch_find_another(model, corpus, check):
    n_level_1 = model.tree_.n_topics_per_level[1]
    model.delete_topic(1, corpus=corpus)
    check(model)
    assert model.tree_.n_topics_per_level[1] == n_level_1 - 1


def test_children_keep_an_order_that_a_user_gave(model, corpus, check):
    order = leaves(model.tree_, 0)[::-1]
    sizes = model.tree_.n_docs[order].tolist()
    model.reorder_topics(0, order)
    check(model)
    assert model.tree_.n_docs[model.tree_.children[0]].tolist() == sizes
    model.rename_topic(1, "the first")
    assert model.tree_.n_docs[model.tree_.children[0]].tolist() == sizes


def test_undo_takes_one_edit_back(model, corpus):
    tree, levels, joint = model.tree_, model.token_levels_.copy(), model.log_joint_
    model.delete_topic(1, corpus=corpus)
    model.undo_edits()
    assert model.tree_ is tree
    assert (model.log_joint_, np.array_equal(model.token_levels_, levels)) == (joint, True)
    with pytest.raises(ValueError, match="there is no edit to undo"):
        model.undo_edits()


def test_an_edited_model_saves_loads_and_places_documents(model, corpus, check, tmp_path):
    model.rename_topic(1, "first")
    model.delete_topic(leaves(model.tree_, 0)[-1], corpus=corpus)
    model.split_topic(len(model.tree_) - 1, corpus=corpus)
    model.save(tmp_path / "edited.grove")
    again = load(tmp_path / "edited.grove")
    check(again)
    assert (again.tree_.fingerprint, again.tree_.names) == (model.tree_.fingerprint, model.tree_.names)
    assert np.array_equal(again.predict_paths(corpus), model.predict_paths(corpus))
    assert np.allclose(model.transform(corpus).sum(axis=1), 1)
    new = corpus.take(np.arange(5))
    again.partial_fit(new)
    assert len(again.paths_) == corpus.n_docs + 5


def as_file(model: HierarchicalLDA, edits: list) -> dict:
    return {"format": "topicgrove-edits", "version": 1, "model": model.tree_.fingerprint, "edits": edits}


@settings(max_examples=25)
@given(data=st.data())
def test_any_edits_in_any_order_leave_a_right_model(fitted, data, corpus, check):
    draft = Draft(fitted.tree_, fitted.token_levels_, fitted.hyper_parameters_, corpus)
    topics = st.integers(0, len(fitted.tree_) - 1)
    values = {
        "merge": {"topics": st.lists(topics, min_size=1, max_size=3), "into": topics},
        "move": {"topic": topics, "parent": topics},
        "split": {"topic": topics, "into": st.integers(2, 3)},
        "delete": {"topic": topics},
        "reorder": {"parent": topics, "children": st.lists(topics, max_size=3)},
        "rename": {"topic": topics, "name": st.text()},
    }
    for do in data.draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=8)):
        with suppress(ValueError):
            OPERATIONS[do](draft, **{name: data.draw(drawn) for name, drawn in values[do].items()})
    model = HierarchicalLDA(3)
    model.hyper_parameters_ = fitted.hyper_parameters_
    model._keep(*draft.finish())
    check(model)


@pytest.fixture(scope="module")
def fitted(corpus):
    with pytest.warns(UserWarning, match="empty"):
        return HierarchicalLDA(3, gamma=0.5, beta=0.2, n_init=2, min_docs=2, n_iter=8, random_state=1).fit(corpus)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m, c: m.merge_topics([1]), "another topic to merge with 1"),
        (lambda m, c: m.merge_topics([0, 1]), "into must not be 0: the root stays"),
        (lambda m, c: m.merge_topics([1, len(m.tree_) - 1]), "is on level 2 and topic 1 on level 1"),
        (lambda m, c: m.merge_topics([1, 99999]), "topics must be between 0 and"),
        (lambda m, c: m.move_topic(1, 2, corpus=c), "its parent must be on level 0; topic 2 is on level 1"),
        (lambda m, c: m.move_topic(len(m.tree_) - 1, 1, corpus=None), "give corpus"),
        (lambda m, c: m.delete_topic(0, corpus=c), "topic must not be 0"),
        (lambda m, c: m.split_topic(1, 999, corpus=c), "it has .* topics below it; split those first"),
        (lambda m, c: m.split_topic(1, 1, corpus=c), "into must be at least 2"),
        (lambda m, c: m.reorder_topics(0, [len(m.tree_) - 1]), "which is not a child of topic 0"),
        (lambda m, c: m.reorder_topics(0, [1, 1]), "more than once"),
        (lambda m, c: m.rename_topic(1, "\x1b[31m"), "control characters"),
        (lambda m, c: m.rename_topic(1, "x" * 201), "at most 200 characters"),
        (lambda m, c: m.delete_topic(1, corpus=c.take(np.arange(9))), "in their order; got 9 documents"),
        (lambda m, c: m.delete_topic(1, corpus=c.take(np.arange(c.n_docs)[::-1])), "with other words"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(model, corpus, edit, message):
    before = model.tree_
    with pytest.raises(ValueError, match=message):
        edit(model, corpus)
    assert model.tree_ is before


def test_documents_that_were_held_out_are_left_aside(corpus, check):
    model = HierarchicalLDA(2, gamma=0.5, beta=0.2, n_iter=3, random_state=0)
    with pytest.warns(UserWarning, match="empty"):
        model.fit(corpus, held_out=10)
    model.delete_topic(1, corpus=corpus)
    assert len(model.paths_) == corpus.n_docs - 10
    model.tree_.check()


def test_what_seeds_add_follows_their_topics(corpus, check, tmp_path):
    model = HierarchicalLDA(3, seeds={"sky": ["moon"], "ice": ["puck"], "ink": ["oven"]}, n_iter=3, random_state=0)
    with pytest.warns(UserWarning, match="empty"):
        model.fit(corpus)
    named = {name: topic for topic, name in model.tree_.names.items()}
    counts, n_docs = model.tree_.seeds.counts.sum(), model.tree_.seeds.n_docs[0]
    edits = [
        {"do": "merge", "topics": [named["sky"], named["ice"]], "into": named["sky"]},
        {"do": "delete", "topic": named["ink"]},
    ]
    model.apply_edits(as_file(model, edits[:1]))
    assert (model.tree_.seeds.counts.sum(), model.tree_.seeds.n_docs[0]) == (counts, n_docs)
    model.undo_edits()
    model.apply_edits(as_file(model, edits), corpus=corpus)
    model.tree_.check()
    assert model.tree_.seeds.n_docs[0] == n_docs - 1
    assert list(model.tree_.names.values()) == ["sky"]
    model.save(tmp_path / "seeded.grove")
    assert load(tmp_path / "seeded.grove").tree_.fingerprint == model.tree_.fingerprint
    with pytest.raises(ValueError, match="warm_start does not work with seeds"):
        model.set_params(warm_start=True).fit(corpus)
