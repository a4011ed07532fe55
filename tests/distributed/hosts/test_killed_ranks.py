"""A rank that dies ends the job, whatever it was doing; and the job can be resumed."""

import pytest

from .jobs import COMMAND, allowed, check_nothing_is_lost, failing, fit_arguments, mpiexec

WITHIN = 5.0
N_ITER = 10
NO_CLEANUP = "-disable-auto-cleanup"

PHASES = [
    "start of an iteration",
    "sampling",
    "exchange",
    "exchange of payloads",
    "merging",
    "refresh",
    "sum of counts",
    "sharing of phi",
    "checkpoint",
    "half-written checkpoint",
]


@pytest.mark.slow
@pytest.mark.parametrize("phase", PHASES)
def test_killed_rank_ends_the_job_and_resume_finishes_it(launch, store, tmp_path, phase):
    job = launch(*mpiexec(2), *failing(tmp_path, phase), *fit_arguments(store, tmp_path, iterations=N_ITER))
    died, _ = job.wait_for_failure()
    assert job.seconds_to_end(died) < allowed(WITHIN)
    assert job.end() != 0
    assert not (tmp_path / "model.grove").exists()
    assert job.last_iteration() == 4
    check_nothing_is_lost(job, N_ITER)


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["half-written checkpoint", "all parts and no tree"])
def test_first_rank_killed_while_it_writes_leaves_the_last_checkpoint(launch, store, tmp_path, phase):
    command = (*failing(tmp_path, phase, rank=0), *fit_arguments(store, tmp_path, iterations=N_ITER))
    job = launch(*mpiexec(2), *command)
    died, _ = job.wait_for_failure()
    assert job.seconds_to_end(died) < allowed(WITHIN)
    assert job.end() != 0
    assert job.last_iteration() == 4
    check_nothing_is_lost(job, N_ITER)


def test_survivors_name_the_dead_rank_where_mpiexec_lets_them(launch, store, tmp_path):
    command = (*failing(tmp_path, "exchange of payloads"), *fit_arguments(store, tmp_path, iterations=N_ITER))
    job = launch(*mpiexec(2, NO_CLEANUP), *command)
    died, _ = job.wait_for_failure()
    assert job.seconds_to_end(died) < allowed(WITHIN)
    # Now and then mpiexec is quicker, and kills them all the same.
    assert job.end() != 0
    if job.end() == 75:
        assert "a process of the job has died (rank 1 on " in job.text
        assert f"in iteration 5; go on from the checkpoint of iteration 4 in {job.checkpoints}" in job.text
        assert "Traceback" not in job.text
    check_nothing_is_lost(job, N_ITER)


@pytest.mark.slow
@pytest.mark.parametrize(("phase", "iteration"), [("joining", 0), ("sampling", 1), ("exchange", 1)])
def test_rank_killed_before_the_first_checkpoint_leaves_a_folder_to_start_in_again(
    launch, store, tmp_path, phase, iteration
):
    fit = fit_arguments(store, tmp_path, iterations=4)
    job = launch(*mpiexec(2), *failing(tmp_path, phase, iteration=iteration), *fit)
    died, _ = job.wait_for_failure()
    assert job.seconds_to_end(died) < allowed(WITHIN)
    assert job.end() != 0
    assert job.last_iteration() == 0
    again = launch(*mpiexec(2), *COMMAND, *fit)
    assert again.end() == 0, again.text
    assert again.last_iteration() == 4
