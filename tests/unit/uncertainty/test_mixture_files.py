"""Files of what was grown: networks and mixtures come back as they were, and damaged ones are errors."""

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag import LdagError

N_DAMAGED = int(os.environ.get("LDAG_FUZZ", "400"))


def rows() -> dict[str, list[str]]:
    """Return columns of 2 and 3 states that hang together in some contexts."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    c = np.where((b == 0) & (rng.random(300) < 0.9), a, rng.integers(0, 3, 300))
    d = np.where((c == 1) & (rng.random(300) < 0.9), b, rng.integers(0, 2, 300))
    return {name: column.astype(str).tolist() for name, column in zip("abcd", (a, b, c, d), strict=True)}


@pytest.fixture(name="network", scope="module")
def make_network() -> ldag.Network:
    """Return a network with trees of several questions."""
    network = ldag.learn(rows(), method="grow", equivalent_sample_size=1.0, kappa=0.5, smoothing=(4, "nested")).network
    assert max(network.ldag.partition(name).n_classes for name in "abcd") > 3
    return network


@pytest.fixture(name="mixture", scope="module")
def make_mixture() -> ldag.Mixture:
    """Return some such networks."""
    return ldag.average(rows(), 4, method="grow", equivalent_sample_size=1.0, kappa=0.5)


ESTIMATES: list[dict[str, Any]] = [
    {},
    {"spread": "classes"},
    {"spread": "nested", "equivalent_sample_size": 4.0},
    {"estimate": "averaged", "kappa": 0.1},
]


@pytest.mark.parametrize("given", ESTIMATES, ids=str)
def test_networks_come_back(network: ldag.Network, given: dict[str, Any], tmp_path: Path) -> None:
    """Trees, parameters to the last bit, and how these were estimated: more rows do the same to both."""
    net = ldag.Network.from_data(network.ldag, rows(), **given)
    net.save(tmp_path / "net.json")
    again = ldag.Network.load(tmp_path / "net.json")
    assert again == net
    assert again.to_json() == net.to_json()
    assert [str(again.ldag.as_tree(name)) for name in "abcd"] == [str(net.ldag.as_tree(name)) for name in "abcd"]
    assert again.update(rows()) == net.update(rows())


def test_mixtures_come_back(mixture: ldag.Mixture, tmp_path: Path) -> None:
    """Every member, and what they answer."""
    mixture.save(tmp_path / "mix.json")
    again = ldag.Mixture.load(tmp_path / "mix.json")
    assert list(again.members) == list(mixture.members)
    assert again.log_likelihood(rows()) == pytest.approx(mixture.log_likelihood(rows()), abs=1e-12)
    assert '"targets"' in (tmp_path / "mix.json").read_text()


def damage(value: Any, rng: random.Random) -> Any:
    """Change one thing somewhere in plain values."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        if rng.random() < 0.1:
            return {other: own for other, own in value.items() if other != name}
        return {**value, name: damage(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        place = rng.randrange(len(value))
        kind = rng.random()
        if kind < 0.1:
            return value[:place]
        if kind < 0.2:
            return [*value[: place + 1], *value[place:]]
        return [*value[:place], damage(value[place], rng), *value[place + 1 :]]
    if isinstance(value, str) and " " in value and rng.random() < 0.9:
        words = value.split(" ")
        words[rng.randrange(len(words))] = rng.choice(["-1", "0", "1", "7", "99", "x", "1.5", "-2", "", "1e400", "nan"])
        return " ".join(words)
    odd: list[Any] = [
        None,
        -1,
        0,
        1,
        2,
        7,
        99,
        1e9,
        2**40,
        "",
        "a",
        "1 2",
        "-1 0",
        [],
        {},
        [[]],
        [0, 1],
        True,
        "nested",
        "averaged",
    ]
    return rng.choice(odd)


@pytest.mark.parametrize("kind", ["network", "mixture"])
def test_damage_is_never_a_crash(kind: str, network: ldag.Network, mixture: ldag.Mixture, tmp_path: Path) -> None:
    """One error, or something that can be used and written again."""
    path, rng = tmp_path / "document.json", random.Random(7)
    (network if kind == "network" else mixture).save(path)
    content = json.loads(path.read_text())
    n_read = n_refused = 0
    load = ldag.Network.load if kind == "network" else ldag.Mixture.load
    for _ in range(N_DAMAGED):
        changed = damage(content, rng)
        path.write_text(json.dumps(changed))
        try:
            model = load(path)
            model.log_likelihood(rows())
            model.save(path)
            n_read += 1
        except LdagError:
            n_refused += 1
    assert n_refused > N_DAMAGED / 10
    assert n_read
