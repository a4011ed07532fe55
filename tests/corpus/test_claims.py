"""Small inputs with large claims are compared with the free memory before anything is allocated."""

import gzip
import io
import re
import resource

import numpy as np
import pytest
from scipy import sparse

from topicgrove import HierarchicalLDA, free_memory
from topicgrove.corpus import Corpus, open_store, read_corpus, read_ldac, read_matrix_market, read_uci
from topicgrove.corpus.textfiles import LineReader

BANNER = "%%MatrixMarket matrix coordinate integer general\n"
GIB = 2**30


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(free_memory, "free_memory", lambda: 3.2 * GIB)


@pytest.fixture
def system(tmp_path):
    """Write the files in which the system reports its memory, below a separate folder."""

    def write(**files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path

    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable: 4000 kB\n")
    return write


class TestFreeMemory:
    def test_it_is_what_the_machine_has_available(self, system):
        assert free_memory.free_memory(system()) == 4000 * 1024

    def test_a_system_that_does_not_tell_sets_no_bound(self, tmp_path):
        assert free_memory.free_memory(tmp_path) == np.inf

    @pytest.mark.parametrize(("limit", "free"), [("1000", 1000 - 700 + 100 + 30), ("max", 4000 * 1024)])
    def test_a_control_group_sets_a_limit_but_cached_files_are_free(self, system, limit, free):
        root = system(proc__self__cgroup="0::/jobs/one\n")
        group = root / "sys/fs/cgroup/jobs/one"
        group.mkdir(parents=True)
        (group / "memory.max").write_text(f"{limit}\n")
        (group / "memory.current").write_text("700\n")
        (group / "memory.stat").write_text("anon 570\nactive_file 30\ninactive_file 100\n")
        assert free_memory.free_memory(root) == free

    def test_the_groups_above_and_those_of_version_1_count_too(self, system):
        root = system(proc__self__cgroup="4:memory:/jobs/one\n1:cpu:/\n")
        top = root / "sys/fs/cgroup/memory"
        (top / "jobs/one").mkdir(parents=True)
        for folder, limit in ((top, 2**63), (top / "jobs", 5000), (top / "jobs/one", 9000)):
            (folder / "memory.limit_in_bytes").write_text(str(limit))
            (folder / "memory.usage_in_bytes").write_text("4000")
            (folder / "memory.stat").write_text("inactive_file 7\ntotal_inactive_file 50\n")
        assert free_memory.free_memory(root) == 1050

    def test_the_limit_of_the_address_space_counts(self, system, monkeypatch):
        monkeypatch.setattr(resource, "getrlimit", lambda what: (2**20, 2**20))
        root = system(proc__self__statm="100 50 25 1 0 40 0\n")
        assert free_memory.free_memory(root) == 2**20 - 100 * resource.getpagesize()


@pytest.mark.usefixtures("little_memory")
class TestClaims:
    @pytest.mark.parametrize(
        ("read", "content", "message"),
        [
            (read_uci, "2147483647\n3\n1\n2147483647 1 1\n", ":1: the header says 2,147,483,647 documents"),
            (read_uci, "1\n1\n900000000000\n1 1 1\n", ":3: the header says 900,000,000,000 records"),
            (read_matrix_market, BANNER + "2147483647 3 1\n1 1 1\n", ":2: the header says 2,147,483,647 documents"),
            (
                read_matrix_market,
                BANNER + "% by hand\n1 3 900000000000\n1 1 1\n",
                ":3: the header says 900,000,000,000",
            ),
            (read_ldac, "1 0:16777216\n" * 100, ": 1,677,721,600 tokens, which take 7.8 GiB; 3.2 GiB are free"),
        ],
    )
    def test_a_file_that_claims_more_than_is_free_is_refused(self, write, read, content, message):
        path = write(content)
        with pytest.raises(ValueError, match=re.escape(f"{path}{message}")):
            read(path)

    def test_the_message_says_what_is_needed_and_what_is_free(self, write):
        with pytest.raises(ValueError, match=r"documents, which take 48\.0 GiB; 3\.2 GiB are free$"):
            read_uci(write("2147483647\n3\n1\n2147483647 1 1\n"))

    @pytest.mark.parametrize("kind", [sparse.csc_array, sparse.coo_array, sparse.dok_array, sparse.dia_array])
    def test_a_sparse_matrix_with_more_rows_than_fit_is_refused(self, kind):
        with pytest.raises(ValueError, match=r"^X has 2,147,483,647 rows, which take 48\.0 GiB"):
            Corpus.from_matrix(kind((2**31 - 1, 1), dtype=int))

    def test_counts_with_more_tokens_than_fit_are_refused(self):
        with pytest.raises(ValueError, match=r"^X: 3,355,443,200 tokens, which take 15\.6 GiB"):
            Corpus.from_matrix(np.full((200, 1), 2**24))

    def test_gensim_counts_with_more_tokens_than_fit_are_refused(self):
        with pytest.raises(ValueError, match=r"^the gensim corpus: 3,355,443,200 tokens"):
            Corpus.from_gensim([[(0, 2**24)]] * 200)

    @pytest.mark.parametrize("stored", [False, True])
    def test_more_words_than_can_be_trained_on_are_refused(self, tmp_path, stored):
        corpus = Corpus.from_documents([[0, 1]], n_words=2**31 - 1)
        if stored:
            corpus.save(tmp_path / "store")
            corpus = open_store(tmp_path / "store")
        with pytest.raises(ValueError, match=r"^X has 2,147,483,647 words.* take 256\.0 GiB; 3\.2 GiB are free"):
            HierarchicalLDA(n_iter=1).fit(corpus)


@pytest.mark.parametrize("name", ["docword.x.txt", "x.ldac", "x.mtx"])
def test_a_count_beyond_any_document_is_refused_naming_the_line(write, name):
    content = {"docword.x.txt": "1\n1\n1\n1 1 {}\n", "x.ldac": "1 0:{}\n", "x.mtx": BANNER + "1 1 1\n1 1 {}\n"}[name]
    line = content.count("\n")
    path = write(content.format(2**31 - 1), name)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}:{line}: count 2147483647 is not from 1 to 16777216"):
        read_corpus(path)


