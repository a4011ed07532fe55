"""The picture of a tree: legible, repeatable, and free of active content."""

import os
import random
import sys
import warnings
from itertools import combinations
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'topicgrove[plot]'")

from matplotlib.patches import FancyBboxPatch

from topicgrove.plotting import boxes, plot_tree
from topicgrove.plotting.figures import DOTS_PER_INCH

WORDS = ["meadow", "orchid", "willow", "a-word-that-is-much-longer-than-any-box-should-ever-be-made-for", "i"]


def boxes_of(figure):
    """Left, upper, right and lower edges."""
    found = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
    return [(b.get_x(), b.get_y(), b.get_x() + b.get_width(), b.get_y() + b.get_height()) for b in found]


def extents_of(figure):
    """The same of texts, as they are drawn."""
    figure.set_dpi(DOTS_PER_INCH)
    figure.canvas.draw()
    to_data = figure.axes[0].transData.inverted()
    for text in figure.axes[0].texts:
        (left, lower), (right, upper) = to_data.transform(text.get_window_extent().get_points())
        yield text, (left, upper, right, lower)


def overlap(a, b, tolerance=0.0):
    sideways = min(a[2], b[2]) - max(a[0], b[0])
    upright = min(a[3], b[3]) - max(a[1], b[1])
    return sideways > tolerance and upright > tolerance


def words_of(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def random_parents(seed, n):
    rng = random.Random(seed)
    parent, level = [-1], [0]
    for _ in range(n - 1):
        # Breadth first: no topic comes after one that is deeper.
        last = max(parent[-1], 0)
        above = rng.choice([t for t in range(last, len(parent)) if level[t] >= level[-1] - 1][:4])
        parent.append(above)
        level.append(level[above] + 1)
    return parent


@pytest.mark.parametrize("seed", range(6))
def test_boxes_do_not_overlap_and_are_inside_the_picture(make_tree, seed):
    figure = plot_tree(make_tree(random_parents(seed, 25), WORDS), min_docs=0)
    found = boxes_of(figure)
    assert len(found) == 25
    assert not any(overlap(a, b) for a, b in combinations(found, 2))
    (left, right), (lower, upper) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    assert all(left < b[0] and b[2] < right and upper < b[1] and b[3] < lower for b in found)


def test_texts_are_inside_their_boxes_and_do_not_overlap(make_tree):
    tree = make_tree([-1, 0, 0, 1, 1], WORDS)
    tree.set_names({1: "A label that is rather longer than the words below it are wide"})
    figure = plot_tree(tree)
    texts = [extent for _, extent in extents_of(figure)]
    around = boxes_of(figure)
    for left, upper, right, lower in texts:
        assert any(b[0] <= left and right <= b[2] and b[1] <= upper and lower <= b[3] for b in around)
    # Lines may touch where nothing is printed: extents have the font's whole height.
    assert not any(overlap(a, b, tolerance=2.5) for a, b in combinations(texts, 2))


def test_sizes_follow_the_4th_root_of_frequencies(make_tree):
    figure = plot_tree(make_tree([-1], ["often", "seldom"]))
    often, seldom = figure.axes[0].texts[:2]
    assert often.get_fontsize() == boxes.LARGEST
    assert seldom.get_fontsize() == pytest.approx(boxes.LARGEST / 3**0.25)


def test_rare_words_can_still_be_read(make_tree):
    figure = plot_tree(make_tree([-1], [f"w{i}" for i in range(20)]), words=20)
    assert min(text.get_fontsize() for text in figure.axes[0].texts) == boxes.SMALLEST


def test_words_are_chosen_as_the_tree_would(make_tree):
    tree = make_tree([-1, 0, 0], ["moon", "sun", "star"])
    tree.word_counts[1, 2] = 500
    assert words_of(plot_tree(tree, topic=1, words=1))[:1] == tree.top_words(1, 1)
    assert words_of(plot_tree(tree, topic=1, words=2, by="probability"))[:2] == tree.top_words(1, 2, "probability")


def test_a_subtree_looks_the_same_from_the_tree_and_by_itself(make_tree):
    tree = make_tree([-1, 0, 0, 1, 1], WORDS)
    assert words_of(plot_tree(tree, topic=1)) == words_of(plot_tree(tree.subtree(1)))


def test_markup_shows_itself(make_tree, tmp_path):
    hostile = ["$x^2$", r"\alpha", "</text><script>alert(1)</script>", "a--b", "]]>&amp;", "$", "_^{"]
    tree = make_tree([-1], hostile)
    tree.set_names({0: "$\\frac{1}{2}$ <b>"})
    figure = plot_tree(tree, tmp_path / "tree.svg")
    assert set(hostile) <= set(words_of(figure))
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(tmp_path / "tree.svg").iter()}
    assert "script" not in tags
    plot_tree(tree, tmp_path / "tree.pdf")
    plot_tree(tree, tmp_path / "tree.png")


