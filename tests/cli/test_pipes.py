"""``-`` wherever a command reads or writes a file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldag.cli.main import cli
from ldag.cli.pipes import File, ModelSource, TableSource, TableTarget, Target, ending_of
from tests.command import execute_bytes


def pipe(content: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command with a standard input."""
    return execute_bytes(*arguments, content=content)


def test_a_model_goes_through_pipes() -> None:
    """Learned, asked and drawn without a file; what `learn` says goes to standard error."""
    learned = pipe(b"", "learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "-o", "-")
    assert json.loads(learned.stdout)["format"] == "ldag-network"
    assert b"LDAG learned from" in learned.stderr
    asked = pipe(learned.stdout, "query", "-", "pressure", "--given", "smoking=yes")
    assert b"0.3907" in asked.stdout
    drawn = pipe(learned.stdout, "plot", "-", "-o", "-")
    assert drawn.stdout.startswith(b"<svg")
    assert drawn.stderr == b""
    page = pipe(learned.stdout, "explore", "-", "-o", "-")
    assert page.stdout.lower().startswith(b"<!doctype html>")


def test_a_table_goes_through_pipes() -> None:
    """A table or a model is told apart by how it begins."""
    table = pipe(b"", "count", "titanic", "-o", "-").stdout
    report = pipe(table, "report", "-", "--counts", "count", "--kappa", "0.1", "--no-posterior", "-o", "-")
    assert report.stdout.lower().startswith(b"<!doctype html>")
    tiers = pipe(
        b"class, sex, age\nsurvived\n",
        "learn",
        "titanic",
        "--kappa",
        "0.1",
        "--equivalent-sample-size",
        "1",
        "--tiers",
        "-",
    )
    assert b"class -> survived" in tiers.stdout


@pytest.mark.parametrize("form", ["ldag", "json", "dot"])
def test_graphs_are_told_by_how_they_begin(form: str) -> None:
    """A pipe has no ending."""
    text = pipe(b"", "convert", "guard", "-", "--to", form).stdout
    assert ending_of(text) == f".{form}"
    assert pipe(text, "equivalent", "-", "guard").returncode == 0


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (b"{ bad", ["show", "-"], b"error: standard input: line 1"),
        (b"", ["compare", "-", "-"], b"error: FIRST and SECOND are both '-'"),
        (b"", ["fit", "-", "-"], b"error: GRAPH and DATA are both '-'"),
        (b"", ["query", "-", "x"], b"error: standard input: "),
    ],
)
def test_errors_speak_of_the_standard_input(content: bytes, arguments: list[str], message: bytes) -> None:
    """Not of the file that it was kept in."""
    done = pipe(content, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert b"/ldag-pipes" not in done.stderr


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    """A pipe gets a whole result or none."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    done = pipe(b"", "learn", str(tmp_path / "t.csv"), "--kappa", "7", "-o", "-")
    assert (done.returncode, done.stdout) == (2, b"")


def test_every_file_of_every_command_may_be_a_pipe() -> None:
    """Arguments and options named after files have one of the types that know ``-``."""
    files = {"data", "graph", "network", "rows", "first", "second", "files", "output", "tiers", "constraint_file"}
    context = cli.make_context("ldag", [], resilient_parsing=True)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if parameter.name in files and name != "reproduce":  # which writes a folder
                assert isinstance(parameter.type, File), (name, parameter.name)
    assert {kind.__base__ for kind in (ModelSource, TableSource, TableTarget, Target)} == {File}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_nothing_is_left_of_a_command_that_is_ended(tmp_path: Path) -> None:
    """The folder in which what comes through a pipe is kept goes when the command is asked to end."""
    command = Path(sys.executable).with_name("ldag")
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen(
        [command, "describe", "-"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdin is not None
    running.stdin.write(b"a,b\n" + b"x,y\n" * 500_000)
    running.stdin.flush()
    end = time.monotonic() + 20
    while not list(tmp_path.glob("ldag-*/piped")) and time.monotonic() < end:
        time.sleep(0.01)
    assert list(tmp_path.iterdir())
    running.send_signal(signal.SIGTERM)
    _, told = running.communicate()
    assert (running.returncode, told.strip()) == (130, b"interrupted")
    assert not list(tmp_path.iterdir())
