"""Where things are written: files are replaced, pipes and devices written through, the rest refused."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ldag import LDAG, LdagError, datasets
from ldag.errors import FormatError
from ldag.formats import check_writable, write_atomically


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    """A FIFO stays a FIFO, and whoever reads it gets the file."""
    path = tmp_path / "graph.ldag"
    os.mkfifo(path)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    datasets.graph("guard").save(path)
    reader.join(timeout=10)
    assert LDAG.from_text(got[0].decode()) == datasets.graph("guard")
    assert path.is_fifo()


def test_standard_output_is_written_through(tmp_path: Path) -> None:
    """/dev/stdout is neither replaced nor, where it is a plain file, exchanged under the shell."""
    code = "from pathlib import Path; from ldag.formats import write_atomically as w; w(Path('/dev/stdout'), b'text')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"text"
    target = tmp_path / "out"
    with target.open("wb") as file:
        inode = target.stat().st_ino
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert (target.read_bytes(), target.stat().st_ino) == (b"text", inode)


def test_a_device_is_written_through() -> None:
    """/dev/null takes everything and stays what it is."""
    write_atomically(Path("/dev/null"), b"text")
    assert Path("/dev/null").is_char_device()


def test_neither_socket_nor_dangling_link(tmp_path: Path) -> None:
    """Both are refused and left alone, before and when something is written."""
    (tmp_path / "link.json").symlink_to(tmp_path / "nothing.json")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.json"))
        for name, message in (("link.json", "got a link to nothing"), ("s.json", "got a socket")):
            with pytest.raises(FormatError, match=message):
                datasets.graph("guard").save(tmp_path / name)
            with pytest.raises(FormatError, match=message):
                check_writable(tmp_path / name)
    assert (tmp_path / "link.json").is_symlink()


def test_an_endless_path_is_one_short_error() -> None:
    """The reason is said, and the path is not shown in full."""
    path = "x" * 5000 + ".json"
    for act in (LDAG.load, datasets.graph("guard").save, check_writable):
        with pytest.raises(LdagError, match="too long") as error:
            act(path)
        assert len(str(error.value)) < 300


def test_every_error_names_the_file(tmp_path: Path) -> None:
    """Also where a network might be meant."""
    path = tmp_path / "bad.json"
    path.write_text("{")
    command = "import sys; from ldag.cli.main import main; sys.argv = ['ldag', 'show', sys.argv[1]]; main()"
    done = subprocess.run([sys.executable, "-c", command, str(path)], capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"error: {path}: line 1, column 2: not valid JSON")
    assert done.returncode == 2
