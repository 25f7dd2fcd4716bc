"""Random dynamic networks and histories with gaps, and the table of everything that tests compare with."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ldag

CLOSE = 1e-10
"""How close answers are to those of the table of everything."""

Place = tuple[int, str]
"""A step and a variable; a static one has step 0."""


def draw_parameters(graph: ldag.LDAG, rng: np.random.Generator, zeros: float) -> ldag.Network:
    """Give a graph random parameters, some of them zero."""
    parameters = {}
    for variable in graph.variables:
        rows = rng.dirichlet(np.ones(variable.n_states), graph.partition(variable.name).n_classes)
        rows = rows * (rng.random(rows.shape) >= zeros)
        rows[rows.sum(axis=1) == 0, 0] = 1.0
        parameters[variable.name] = list(rows / rows.sum(axis=1, keepdims=True))
    return ldag.Network.from_parameters(graph, parameters)


def draw_graph(
    states: dict[str, list[str]], above: dict[str, list[str]], rng: np.random.Generator, most: int = 3
) -> ldag.LDAG:
    """Draw a graph in which parents come from given ones, with labels on some edges."""
    edges, labels = [], {}
    for child, names in above.items():
        parents = [name for name in names if rng.random() < 0.6][:most]
        edges += [(parent, child) for parent in parents]
        for parent in parents if len(parents) > 1 else []:
            others = [name for name in parents if name != parent]
            entries = [dict(zip(others, own, strict=True)) for own in product(*(states[name] for name in others))]
            labels[parent, child] = [entry for entry in entries if rng.random() < 0.3]
    return ldag.LDAG.from_edges(edges, states=states, labels=labels)


def draw_dynamic(seed: int, lags: int, n_states: list[int], n_static: int, zeros: float = 0.15) -> ldag.DynamicNetwork:
    """Draw a dynamic network over s1, s2, ... that are static and a, b, ... that change."""
    rng = np.random.default_rng(seed)
    static = [f"s{i}" for i in range(1, n_static + 1)]
    changing = [chr(ord("a") + i) for i in range(len(n_states) - n_static)]
    own = dict(zip([*static, *changing], ([f"{v}" for v in range(n)] for n in n_states), strict=True))
    first_names = [changing] if lags == 1 else [[f"{x}@{step}" for x in changing] for step in range(lags)]
    flat = [*static, *(name for one in first_names for name in one)]
    states = {name: own[name.split("@")[0]] for name in flat}
    order = [int(place) for place in rng.permutation(len(flat))] if lags == 1 else [*range(len(flat))]
    named = {name: [flat[i] for i in range(place)] for place, name in enumerate(flat)}
    first = draw_graph({flat[place]: states[flat[place]] for place in order}, named, rng)
    before = [f"{x}@-{lag}" for lag in range(lags, 0, -1) for x in changing]
    shuffled = [[*static, *before, *changing][int(i)] for i in rng.permutation(n_static + len(before) + len(changing))]
    above = {x: [*rng.permutation([*static, *before, *changing[:place]])] for place, x in enumerate(changing)}
    transition = draw_graph({name: own[name.split("@")[0]] for name in shuffled}, above, rng)
    return ldag.DynamicNetwork.from_networks(
        draw_parameters(first, rng, zeros), draw_parameters(transition, rng, zeros), groups="who", time="when"
    )


def joint_table(dynamic: ldag.DynamicNetwork, n_steps: int) -> tuple[list[Place], NDArray[np.float64]]:
    """Return the probability of everything over so many steps, an axis for each place, from full tables."""
    places: list[Place] = [(0, name) for name in dynamic.static]
    places += [(step, name) for step in range(n_steps) for name in dynamic.changing]
    n_states = {variable.name: variable.n_states for variable in dynamic.variables}
    joint = np.ones([n_states[name] for _, name in places])

    def place_of(name: str, now: int) -> Place:
        own, _, lag = name.partition("@")
        if own in dynamic.static:
            return 0, own
        return (int(lag) if now < dynamic.lags else now + int(lag), own) if lag else (now, own)

    for step in range(n_steps):
        begins = step < dynamic.lags
        net = dynamic.first if begins else dynamic.transition
        for variable in net.variables:
            place = place_of(variable.name, step)
            if not begins and ("@" in variable.name or place[1] in dynamic.static):
                continue
            if begins and (place[1] not in dynamic.static or step) and (place[1] in dynamic.static or place[0] != step):
                continue
            table = net.cpt(variable.name)
            axes = [places.index(place_of(v.name, step)) for v in table.variables]
            values = np.asarray(table.values).transpose(np.argsort(axes))
            joint = joint * values.reshape([n if i in axes else 1 for i, n in enumerate(joint.shape)])
    return places, joint


def draw_history(
    dynamic: ldag.DynamicNetwork, seed: int, n_steps: int, gaps: float, latent: tuple[str, ...] = ()
) -> dict[str, list[Any]]:
    """Draw a history that is possible, with gaps; latent variables have no column."""
    rng = np.random.default_rng(seed)
    drawn = dynamic.sample(1, length=n_steps, rng=seed)
    codes = zip(drawn.variables, drawn.codes.tolist(), strict=True)
    columns = {v.name: [v.states[code] for code in own] for v, own in codes if v.name not in latent}
    return {name: [None if rng.random() < gaps else value for value in values] for name, values in columns.items()}


def condition(
    joint: NDArray[np.float64],
    places: list[Place],
    dynamic: ldag.DynamicNetwork,
    history: dict[str, list[Any]],
    until: int,
) -> NDArray[np.float64]:
    """Return the table with everything that the history rules out, up to a step, set to zero."""
    states = {variable.name: [*variable.states] for variable in dynamic.variables}
    result = joint.copy()
    for name, cells in history.items():
        for step, cell in enumerate(cells[: until + 1]):
            if cell is not None:
                axis = places.index((0 if name in dynamic.static else step, name))
                keep = np.zeros(result.shape[axis])
                keep[states[name].index(cell)] = 1.0
                result = result * keep.reshape([-1 if i == axis else 1 for i in range(result.ndim)])
    return result


def margin(table: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the distribution of one axis."""
    own = table.sum(axis=tuple(i for i in range(table.ndim) if i != axis))
    return np.asarray(own / own.sum())


