"""The command `ldag` in the process of the tests: what a shell sees of it, without a second of loading per command.

Whatever depends on a process of its own (signals, broken pipes, what is loaded first) is tested with `PROGRAM`.
"""

import io
import os
import signal
import subprocess
import sys
import warnings
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from ldag.cli.main import main

PROGRAM = Path(sys.executable).with_name("ldag")


def execute_bytes(*arguments: str, content: bytes = b"", together: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run a command on a standard input; with `together`, what it says on standard error is in its output."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    err = out if together else io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    code: object = 0
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", ["ldag", *arguments]))
        stack.enter_context(mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content)))))
        stack.enter_context(mock.patch.dict(os.environ, COLUMNS="80"))
        stack.enter_context(warnings.catch_warnings(action="default", category=UserWarning))  # told, as in a process
        stack.callback(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(["ldag", *arguments], code, _written(out), b"" if together else _written(err))


def execute(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command; its output and its errors are texts."""
    done = execute_bytes(*arguments)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def run(*arguments: str, code: int = 0) -> str:
    """Run a command and return what it prints, or says is wrong: errors are texts on standard error, no tracebacks."""
    done = execute(*arguments)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()
