"""Operations of the MPI communicator, with messages whole and in pieces, at a thread level that may be refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from operations import check_operations


def main(thread_level: str, folder: str) -> None:
    import mpi4py

    mpi4py.rc.thread_level = thread_level
    from mpi4py import MPI

    from topicgrove.communication.mpi import MPICommunicator

    try:
        for max_elements in (2**28, 1, 4, 100):
            comm = MPICommunicator(max_elements=max_elements)
            met = Path(folder, str(max_elements))
            met.mkdir(exist_ok=True)
            check_operations(comm, met)
        said = ""
    except ValueError as error:
        said = str(error)
    if MPI.COMM_WORLD.Get_rank() == 0:
        print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
