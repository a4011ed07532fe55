"""The probability of held-out tokens, against NumPy."""

import numpy as np
from numpy.testing import assert_allclose

from topicgrove.kernels.completion import predict_tokens
from topicgrove.kernels.structures import Documents


def test_predicted_tokens_are_mixtures_along_the_path(rng: np.random.Generator) -> None:
    parent = np.array([0, 0, 0, 1, 2], np.int32)
    paths = {3: [0, 1, 3], 4: [0, 2, 4]}
    log_phi = np.log(rng.dirichlet(np.full(20, 0.05), 5).T + 1e-30).astype(np.float32)
    lengths = np.array([3, 0, 40, 1])
    docs = Documents(
        words=rng.integers(0, 20, 44).astype(np.int32),
        offsets=np.append(0, np.cumsum(lengths)),
        levels=np.zeros(44, np.uint8),
        leaf=np.array([3, 4, 4, 3], np.int32),
        key=np.arange(4, dtype=np.uint64),
    )
    theta = rng.dirichlet(np.ones(3), 4)
    out = np.full(4, 9.0)
    predict_tokens(1, 4, docs, parent, log_phi, theta, np.zeros(3, np.int64), out)
    exact = []
    for d in range(4):
        phi = np.exp(log_phi[docs.words[docs.offsets[d] : docs.offsets[d + 1]]][:, paths[int(docs.leaf[d])]])
        exact.append(np.log(phi.astype(np.float64) @ theta[d]).sum())
    assert_allclose(out[1:], exact[1:], rtol=1e-5)
    assert out[0] == 9
    assert out[1] == 0