class Case:
    """A random dynamic network of two to four states, a history of it with gaps, and the table of everything."""

    def __init__(self, seed: int) -> None:
        """Draw it."""
        rng = np.random.default_rng(seed)
        lags, n_static = int(rng.integers(1, 3)), int(rng.integers(0, 3))
        n_changing = int(rng.integers(1, 4 if lags == 1 else 3))
        self.n_steps = 4 if n_changing < 3 and n_static < 2 else 3
        largest = 4 if n_changing == 1 else 3
        n_states = [int(n) for n in rng.integers(2, largest + 1, n_static + n_changing)]
        self.net = draw_dynamic(seed, lags, n_states, n_static)
        latent = ("a",) if n_changing > 1 and rng.random() < 0.4 else ()
        self.history = draw_history(self.net, seed + 1, self.n_steps, 0.4, latent)
        self.places, self.joint = joint_table(self.net, self.n_steps)

    def seen(self, until: int) -> NDArray[np.float64]:
        """Return the table with what the history shows up to a step."""
        return condition(self.joint, self.places, self.net, self.history, until)

    def expected(self, table: NDArray[np.float64], step: int) -> dict[str, list[float]]:
        """Return the distribution of every variable at a step."""
        places = {v.name: (0 if v.name in self.net.static else step, v.name) for v in self.net.variables}
        return {name: margin(table, self.places.index(place)).tolist() for name, place in places.items()}

    def place(self, codes: dict[Place, Any]) -> tuple[int, ...]:
        """Return where in the table states are."""
        states = {variable.name: variable.states for variable in self.net.variables}
        return tuple(states[place[1]].index(codes[place]) for place in self.places)


def draw_hmm(n_states: int, n_seen: int, seed: int) -> ldag.DynamicNetwork:
    """Draw a hidden Markov model: a latent state, and a sign that depends on it."""
    rng = np.random.default_rng(seed)
    states, signs = [f"q{i}" for i in range(n_states)], [f"v{i}" for i in range(n_seen)]
    first = ldag.LDAG.from_edges([("state", "sign")], states={"state": states, "sign": signs})
    transition = ldag.LDAG.from_edges(
        [("state@-1", "state"), ("state", "sign")],
        states={"state@-1": states, "sign@-1": signs, "state": states, "sign": signs},
    )
    begins, follows = (draw_parameters(graph, rng, 0.0) for graph in (first, transition))
    shown = {"sign": list(map(list, follows.parameters("sign")))}
    begins = ldag.Network.from_parameters(first, {"state": [*begins.parameters("state")[0]], **shown})
    return ldag.DynamicNetwork.from_networks(begins, follows)
