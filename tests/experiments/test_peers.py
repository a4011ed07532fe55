"""The peer runs in its own environment, and its trees come back in our format."""

import numpy as np
import peers
import pytest

from topicgrove import Corpus

CORPUS = Corpus.from_matrix(np.vstack([np.kron(np.eye(2, dtype=int), np.full((6, 4), 3)), np.zeros((1, 8), int)]))
"""Documents of two kinds, and an empty one."""

with_peer = pytest.mark.skipif(not (peers.ENVIRONMENT / ".installed").exists(), reason="`make peer` was not run")


@with_peer
def test_the_peers_tree_has_every_token_and_every_document_that_is_not_empty():
    fitted = peers.fit_tomotopy(CORPUS, eta=0.5, gamma=0.1, n_iter=5, seed=1)
    assert fitted.tree.n_levels == 4
    assert fitted.counts.shape == (len(fitted.tree), CORPUS.n_words)
    words = np.bincount(CORPUS.words, minlength=CORPUS.n_words)
    assert np.asarray(fitted.counts.sum(axis=0)).ravel().tolist() == words.tolist()
    for level in range(4):
        assert fitted.tree.n_docs[fitted.tree.level == level].sum() == 12
    assert fitted.seconds > 0
    assert fitted.cpu_seconds > 0


@with_peer
def test_the_peers_topics_of_level_one_are_by_document():
    topics = peers.level_one_topics(CORPUS, n_iter=5, seed=1)
    assert topics.shape == (13,)
    assert (topics[:12] > 0).all()
    assert topics[12] == -1


@with_peer
def test_the_peers_flat_topics_have_every_token():
    flat = peers.fit_flat_lda(CORPUS, k=3, eta=0.1, n_iter=20, seed=1)
    assert flat.counts.shape == (3, CORPUS.n_words)
    words = np.bincount(CORPUS.words, minlength=CORPUS.n_words)
    assert np.asarray(flat.counts.sum(axis=0)).ravel().tolist() == words.tolist()
    assert (flat.alpha > 0).all()
    assert len(flat.alpha) == 3


@with_peer
def test_the_peers_versions_are_known():
    assert peers.peer_packages()["tomotopy"] == "0.13.0"


def test_a_missing_environment_is_named_with_the_command_that_makes_it(monkeypatch, tmp_path):
    monkeypatch.setattr(peers, "ENVIRONMENT", tmp_path / "none")
    with pytest.raises(peers.PeerMissingError, match=r"tomotopy is not installed: `make peer` installs it in .*none"):
        peers.level_one_topics(CORPUS, n_iter=5, seed=1)
