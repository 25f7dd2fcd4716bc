"""The explorer in a real browser: clicks, marginals equal to the library's, fading edges, and nothing fetched."""

import json
import random
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

import ldag
from ldag import LDAG, Network
from tests.oracle.networks import BifNetwork

NASTY = "<script>alert(1)</script>"


def alarm() -> Network:
    """Return the alarm network, estimated from a sample of it."""
    bif = BifNetwork("alarm")
    graph = LDAG.from_edges([(p, c) for c in bif.states for p in bif.parents[c]], states=bif.states)
    columns = {n: np.array(bif.states[n], dtype=object)[codes] for n, codes in bif.sample(500, 1).items()}
    return Network.from_data(graph, ldag.read(columns, states=bif.states))


def with_zeros() -> Network:
    """Return a network that rules states out, so that some clicks are impossible."""
    graph = LDAG.from_edges(
        [("a", "c"), ("b", "c"), ("c", "d")],
        states={"a": [0, 1, 2], "b": ["x", "y"], "c": [0, 1], "d": [0, 1, 2]},
        labels={("b", "c"): [{"a": 0}]},
    )
    table = [[1.0, 0.0], [0.0, 1.0], [0.3, 0.7], [0.5, 0.5], [0.2, 0.8]][
        : graph.structure.families[2].partition.n_classes
    ]
    return Network.from_parameters(
        graph, {"a": [0.2, 0.3, 0.5], "b": [0.0, 1.0], "c": table, "d": [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]}
    )


def heart() -> Network:
    """Return the network of the heart data."""
    return Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))


def several() -> ldag.Mixture:
    """Return networks that differ, of which two are the same."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, 200), rng.integers(0, 2, 200)
    data = ldag.read({"a": a, "b": b, "c": np.where(rng.random(200) < 0.6, a, 2 * b), "d": (a + b) % 3})
    members = ldag.average(data, 5, equivalent_sample_size=3).members
    return ldag.Mixture([*members, members[0]], [0.3, 0.1, 0.1, 0.2, 0.1, 0.2])


def logged(browser: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """Return what the browser logged since it was last asked."""
    return list(cast("Any", browser).get_log(kind))


def open_page(browser: webdriver.Chrome, network: Network | ldag.Mixture, folder: Path) -> None:
    """Write the explorer of a network, and open it from its file."""
    path = folder / "explorer.html"
    ldag.explore(network, path)
    browser.get("about:blank")
    browser.get(path.as_uri())


def shown(browser: webdriver.Chrome) -> list[list[float]]:
    """Return the marginals that the page shows."""
    read = "return [...document.querySelectorAll('button.state')].map(b => [+b.dataset.node, +b.dataset.p])"
    found: dict[int, list[float]] = {}
    for node, p in browser.execute_script(read):
        found.setdefault(int(node), []).append(float("nan") if p is None else p)
    return [found[node] for node in sorted(found)]


def click(browser: webdriver.Chrome, node: int, state: int, shift: bool = False) -> None:
    """Click a state, by the page's own handler."""
    event = f"new MouseEvent('click', {{bubbles: true, shiftKey: {json.dumps(shift)}}})"
    where = f"button.state[data-node='{node}'][data-state='{state}']"
    browser.execute_script(f'document.querySelector("{where}").dispatchEvent({event})')


def type_in(browser: webdriver.Chrome, text: str) -> None:
    """Search for a text."""
    script = "const box = document.getElementById('search'); box.value = arguments[0];"
    browser.execute_script(f"{script} box.dispatchEvent(new Event('input'))", text)


@pytest.mark.parametrize(("make", "n_clicks"), [(heart, 60), (alarm, 60), (with_zeros, 60), (several, 60)])
def test_marginals_after_random_clicks_equal_the_library(
    browser: webdriver.Chrome, tmp_path: Path, make: object, n_clicks: int
) -> None:
    """Observing and setting states in any order gives the library's marginals to ten digits."""
    network: Network | ldag.Mixture = make()  # type: ignore[operator]
    open_page(browser, network, tmp_path)
    rng = random.Random(7)
    names = [variable.name for variable in network.variables]
    findings: dict[int, tuple[int, bool]] = {}
    for _ in range(n_clicks):
        node = rng.randrange(len(names))
        state, shift = rng.randrange(network.variables[node].n_states), rng.random() < 0.3
        click(browser, node, state, shift)
        if findings.get(node) == (state, shift):
            del findings[node]
        else:
            findings[node] = state, shift
        given = {names[n]: network.variables[n].states[s] for n, (s, is_set) in findings.items() if not is_set}
        do = {names[n]: network.variables[n].states[s] for n, (s, is_set) in findings.items() if is_set}
        try:
            expected = network.marginals(given, do=do)
        except ldag.errors.ImpossibleEvidence:
            assert "impossible" in browser.execute_script("return document.getElementById('probability').textContent")
            browser.execute_script("document.getElementById('reset').click()")
            findings.clear()
            continue
        found = shown(browser)
        for n, name in enumerate(names):
            if name in expected:
                assert found[n] == pytest.approx(list(expected[name].values()), abs=1e-10), (name, given, do)
        if len(findings) > 6:
            browser.execute_script("document.getElementById('reset').click()")
            findings.clear()
    assert [entry for entry in logged(browser, "browser") if entry["level"] == "SEVERE"] == []


