"""Folders of our own: gone with their owner, or with the next process if that was killed."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ldag.data import Scratch

CODE = "import sys, ldag.data; s = ldag.data.Scratch(); print(s.folder, flush=True); sys.stdin.read()"


def start_owner(folder: Path) -> tuple["subprocess.Popen[str]", Path]:
    """Start a process that has a folder, and return both."""
    env = {**os.environ, "TMPDIR": str(folder)}
    owner = subprocess.Popen(
        [sys.executable, "-c", CODE], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    return owner, Path(owner.stdout.readline().strip())


def test_a_folder_lives_as_long_as_its_owner() -> None:
    """It is there, and then it is not."""
    scratch = Scratch()
    folder = scratch.folder
    (folder / "x").write_text("x")
    del scratch
    gc.collect()
    assert not folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="locks of files are not taken from the dead")
def test_what_a_killed_process_left_goes_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a process that lives stays."""
    killed, left = start_owner(tmp_path)
    alive, used = start_owner(tmp_path)
    strange = tmp_path / "ldag-strange"
    strange.mkdir()
    assert left.parent == used.parent == tmp_path
    killed.kill()
    killed.communicate()
    assert left.exists()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    scratch = Scratch()
    assert sorted(tmp_path.iterdir()) == sorted([used, scratch.folder, strange])
    alive.communicate("")
    assert not used.exists()
