"""Checkpoints: whatever ends a run, the same call goes on from the file and gives the same answer."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag import Constraints, CrossValidation, Dataset, Fit, LdagError, _native, datasets
from ldag.learning import checkpoint
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.searches import contract, exact

HEART = datasets.load("heart")
TITANIC = datasets.load("titanic")
RUNS: dict[str, Callable[..., Fit | CrossValidation]] = {
    "exact": lambda **more: ldag.learn(TITANIC, kappa=0.3, method="exact", equivalent_sample_size=1, **more),
    "chain": lambda **more: ldag.learn(
        TITANIC, kappa=0.3, method="chain", n_chains=3, n_iter=8, rng=4, equivalent_sample_size=1, **more
    ),
    "climb": lambda **more: ldag.learn(
        TITANIC, kappa=0.3, method="climb", n_restarts=6, rng=4, equivalent_sample_size=1, **more
    ),
    "folds": lambda **more: ldag.cross_validate(
        TITANIC, kappas=[0.1, 0.5], n_folds=3, method="climb", equivalent_sample_size=1, **more
    ),
    "cv": lambda **more: ldag.learn(
        TITANIC, kappa="cv", method="climb", n_restarts=3, rng=1, equivalent_sample_size=1, **more
    ),
}


class Halt(Exception):
    """Ends a run from outside."""


def answer(found: Fit | CrossValidation) -> object:
    """What must not depend on interruptions."""
    if isinstance(found, CrossValidation):
        return found
    return found.ldag, found.score, found.trace, found.n_steps, found.n_accepted, found.cv, found.stopped


@pytest.fixture
def every_part_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save without waiting, and without waiting for the disk."""
    monkeypatch.setattr(contract, "STATE_EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "SAVE_EVERY", 0.0)
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.usefixtures("every_part_saved")
def test_resumed_is_uninterrupted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended after the first save, then after two more, then three more, and so on until the end."""
    path = tmp_path / "run.json"
    whole = answer(RUNS[name]())
    save = Checkpoint.save
    left = 0

    def limited(self: Checkpoint) -> None:
        nonlocal left
        save(self)
        left -= 1
        if left == 0:
            raise Halt

    monkeypatch.setattr(Checkpoint, "save", limited)
    for attempt in range(1, 100):
        left = attempt
        try:
            found = answer(RUNS[name](checkpoint=path, n_jobs=1 + attempt % 2))
            break
        except Halt:
            assert json.loads(path.read_text())["format"] == "ldag checkpoint"
    assert found == whole
    assert attempt > 2
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("name", RUNS)
def test_a_finished_run_is_not_run_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is kept, and holds the answer."""
    first = RUNS[name](checkpoint=tmp_path / "run")
    for search in ("search_exact", "search_chain", "search_climb"):
        monkeypatch.delattr(_native, search)
    assert answer(RUNS[name](checkpoint=str(tmp_path / "run"))) == answer(first)


def test_a_time_limit_is_gone_on_from(tmp_path: Path) -> None:
    """Stopped by the time limit again and again: the answer without limit; limit and threads are no settings."""
    path = tmp_path / "run"

    def run(**more: object) -> Fit:
        return ldag.learn(
            HEART,
            kappa=0.1,
            method="chain",
            n_chains=30,
            n_iter=200_000,
            rng=1,
            equivalent_sample_size=1,
            **more,  # type: ignore[arg-type]
        )

    parts = [run(checkpoint=path, time_limit=0.01, n_jobs=1)]
    assert parts[0].stopped
    while parts[-1].stopped:
        parts.append(run(checkpoint=path, time_limit=0.01, n_jobs=1 + len(parts) % 2))
        assert parts[-1].n_steps >= parts[-2].n_steps
    assert answer(parts[-1]) == answer(run())


def test_folds_cut_short_are_not_final(tmp_path: Path) -> None:
    """What a time limit made of a fold is used, but not kept."""
    path = tmp_path / "run"

    def run(**more: object) -> CrossValidation:
        return ldag.cross_validate(
            HEART,
            kappas=[0.1],
            n_folds=2,
            method="climb",
            n_restarts=400,
            equivalent_sample_size=1,
            **more,  # type: ignore[arg-type]
        )

    run(checkpoint=path, time_limit=1e-9)
    assert run(checkpoint=path) == run()


def test_order_of_rows_and_columns_is_no_difference(tmp_path: Path) -> None:
    """Data are told apart by what they hold."""
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 3, 50) for name in "bca"}
    first = ldag.learn(ldag.read(columns), kappa=0.5, checkpoint=tmp_path / "run", equivalent_sample_size=1)
    order = rng.permutation(50)
    shuffled = ldag.read({name: columns[name][order] for name in "abc"})
    again = ldag.learn(shuffled, kappa=0.5, checkpoint=tmp_path / "run", equivalent_sample_size=1)
    assert again.ldag == first.ldag


