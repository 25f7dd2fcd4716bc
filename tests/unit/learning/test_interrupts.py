"""Ctrl-C, as a person at a terminal meets it: each in a process of its own."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interrupts import bound

WORK = """
import os, signal, threading, time, warnings
import numpy as np
import ldag

rng = np.random.default_rng(0)
codes = rng.integers(0, 3, (16, 1000))
for node in range(2, 16):
    codes[node] = np.where(rng.random(1000) < 0.6, (codes[node - 1] + codes[node - 2]) % (2 + node % 3), codes[node])
data = ldag.read({f"v{node}": codes[node] for node in range(16)})
learn, cross_validate = ldag.learn, ldag.cross_validate  # loaded before the clock runs
"""
INTERRUPT = """
threading.Timer(0.2, lambda: (print(time.perf_counter(), flush=True), os.kill(os.getpid(), signal.SIGINT))).start()
warnings.showwarning = lambda message, *_: print(message)
try:
    print("stopped", {call}.stopped)
except KeyboardInterrupt:
    print("KeyboardInterrupt")
print(time.perf_counter())
"""
LONG = {
    "exact": 'ldag.learn(data, kappa=0.3, method="exact", equivalent_sample_size=1)',
    "chain": 'ldag.learn(data, kappa=0.3, method="chain", n_chains=10_000, n_iter=1_000_000, equivalent_sample_size=1)',
    "climb": 'ldag.learn(data, kappa=0.3, method="climb", n_restarts=10_000_000, equivalent_sample_size=1)',
}


def run(code: str) -> list[str]:
    """Run a program and return its lines."""
    command = [sys.executable, "-c", WORK + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, preexec_fn=bound)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("method", LONG)
def test_a_search_returns_its_best_so_far(method: str) -> None:
    """At once, with a warning."""
    sent, warning, said, returned = run(INTERRUPT.replace("{call}", LONG[method]))
    assert warning == "the search was interrupted; this is the best graph it had found"
    assert said == "stopped True"
    assert float(returned) - float(sent) < 5


def test_the_warning_says_how_to_go_on(tmp_path: Path) -> None:
    """With a checkpoint, the rest can be had later."""
    path = tmp_path / "run"
    call = LONG["chain"].replace("data, ", f"data, checkpoint={str(path)!r}, ")
    _, warning, *_ = run(INTERRUPT.replace("{call}", call))
    assert warning.endswith(f"it had found; run it again to go on from {path}")
    assert "on the way" in path.read_text()


def test_cross_validation_is_given_up() -> None:
    """Half a comparison chooses nothing; all its searches end."""
    sent, said, returned = run(INTERRUPT.replace("{call}", 'ldag.cross_validate(data, method="exact")'))
    assert said == "KeyboardInterrupt"
    assert float(returned) - float(sent) < 5


def shown(code: str) -> str:
    """Run a program on a terminal, and return what it shows there."""
    pid, terminal = pty.fork()
    if pid == 0:
        bound()
        os.execv(sys.executable, [sys.executable, "-c", WORK + code])
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the program has ended
            break
        if not piece:
            break
        pieces.append(piece)
    assert os.waitpid(pid, 0)[1] == 0
    os.close(terminal)
    return b"".join(pieces).decode()


def test_a_terminal_shows_how_far_it_is() -> None:
    """Part done, time left, best score and acceptance; the line is gone in the end."""
    text = shown(LONG["chain"].replace(")", ", time_limit=0.6)"))
    last = text.split("\r\x1b[K")[-2]
    assert re.fullmatch(r"chain, \d+ %, [\d.]+ (s|min|h) left, best score -\d+\.\d\d, \d+ % accepted", last)
    assert text.endswith("\r\x1b[K")


def test_a_terminal_shows_the_folds() -> None:
    """No score there, as none is known."""
    code = 'ldag.cross_validate(data.select(["v1", "v2", "v3", "v4"]), kappas=[0.1, 0.5], method="climb", n_restarts=2)'
    lines = shown(code).split("\r\x1b[K")
    assert lines[-2] == "cross-validation, 100 %, 0 s left"
    assert re.fullmatch(r"cross-validation, \d+ %", lines[1])