def test_edges_fade_where_labels_say_so(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """For a spy the edge from gender fades and its label lights up; undo brings both back."""
    open_page(browser, ldag.simulate.guard(), tmp_path)
    gone = "return [...document.querySelectorAll('#graph .edge.gone')].map(e => e.dataset.parent + e.dataset.child)"
    lit = "return document.querySelectorAll('#graph .label.lit').length"
    assert browser.execute_script(gone) == []
    click(browser, 0, 2)
    assert browser.execute_script(gone) == ["12"]
    assert browser.execute_script(lit) == 1
    assert browser.execute_script("return location.hash") == "#o0=2"
    browser.execute_script("document.getElementById('undo').click()")
    assert browser.execute_script(gone) == []
    click(browser, 0, 0)
    assert browser.execute_script(gone) == []
    click(browser, 2, 1, shift=True)
    assert sorted(browser.execute_script(gone)) == ["02", "12"]


def test_nothing_is_fetched_and_names_stay_text(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """A variable called like a script is shown, not run; the page asks the network for nothing."""
    graph = LDAG.from_edges([(NASTY, "b")], states={NASTY: ["</script>", '"'], "b": [0, 1]})
    network = Network.from_parameters(graph, {NASTY: [0.5, 0.5], "b": [[0.1, 0.9], [0.8, 0.2]]})
    logged(browser, "performance")
    open_page(browser, network, tmp_path)
    assert browser.execute_script("return document.querySelector('#v0 h3').textContent") == NASTY
    assert (
        browser.execute_script("return document.querySelectorAll('button.state .name')[0].textContent") == "</script>"
    )
    asked = [json.loads(entry["message"])["message"] for entry in logged(browser, "performance")]
    urls = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
    assert all(url.startswith(("file:", "data:", "about:")) for url in urls)
    assert [entry for entry in logged(browser, "browser") if entry["level"] == "SEVERE"] == []


def test_search_pin_and_shared_addresses(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """Variables are found by name, marginals are pinned, and an address brings its findings along."""
    open_page(browser, heart(), tmp_path)
    type_in(browser, "press")
    assert (
        browser.execute_script("return [...document.querySelectorAll('.variable')].filter(v => !v.hidden).length") == 1
    )
    browser.execute_script("document.getElementById('pin').click()")
    assert "compared with: nothing observed" in browser.execute_script(
        "return document.getElementById('pinned').textContent"
    )
    type_in(browser, "no such name")
    assert browser.execute_script("return document.getElementById('nothing').hidden") is False
    assert browser.execute_script("return document.querySelectorAll('#graph .node.far').length") == 6
    type_in(browser, "")
    browser.execute_script("location.hash = '#o0=1&d3=0'")
    browser.execute_async_script("setTimeout(arguments[0], 200)")
    assert "smoking = yes, set pressure = <140" in browser.execute_script(
        "return document.getElementById('findings').textContent"
    )


def test_clicks_are_quick(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """The page says how long its last evaluation took; it is a number."""
    open_page(browser, alarm(), tmp_path)
    click(browser, 3, 0)
    assert browser.execute_script("return window.explorer.milliseconds") >= 0


def test_pinned_numbers_are_compared_and_modes_are_chosen(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """The change from the pinned number stands beside the new one; "sets" makes plain clicks interventions."""
    network = heart()
    open_page(browser, network, tmp_path)
    browser.execute_script("document.getElementById('pin').click(); document.getElementById('set').click()")
    click(browser, 0, 1)
    assert browser.execute_script("return location.hash") == "#d0=1"
    before, after = network.query("pressure")[">140"], network.query("pressure", do={"smoking": "yes"})[">140"]
    text = browser.execute_script("return document.querySelectorAll('#v3 .number')[1].textContent")
    assert text == f"\u2212{100 * (before - after):.1f}\u2002{100 * after:.1f} %"


def test_keys_search_undo_and_open_a_node(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """A slash goes to the search, Enter opens the first match, Escape clears it; Ctrl+Z takes a click back."""
    open_page(browser, heart(), tmp_path)
    page = browser.find_element("tag name", "body")
    page.send_keys("/")
    search = browser.switch_to.active_element
    assert search.get_attribute("id") == "search"
    search.send_keys("prot", Keys.ENTER)
    assert browser.execute_script("return document.querySelectorAll('#graph .node.focused').length") == 1
    search.send_keys(Keys.ESCAPE)
    assert browser.execute_script("return [...document.querySelectorAll('.variable')].every(v => !v.hidden)")
    state = browser.find_element("css selector", "#v3 button.state")
    state.send_keys(Keys.ENTER)
    assert browser.execute_script("return location.hash") == "#o3=0"
    state.send_keys(Keys.CONTROL, "z")
    assert browser.execute_script("return location.hash") == ""


def with_trees() -> Network:
    """Return a network with trees: branches of several states, one class in two leaves, a question that comes again."""
    states: dict[str, Any] = {
        "a": [0, 1, 2],
        "b": [0, 1, 2, 3],
        "c": [0, 1],
        "d": [0, 1],
        "e": ["no", "yes"],
        "f": [0, 1],
    }
    inner = {"b": {(0, 1): {"c": {0: 0, 1: 1}}, (2, 3): {"d": {0: 0, 1: {"b": {2: 2, 3: {"c": {0: 0, 1: 1}}}}}}}}
    trees: dict[str, Any] = {
        "e": {"a": {0: inner, (1, 2): {"c": {0: {"a": {1: 3, 2: 4}}, 1: 1}}}},
        "f": {"e": {"no": {"a": {(0, 2): 0, 1: 1}}, "yes": {"d": {0: 2, 1: 0}}}},
    }
    edges = [*((parent, "e") for parent in "abcd"), ("e", "f"), ("a", "f"), ("d", "f")]
    graph = LDAG.from_edges(edges, states=states, trees=trees)
    rng = np.random.default_rng(1)
    return Network.from_data(graph, ldag.read({n: rng.choice(s, 400).astype(type(s[0])) for n, s in states.items()}))


def test_edges_to_trees_fade_where_context_graphs_say_so(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """After every two observations, the arrows gone are those that the context graph of the library lacks."""
    network = with_trees()
    open_page(browser, network, tmp_path)
    graph = network.ldag
    nodes = range(len(graph.variables))
    pairs = [(i, s, j, t) for i in nodes for j in nodes for s in (0, 1) for t in (0, -1) if i < j]
    read = "return [...document.querySelectorAll('#graph .edge.gone')].map(e => [+e.dataset.parent, +e.dataset.child])"
    for i, s, j, t in pairs:
        browser.execute_script("document.getElementById('reset').click()")
        click(browser, i, s)
        click(browser, j, t % graph.variables[j].n_states)
        known = {i: s, j: t % graph.variables[j].n_states}
        gone = {
            (parent, child)
            for child, family in enumerate(graph.structure.families)
            for axis, parent in enumerate(family.parents)
            if vanishes_by_cells(graph, child, axis, known)
        }
        assert {tuple(edge) for edge in browser.execute_script(read)} == gone, known


def vanishes_by_cells(graph: LDAG, child: int, axis: int, known: dict[int, int]) -> bool:
    """Tell by all configurations whether an edge vanishes where others are known."""
    family = graph.structure.families[child]
    cube = family.partition.to_array().reshape(family.partition.grid.n_states)
    where = tuple(
        slice(None) if p not in known or place == axis else slice(known[p], known[p] + 1)
        for place, p in enumerate(family.parents)
    )
    part = np.moveaxis(cube[where], axis, 0)
    return bool((part == part[:1]).all())


def test_the_tree_of_a_variable_is_written(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """Opened, it has a line per branch; what is observed is not asked about any more."""
    open_page(browser, with_trees(), tmp_path)
    browser.execute_script("document.querySelector('#v5 .tree').open = true")
    browser.execute_async_script("setTimeout(arguments[0], 100)")
    read = "return document.querySelector('#v5 .tree pre').textContent"
    lines = browser.execute_script(read).split("\n")
    assert [line.split(":")[0] for line in lines[1:]] == [
        "e = no",
        "  a = 0 or 2",
        "  a = 1",
        "e = yes",
        "  d = 0",
        "  d = 1",
    ]
    assert lines[2].split(":")[1] == lines[6].split(":")[1]  # one class
    click(browser, 4, 1)
    assert [line.split(":")[0] for line in browser.execute_script(read).split("\n")[1:]] == ["d = 0", "d = 1"]
