"""What every command owes to shells: one line when something is wrong, quiet ends, exit codes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from ldag.cli.main import COMMANDS, cli
from tests.command import PROGRAM, execute
from tests.interrupts import bound


def run_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell does."""
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn"], "error: Missing argument 'DATA'; expected ldag learn DATA; see ldag learn --help"),
        (["lern"], "error: no command 'lern'; did you mean 'learn'?"),
        (["show", "guard", "--jsn"], "error: No such option"),
        (["sample", "guard", "--rng", "x"], "error: "),
        (["sample", "guard", "many"], "error: "),
    ],
)
def test_usage_errors_are_one_line(arguments: list[str], message: str) -> None:
    """What was wrong and where to look it up, on standard error, with exit code 2."""
    done = execute(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.rstrip("\n").endswith("--help")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        ("--help", {"numpy", "ldag.model"}),
        ("show guard", {"ldag.learning", "duckdb"}),
        ("query golden/files/guard-network-v1.json badge", {"ldag.learning", "ldag.uncertainty", "logging"}),
        ("query golden/files/guard-network-v1.json badge", {"ldag.data.reading", "ldag.drawing.marks", "narwhals"}),
    ],
)
def test_a_command_loads_what_it_needs(arguments: str, spared: set[str]) -> None:
    """Help and completion are there at once, and commands that only look at graphs do not wait for learning."""
    code = "import atexit, sys, ldag.__main__ as ldag; atexit.register(lambda: print(*sys.modules)); ldag.main()"
    arguments = arguments.replace("golden", f"{Path(__file__).parents[1]}/golden")
    done = subprocess.run([sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert "ldag.cli.main" in loaded
    assert not spared & set(loaded)


@pytest.mark.parametrize(("given", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_numpy_starts_no_threads_unless_asked_to(given: dict[str, str], threads: str) -> None:
    """They would only wait, and starting them takes longer than an answer.

    What is garbage is looked for later on, but not in what was loaded.
    """
    end = (
        "atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'], gc.isenabled(), gc.get_freeze_count() > 0))"
    )
    code = f"import atexit, gc, os, sys, ldag.__main__ as ldag; assert 'numpy' not in sys.modules; {end}; ldag.main()"
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", code, "show", "guard"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=others | given)
    assert done.stdout.splitlines()[-1] == f"{threads} True True"


def test_without_a_command_there_is_help() -> None:
    """Not an error message."""
    done = run_process()
    assert "Usage: ldag" in done.stdout + done.stderr
    assert "error:" not in done.stderr


def test_seeds_that_are_too_large_say_so() -> None:
    """The limit is in the message."""
    done = execute("learn", "heart", "--kappa", "0.3", "--equivalent-sample-size", "1", "--rng", str(2**63))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "rng must be below 2^63 = 9,223,372,036,854,775,808" in done.stderr


@pytest.mark.parametrize("arguments", ["show generator10", "--help", "datasets", "show generator10 --json"])
def test_output_that_nobody_reads_to_the_end_is_no_error(arguments: str) -> None:
    """`| head -0` or `| true`: quiet, exit code 0."""
    command = f"{{ sleep 0.2; {PROGRAM} {arguments}; echo $? >&3; }} 3>&2 | true"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == "0\n"


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 2, "error: not enough memory; try fewer parents, rows or threads\n"),
        (MemoryError("std::bad_alloc"), 2, "error: not enough memory; try fewer"),
        (MemoryError("unable to allocate 4 GiB"), 2, "error: not enough memory: unable to allocate 4 GiB; try fewer"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (OSError("no space left"), 2, "error: no space left\n"),
    ],
)
def test_what_goes_wrong_inside_is_one_line(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No traceback, whatever it is."""

    def fail() -> None:
        raise error

    monkeypatch.setitem(cli.commands, "fail", click.Command("fail", callback=fail))
    done = execute("fail")
    assert done.returncode == code
    assert done.stderr.lstrip("\n").startswith(message)
    assert len(done.stderr.strip().splitlines()) == 1


def test_memory_that_is_not_there(tmp_path: Path) -> None:
    """Rows that need 4 GB, drawn with less: the native code is refused memory, and the command says so in one line."""
    network, rows = tmp_path / "heart.json", tmp_path / "rows.csv"
    assert (
        execute("learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "-o", str(network)).returncode == 0
    )
    done = subprocess.run(
        [PROGRAM, "sample", str(network), "-n", "700000000", "-o", str(rows)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=bound,
    )
    assert done.returncode == 2
    assert done.stderr == "error: not enough memory; try fewer parents, rows or threads\n"
    assert not rows.exists()


def test_ctrl_c_while_loading_is_quiet(tmp_path: Path) -> None:
    """Ctrl-C in the first fraction of a second, here in the middle of loading numpy."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise KeyboardInterrupt\n")
    done = run_process("show", "guard", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")


def test_help_teaches_by_example_and_lists_every_command() -> None:
    """`ldag --help` shows a way through, how to complete names, and each command in one group."""
    text = execute("--help").stdout
    assert "ldag learn survey.csv -o model.json" in text
    assert "_LDAG_COMPLETE=bash_source" in text
    for name in COMMANDS:
        assert len(re.findall(rf"^  {name} ", text, flags=re.MULTILINE)) == 1


def test_help_lists_what_people_use_and_help_all_the_rest() -> None:
    """A dozen options of learning come first; all are in the longer help, and the shorter one counts the others."""
    short, long = execute("learn", "--help").stdout, execute("learn", "--help-all").stdout
    listed, every = (re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE) for text in (short, long))
    common = "output lags kappa max-parents tiers require forbid rng time-limit counts groups columns bins missing json"
    assert set(listed) == {f"--{name}" for name in [*common.split(), "help-all", "help"]}
    assert f"Show {len(every) - len(listed)} more options" in short
    assert {"--structure", "--encoding", "--unlabelled", "--checkpoint"} <= set(every)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_a_help(name: str) -> None:
    """No option can be taken that neither help lists."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    has_all = any("--help-all" in param.opts for param in command.params)
    text = execute(name, "--help-all" if has_all else "--help").stdout
    for param in command.params:
        if isinstance(param, click.Option):
            assert max(param.opts, key=len) in text


def test_commands_of_specialists_come_last() -> None:
    """Whoever reads the list from the top meets tables and learning first."""
    text = execute("--help").stdout
    assert re.findall(r"^  ([a-z]+) ", text.partition("Tables:")[2], flags=re.MULTILINE)[-3:] == [
        "certify",
        "scores",
        "reproduce",
    ]


def test_words_of_python_stay_out_of_the_shell() -> None:
    """A dependence points to an option, not to an attribute."""
    text = execute("implies", "guard", "gender", "badge", "--context", "person=worker").stdout
    assert "--json" in text
    assert ".witness" not in text