def test_auto_stays_with_its_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is slower today does not change the method of a run."""
    first = ldag.learn(TITANIC, kappa=0.5, checkpoint=tmp_path / "run", equivalent_sample_size=1)
    monkeypatch.setattr(exact, "EXACT_SECONDS", 0.0)
    monkeypatch.setattr(exact, "PROOF_SECONDS", 0.0)
    assert ldag.learn(TITANIC, kappa=0.5, equivalent_sample_size=1).method == "climb"
    assert (
        ldag.learn(TITANIC, kappa=0.5, checkpoint=tmp_path / "run", equivalent_sample_size=1).method
        == first.method
        == "exact"
    )


def learn(data: Dataset = TITANIC, **other: object) -> Callable[[Path], object]:
    """Return a run that differs in something."""
    given: Mapping[str, object] = {"kappa": 0.5, "method": "climb", "equivalent_sample_size": 1.0, **other}
    return lambda path: ldag.learn(data, checkpoint=path, **given)  # type: ignore[arg-type]


OTHERS: list[tuple[Callable[[Path], object], str]] = [
    (learn(kappa=0.25, equivalent_sample_size=1), "kappa was 0.5 and is 0.25; give another file, or delete this one"),
    (learn(kappa="cv"), "kappa was 0.5 and is 'cv'"),
    (learn(method="exact"), "method was 'climb' and is 'exact'"),
    (
        learn(n_restarts=5, rng=3),
        "n_restarts was None and is 5; rng was 0 and is 3",
    ),
    (learn(structure="tree"), "structure was 'ldag' and is 'tree'"),
    (learn(label_search="refined"), "label_search was 'greedy' and is 'refined'"),
    (learn(max_parents=1), "max_parents was None and is 1"),
    (learn(equivalent_sample_size=2), "equivalent_sample_size was 1.0 and is 2.0"),
    (learn(prior="parameters"), "prior was 'labels' and is 'parameters'"),
    (
        learn(constraints=Constraints(forbidden=[("age", "sex")])),
        "another run: the constraints are others;",
    ),
    (
        learn(
            start=ldag.LDAG.from_edges([], states={v.name: v.states for v in TITANIC.variables}),
        ),
        "the start is anoth",
    ),
    (learn(HEART), "the data are others"),
    (learn(TITANIC.select(["class", "sex", "age"])), "the data are others"),
    (lambda path: ldag.cross_validate(TITANIC, checkpoint=path, equivalent_sample_size=1), "kappas was None and is"),
]


@pytest.mark.parametrize(("attempt", "message"), OTHERS, ids=[message[:40] for _, message in OTHERS])
def test_another_run_is_refused(attempt: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    """The error says what differs, and the file stays."""
    path = tmp_path / "run"
    learn()(path)
    before = path.read_bytes()
    with pytest.raises(LdagError) as caught:
        attempt(path)
    assert message in str(caught.value)
    assert path.read_bytes() == before


def _damage(change: Callable[[dict[str, object]], object]) -> Callable[[str], str]:
    """Return a change of a file's content."""

    def damaged(text: str) -> str:
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    return damaged