def test_a_count_beyond_any_document_is_refused_before_it_is_spelled_out():
    with pytest.raises(ValueError, match=r"X has the count 1000000000 in row 1; .* from 0 to 16777216"):
        Corpus.from_matrix(sparse.csr_array([[1], [10**9]]))


def test_a_line_of_ldac_with_too_many_tokens_is_named(write):
    path = write("1 0:1\n2 0:16777216 1:1\n")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}:2: the document has 16777217 tokens"):
        read_ldac(path)


def test_reading_stops_when_memory_is_used_up(write, monkeypatch):
    monkeypatch.setattr("topicgrove.corpus.textfiles.free_memory", lambda: 2**20)
    path = write(gzip.compress(b"old tree\n" * 2**20), "texts.txt.gz")
    with pytest.raises(OSError, match=r"too large for the memory that is free, after line \d+") as caught:
        read_corpus(path)
    assert caught.value.filename == str(path)


def test_many_short_lines_are_read_without_copying_the_rest_each_time():
    n_lines, n_copies = 10_000, 0
    lines = LineReader(io.BytesIO(b"%\n" * n_lines), "x.mtx", 2**30)
    pending = lines._pending
    for _ in range(n_lines):
        assert lines.read_line() == b"%"
        n_copies += lines._pending is not pending
        pending = lines._pending
    assert n_copies == 1


def test_a_hundred_thousand_empty_documents_are_read_and_trained_on(write):
    path = write(b"old tree\nnew tree\n" + b"\n" * 100_000 + b"old leaf\n")
    corpus = read_corpus(path, stop_words=None, min_df=1, max_df=1.0)
    assert (corpus.n_docs, corpus.n_tokens) == (100_003, 6)
    with pytest.warns(UserWarning, match="100000 of 100003 documents are empty"):
        model = HierarchicalLDA(n_levels=3, n_iter=1, random_state=0).fit(corpus)
    assert model.infer(corpus.take(slice(0, 1000))).empty.sum() == 998
