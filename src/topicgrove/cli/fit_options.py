"""Options of ``fit`` alone: of the run, of the tree and of the sampler."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from topicgrove.choices import INITS, MODELS, NESTED_INITS, SAMPLERS
from topicgrove.distributed.sync import SYNCS

if TYPE_CHECKING:
    SamplerName = str
    InitName = str
    SyncName = str
    ModelKindName = str
else:
    SamplerName, InitName = Literal[("auto", *SAMPLERS)], Literal[tuple(dict.fromkeys((*INITS, *NESTED_INITS)))]
    ModelKindName = Literal[tuple(MODELS)]
    SyncName = Literal[tuple(SYNCS)]

Output = Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The file to write.")]
ModelName = Annotated[
    ModelKindName,
    typer.Option(
        "--model",
        help="hlda: a document has one path. nhdp, the nested HDP: every word takes its own way, so a document has "
        "several themes; other defaults hold, and some options belong to one model alone.",
    ),
]
Levels = Annotated[
    int,
    typer.Option(min=2, max=64, show_default="4; nhdp: 3", help="Depth of the tree, the root included."),
]
Iterations = Annotated[int, typer.Option(min=1, show_default="100; nhdp: 150", help="Sweeps over the documents.")]
Seed = Annotated[
    int | None, typer.Option(min=0, max=2**63 - 1, show_default="drawn and printed", help="Seed of all randomness.")
]
Checkpoint = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write checkpoints there; topicgrove resume goes on from them.")
]
CheckpointEvery = Annotated[int, typer.Option(min=1, help="Sweeps between two checkpoints.")]
CheckpointMinutes = Annotated[float | None, typer.Option(min=0, help="A checkpoint after that many minutes, too.")]
EarlyStopping = Annotated[
    int | None, typer.Option(min=2, metavar="SWEEPS", help="Stop if the log joint has not risen for so many.")
]
HeldOut = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Documents whose perplexity is measured every 25 sweeps, for the explorer."),
]
HoldOut = Annotated[
    str | None,
    typer.Option(
        metavar="PART",
        help="Do not train on this part of the documents, and measure perplexity on it: 10%, 0.1, or a number of "
        "documents. Which they are depends on the seed alone; evaluate --held-out finds them again.",
    ),
]
Sync = Annotated[SyncName, typer.Option(help="Under mpiexec: how processes exchange what they change.")]

TargetTopics = Annotated[
    str | None,
    typer.Option(
        metavar="N[,N...]",
        help="About how many topics to aim at: in all, or on each level below the root.",
    ),
]
MaxTopics = Annotated[int | None, typer.Option(min=2, help="Never more topics.")]
MinDocs = Annotated[
    int | None,
    typer.Option(min=1, show_default="by level and size", help="In the end, no topic with fewer documents."),
]
Seeds = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="JSON or TOML with topics to begin with, and their words; see guide-the-tree."),
]
Alpha = Annotated[str, typer.Option(help="Prior of proportions: one number, or one a level with commas.")]
Beta = Annotated[str | None, typer.Option(help="Prior of words, one or one a level; less means more topics.")]
Gamma = Annotated[str | None, typer.Option(help="How readily topics branch off, one or one an internal level.")]
Learn = Annotated[str | None, typer.Option(help="Fit these to the data: out of alpha,beta,gamma.")]

Sampler = Annotated[
    SamplerName,
    typer.Option(
        help="Partially collapsed, collapsed or blocked Gibbs sampling; auto: cgs below 50,000 documents in one "
        "process, pcgs otherwise or with --collapse-below."
    ),
]
CollapseBelow = Annotated[
    float | None,
    typer.Option(show_default="64", help="pcgs: topics with fewer documents are collapsed; or inf."),
]
Init = Annotated[
    InitName,
    typer.Option(show_default="bottom_up; nhdp: branches", help=f"How it starts; nhdp: {' or '.join(NESTED_INITS)}."),
]
NInit = Annotated[int, typer.Option(min=1, help="bottom_up: rough fits that the start is made of.")]
InitIterations = Annotated[
    int,
    typer.Option(
        min=0,
        show_default="32; nhdp: as many as NestedHDP has",
        help="monte_carlo: sweeps of the early phase. nhdp: sweeps of the hlda run that it starts from.",
    ),
]
Refine = Annotated[bool, typer.Option(help="Every second sweep, move documents to the path that fits best.")]

MinTokens = Annotated[
    int | None,
    typer.Option(min=1, show_default="0.02 % of all", help="nhdp: in the end, no topic with fewer words below it."),
]
Grow = Annotated[bool, typer.Option(help="nhdp: whether topics are born and die.")]
ChildWeight = Annotated[float, typer.Option(help="nhdp: prior of going on to a topic from its parent.")]
LearnAfter = Annotated[int, typer.Option(min=1, help="nhdp: sweeps before priors are learned and the tree grows.")]
