"""Older format versions are migrated step by step; what only newer versions know is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from topicgrove import CorruptModelError, HierarchicalLDA, load
from topicgrove.persistence import checkpoints, migrations, models, parts
from topicgrove.persistence.checkpoints import read_checkpoint
from topicgrove.persistence.migrations import migrate, newest_version, rename_parameter
from topicgrove.persistence.sealed import Arrays, read_sealed, write_sealed


def rewrite(path: Path, change: Any, kind: str = models.KIND, version: int | None = None) -> Path:
    """Save a file again after its facts were changed, in the newest version or a given one."""
    facts, arrays = read_sealed(path, kind, newest_version(kind))
    change(facts)
    write_sealed(path, kind, version or newest_version(kind), facts, arrays)
    return path


def test_a_parameter_that_was_renamed_is_found_in_an_older_model(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite(saved, lambda facts: rename_parameter(facts, "n_iter", "n_sweeps"))
    with pytest.raises(CorruptModelError, match="n_sweeps"):
        load(saved)

    def to_next_version(facts: dict[str, Any], arrays: Arrays) -> None:
        rename_parameter(facts, "n_sweeps", "n_iter")

    before = newest_version(models.KIND)
    steps = (*migrations.STEPS[models.KIND], to_next_version)
    monkeypatch.setattr(migrations, "STEPS", {models.KIND: steps})
    monkeypatch.setattr(models, "VERSION", newest_version(models.KIND))
    model = load(saved)
    assert model.n_iter == 12
    model.save(saved)
    monkeypatch.undo()
    told = f"format version {before + 1}, and this program knows up to {before}; update"
    with pytest.raises(CorruptModelError, match=told):
        load(saved)


def test_steps_are_taken_from_the_version_of_the_file_on_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = tuple(lambda facts, arrays, n=n: facts["steps"].append(n) for n in (2, 3, 4))
    monkeypatch.setattr(migrations, "STEPS", {"kind": steps})
    for version, expected in ((1, [2, 3, 4]), (3, [4]), (4, [])):
        facts: dict[str, Any] = {"steps": []}
        migrate("kind", version, facts, {})
        assert facts["steps"] == expected


def test_a_step_that_fails_on_a_file_names_it(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite(saved, lambda facts: facts.pop("parameters"))

    def step(facts: dict[str, Any], arrays: Arrays) -> None:
        rename_parameter(facts, "a", "b")

    monkeypatch.setattr(migrations, "STEPS", {models.KIND: (*migrations.STEPS[models.KIND], step)})
    monkeypatch.setattr(models, "VERSION", newest_version(models.KIND))
    with pytest.raises(CorruptModelError, match=r"model\.grove: not a topicgrove model that can be read"):
        load(saved)


@pytest.mark.parametrize("module", [models, checkpoints, parts])
def test_every_kind_of_file_is_written_in_the_version_that_its_steps_lead_to(module: Any) -> None:
    assert newest_version(module.KIND) == module.VERSION


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda facts: facts["parameters"].update(depth=3), "parameter 'depth'"),
        (lambda facts: facts["rules"].update(stemmer="porter"), "rule of text 'stemmer'"),
        (lambda facts: facts["parameters"].update(text={"stemmer": "porter"}), "rule of text 'stemmer'"),
    ],
)
def test_what_only_a_newer_program_knows_is_named_with_advice(saved: Path, change: Any, said: str) -> None:
    rewrite(saved, change)
    with pytest.raises(CorruptModelError) as raised:
        load(saved)
    assert str(raised.value) == (
        f"{saved}: a newer program saved this model: it has the {said}, which this program does not know; "
        "update TopicGrove"
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda facts: facts["parameters"].update(depth=3), "parameter 'depth'"),
        (lambda facts: facts.update(weather="fine"), "fact 'weather'"),
    ],
)
def test_so_it_is_in_a_checkpoint(tmp_path: Path, counts: Any, change: Any, said: str) -> None:
    HierarchicalLDA(3, n_iter=4, checkpoint=tmp_path, checkpoint_every=4, random_state=0).fit(counts)
    (path,) = tmp_path.glob("checkpoint-*.safetensors")
    rewrite(path, change, checkpoints.KIND)
    with pytest.raises(CorruptModelError, match=f"a newer program saved this checkpoint: it has the {said}"):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize(("saved_as", "read_as"), [("pcgs", "auto"), ("cgs", "cgs"), ("bgs", "bgs"), (None, "auto")])
def test_the_sampler_of_a_first_checkpoint_means_what_it_meant(
    tmp_path: Path, counts: Any, saved_as: str | None, read_as: str
) -> None:
    """Without the parameter it was the default."""

    def change(facts: dict[str, Any]) -> None:
        del facts["parameters"]["sampler"]
        facts["parameters"] |= {} if saved_as is None else {"sampler": saved_as}

    model = HierarchicalLDA(3, n_iter=8, checkpoint=tmp_path, checkpoint_every=4, gamma=0.5, random_state=0)
    model.set_params(sampler="bgs" if saved_as == "bgs" else "auto").fit(counts)
    for path in tmp_path.glob("checkpoint-*.safetensors"):
        rewrite(path, change, checkpoints.KIND, version=1)
    assert read_checkpoint(tmp_path).parameters["sampler"] == read_as
    resumed = HierarchicalLDA.resume(tmp_path, n_iter=10)
    assert resumed.sampler_ == ("bgs" if saved_as == "bgs" else "cgs")