FILES: list[tuple[Callable[[str], str], str]] = [
    (lambda _: "", "expected a checkpoint of ldag, got something else; it is left as it is"),
    (lambda text: text[: len(text) // 2], "got something else"),
    (lambda _: "a -> b", "got something else"),
    (lambda _: "[1]", "got something else"),
    (lambda _: "[" * 100_000, "got something else"),
    (_damage(lambda c: c.update(version=2)), "expected a checkpoint of version 1, got version 2"),
    (_damage(lambda c: c.pop("checksum")), "the checkpoint is damaged; delete it to start afresh"),
    (_damage(lambda c: c.update(parts=[])), "the checkpoint is damaged"),
    (lambda text: text.replace("climb", "chain"), "the checkpoint is damaged"),
]


@pytest.mark.parametrize(("change", "message"), FILES)
def test_what_is_no_checkpoint_is_left_alone(change: Callable[[str], str], message: str, tmp_path: Path) -> None:
    """One clear error, and the file stays as it is."""
    path = tmp_path / "run"
    learn()(path)
    path.write_text(content := change(path.read_text()))
    with pytest.raises(LdagError, match=message):
        learn()(path)
    assert path.read_text() == content


def test_forged_parts_are_refused(tmp_path: Path) -> None:
    """Even with a good checksum, a state must make sense."""
    path = tmp_path / "run"
    learn()(path)
    content = json.loads(path.read_text())
    for part in ([1, [[99]], None], [1, [[0], [], [], []], [[[0], [], [], []], 0.0, [], True, 0, 0]]):
        made = Checkpoint(path, content["run"], {"method": "climb", "kappa 0.5, on the way": part})
        made.save()
        with pytest.raises(LdagError, match="the checkpoint is damaged"):
            learn()(path)


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    """Found before the work starts."""
    with pytest.raises(LdagError, match="cannot be written"):
        learn()(tmp_path / "nowhere" / "run")
    with pytest.raises(LdagError, match="got a directory"):
        learn()(tmp_path)
    with pytest.raises(LdagError, match="checkpoint must be the path of a file, got 3"):
        ldag.learn(TITANIC, checkpoint=3, kappa="cv", equivalent_sample_size=1)  # type: ignore[arg-type]


KILLED = """
import os, random, signal, sys, time
import numpy as np
import ldag
from ldag.learning import checkpoint
from ldag.learning.searches import contract, exact

contract.STATE_EVERY = checkpoint.SAVE_EVERY = 0.01
rng = np.random.default_rng(0)
codes = rng.integers(0, 3, (9, 400))
for node in range(2, 9):
    codes[node] = np.where(rng.random(400) < 0.6, (codes[node - 1] + codes[node - 2]) % (2 + node % 3), codes[node])
data = ldag.read({f"v{node}": codes[node] % (2 + node % 3) for node in range(9)})
fixed = {"equivalent_sample_size": 1}
RUNS = {
    "exact": lambda **more: ldag.learn(data, kappa=0.3, method="exact", **fixed, **more),
    "chain": lambda **more: ldag.learn(data, kappa=0.3, method="chain", n_chains=20, n_iter=20_000, **fixed, **more),
    "climb": lambda **more: ldag.learn(data, kappa=0.3, method="climb", n_restarts=4_000, **fixed, **more),
    "folds": lambda **more: ldag.cross_validate(data, kappas=[0.1, 0.5], n_folds=5, n_jobs=1,
                                                method="climb", n_restarts=200, **fixed, **more),
}
moments = random.Random(7)
for name, run in RUNS.items():
    path = os.path.join(sys.argv[1], name)
    sizes = []
    for _ in range(5):
        child = os.fork()
        if child == 0:
            run(checkpoint=path)
            os._exit(0)
        time.sleep(moments.uniform(0.0, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sizes.append(os.path.getsize(path) if os.path.exists(path) else 0)
    found, whole = run(checkpoint=path), run()
    if name == "folds":
        assert found == whole
    else:
        assert (found.ldag, found.score, found.trace, found.n_steps) == (
            whole.ldag, whole.score, whole.trace, whole.n_steps)
    print(name, sizes)
"""


def test_kill_at_any_moment(tmp_path: Path) -> None:
    """Twenty runs that end without warning: the file is whole each time, and the last run finds the answer."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[::6] == ["exact", "chain", "climb", "folds"]