def test_characters_that_would_act_are_written_as_escapes(make_tree):
    shown = words_of(plot_tree(make_tree([-1], ["evil\u202etxt", "two\nlines", "bell\x07"])))
    assert shown[:3] == ["evil\\u202etxt", "two\\nlines", "bell\\x07"]


@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")])
def test_the_suffix_chooses_the_format_and_files_repeat_byte_for_byte(make_tree, tmp_path, suffix, start):
    tree = make_tree([-1, 0, 0, 1], WORDS)
    first, second = tmp_path / f"first.{suffix}", tmp_path / f"second.{suffix}"
    tree.plot(first)
    tree.plot(str(second))
    assert first.read_bytes().startswith(start)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(os.listdir(tmp_path)) == sorted([first.name, second.name])


def test_pictures_that_are_too_large_for_pixels_are_coarser(make_tree, tmp_path, monkeypatch):
    from matplotlib.image import imread

    tree = make_tree([-1, 0, 0, 1], WORDS)
    tree.plot(tmp_path / "fine.png")
    monkeypatch.setattr("topicgrove.plotting.figures.MOST_DOTS", 100)
    tree.plot(tmp_path / "coarse.png")
    assert max(imread(tmp_path / "coarse.png").shape) == 100 < max(imread(tmp_path / "fine.png").shape)


def test_a_picture_that_cannot_be_written_leaves_the_one_before(make_tree, tmp_path, monkeypatch):
    target = tmp_path / "tree.svg"
    target.write_text("before")

    def fail(*arguments, **options):
        raise OSError("no space left")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    with pytest.raises(OSError, match="no space left"):
        plot_tree(make_tree([-1], WORDS), target)
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["tree.svg"]


@pytest.mark.parametrize("name", ["tree", "tree.doc", "tree.svg.gz"])
def test_other_suffixes_are_refused(make_tree, tmp_path, name):
    with pytest.raises(ValueError, match=r"path must end in \.svg, \.pdf or \.png; got "):
        plot_tree(make_tree([-1], WORDS), tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_users_settings_and_figures_are_left_alone(make_tree):
    import matplotlib as mpl
    from matplotlib import pyplot

    before = dict(mpl.rcParams)
    with mpl.rc_context({"text.usetex": True}):
        assert "meadow" in words_of(plot_tree(make_tree([-1], WORDS)))
    assert dict(mpl.rcParams) == before
    assert pyplot.get_fignums() == []


def test_trees_without_words_are_boxes_with_numbers(make_tree):
    from dataclasses import replace

    tree = replace(make_tree([-1, 0], WORDS), word_counts=None)
    assert words_of(plot_tree(tree)) == ["10 documents", "10 documents"]
    assert words_of(plot_tree(make_tree([-1, 0], WORDS), words=0)) == ["10 documents", "10 documents"]


def test_without_matplotlibs_figures_the_error_says_what_to_install(make_tree, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"needs matplotlib.* pip install .*'topicgrove\[plot\]'"):
        plot_tree(make_tree([-1], WORDS))


def test_words_of_other_scripts_are_measured_as_they_are_drawn(make_tree):
    figure = plot_tree(make_tree([-1, 0], ["дерево", "δέντρο", "arbre", "träd"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(extent[2] > extent[0] for _, extent in extents_of(figure))
