import json

import pytest

import topicgrove


@pytest.fixture
def config(tmp_path):
    def write(content):
        path = tmp_path / "run.toml"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_options_come_from_a_file_and_the_command_line_wins(command, config, texts, tmp_path):
    path = config(
        """
        levels = 3
        iterations = 50
        min-docs = 2
        min_df = 2
        gamma = [1e-5, 1e-6]
        stop_words = ["news", "year"]
        lowercase = false
        refine = true
        json = true
        quiet = true
        """
    )
    done = command("fit", texts, "-o", tmp_path / "m.grove", "--config", path, "--iterations", 3, "--no-refine")
    assert json.loads(done.out)["iterations"] == 3
    assert done.err == ""
    saved = topicgrove.load(tmp_path / "m.grove")
    assert (saved.n_levels, saved.n_iter, saved.min_docs, saved.refine) == (3, 3, 2, False)
    assert saved.gamma == [1e-5, 1e-6]
    assert (saved.rules_.min_df, saved.rules_.lowercase, saved.rules_.stop_words) == (2, False, ("news", "year"))


def test_file_may_name_input_and_output(command, config, texts, tmp_path):
    path = config(f'input = "{texts}"\noutput = "{tmp_path}/store"\nmax-features = 7')
    assert command("corpus", "build", "--config", path, "-q").code == 0
    assert topicgrove.open_store(tmp_path / "store").n_words == 7


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("levls = 3", "'levls' is no option of fit"),
        ("help = true", "'help' is no option of fit"),
        ("levels = 'three'", "--levels"),
        ("levels = 1", "--levels"),
        ("seed = 2020-01-01", "run.toml: seed"),
        ("[fit]\nlevels = 3", "'fit' is no option"),
        ("levels = ", "run.toml: no TOML"),
    ],
)
def test_bad_files_exit_2_and_name_the_key(command, config, texts, tmp_path, content, message):
    done = command("fit", texts, "-o", tmp_path / "m.grove", "--config", config(content))
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "m.grove").exists()


def test_missing_file_exits_74(command, texts, tmp_path):
    assert command("fit", texts, "-o", tmp_path / "m.grove", "--config", tmp_path / "none.toml").code == 74
