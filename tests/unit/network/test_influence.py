"""What moves an answer: findings, and parameters."""

import json
from math import log

import pytest

from ldag import LDAG, Network, Variable
from ldag.errors import ArgumentError
from ldag.network import Findings
from tests.oracle.circuits import posteriors


def rain() -> Network:
    """Sprinkler and rain make grass wet; three states of rain."""
    states = {"rain": ["no", "some", "much"], "sprinkler": ["off", "on"], "wet": ["no", "yes"]}
    graph = LDAG.from_edges([("rain", "wet"), ("sprinkler", "wet"), ("rain", "sprinkler")], states=states)
    wet = [[1.0, 0.0], [0.1, 0.9], [0.3, 0.7], [0.05, 0.95], [0.1, 0.9], [0.0, 1.0]]
    return Network.from_parameters(
        graph, {"rain": [[0.6, 0.3, 0.1]], "sprinkler": [[0.5, 0.5], [0.8, 0.2], [0.99, 0.01]], "wet": wet}
    )


def test_an_explanation_orders_findings_by_what_they_change() -> None:
    """The numbers are those of the queries that it stands for."""
    net = rain()
    given = {"wet": "yes", "sprinkler": "on"}
    told = net.explain("rain", given)
    assert told.state == max(told.after, key=lambda state: told.after[state])
    assert told.before == pytest.approx(net.query("rain"))
    assert told.after == pytest.approx(net.query("rain", given))
    for finding in told.findings:
        others = {name: state for name, state in given.items() if name != finding.variable}
        assert finding.without == pytest.approx(net.query("rain", others))
        assert finding.alone == pytest.approx(net.query("rain", {finding.variable: given[finding.variable]}))
        assert finding.change == pytest.approx(told.after[told.state] - finding.without[told.state])
    sizes = [abs(finding.change) for finding in told.findings]
    assert sizes == sorted(sizes, reverse=True)
    assert str(told).startswith("rain is no: probability 0.6000 before,")
    assert json.loads(json.dumps(told.to_dict()))["findings"][0]["variable"] == told.findings[0].variable


def test_an_explanation_takes_sets_and_a_state() -> None:
    """And says so in words."""
    told = rain().explain("wet", {"rain": {"some", "much"}}, state="yes")
    assert told.state == "yes"
    assert told.findings[0].spelled == "rain is some or much"
    with pytest.raises(ArgumentError, match="nothing to explain without findings"):
        rain().explain("wet", {})


def test_sensitivity_is_the_derivative() -> None:
    """As by small steps of each parameter, the others of its row making room in proportion."""
    net = rain()
    event, given = {"rain": "much"}, {"wet": "yes"}
    found = net.sensitivity(event, given, n=100)
    assert len(found) == 3 + 6 + 12
    step = 1e-6
    tables = {name: [list(row) for row in net.parameters(name)] for name in ("rain", "sprinkler", "wet")}
    base = net.probability(event, given)
    for one in found:
        place = next(v.states.index(one.state) for v in net.variables if v.name == one.variable)
        sign = -1 if one.value > 0.5 else 1
        row = tables[one.variable][one.number]
        changed = [p * (1 - one.value - sign * step) / (1 - one.value) if one.value < 1 else step for p in row]
        changed[place] = one.value + sign * step
        if one.value == 1 and len(row) > 2:
            continue
        other = dict(tables) | {one.variable: [*tables[one.variable]]}
        other[one.variable][one.number] = changed
        moved = Network.from_parameters(net.ldag, other).probability(event, given)
        assert one.derivative == pytest.approx(sign * (moved - base) / step, abs=1e-4), str(one)
    assert abs(found[0].derivative) >= abs(found[-1].derivative)
    assert str(found[0]).startswith("P(")


def test_a_circuit_record_can_be_evaluated_elsewhere() -> None:
    """Posteriors from the plain lists, gate by gate, with hard findings and likelihoods."""
    net = rain()
    record = json.loads(json.dumps(net.compile().to_dict()))["circuit"]
    questions: list[tuple[Findings, dict[int, list[float]]]] = [
        ({}, {}),
        ({"wet": "yes"}, {2: [0.0, 1.0]}),
        ({"wet": "yes", "rain": {"no": 0.5, "much": 1.0}}, {2: [0.0, 1.0], 0: [0.5, 0.0, 1.0]}),
    ]
    for given, weights in questions:
        _, found = posteriors(record, weights)
        for expected, distribution in zip(net.marginals(given).values(), found, strict=True):
            assert distribution == pytest.approx(list(expected.values()), abs=1e-12)


@pytest.mark.parametrize("start", [[0.8, 0.2], [0.7, 0.2, 0.1], [0.7, 0.1, 0.1, 0.1]])
def test_most_probable_states_count_likelihoods_once(start: list[float]) -> None:
    """Asked for the first time, after compiling, and whenever a circuit is made for many questions."""
    states = list(range(len(start)))
    net = Network.from_parameters(LDAG.from_edges([], states={"a": states}), {"a": start})
    finding: Findings = {"a": {0: 1, **dict.fromkeys(states[1:], 3)}}  # times 9 another state would be likelier
    assert [net.most_probable(finding)["a"] for _ in range(60)] == [0] * 60
    net.compile()
    assert net.most_probable(finding) == net.most_probable(finding, of="a") == {"a": 0}


def test_setting_variables_has_no_probability() -> None:
    """Only what is found has one: nothing is certain, and P(wet | do(sprinkler)) is a sum over rain."""
    net = rain()
    for _ in range(2):
        assert net.log_probability({}, do={"rain": "no"}) == 0.0
        assert net.log_probability({}, do={"rain": "some", "sprinkler": "on"}) == 0.0
        wet = net.log_probability({"wet": "yes"}, do={"sprinkler": "on"})
        assert wet == pytest.approx(log(0.6 * 0.9 + 0.3 * 0.95 + 0.1 * 1.0))
        for done in ([], [0], [1], [0, 1]):
            net.asking.engine(done).compile()


def test_most_probable_states_of_some_variables() -> None:
    """The others are summed out; what was asked wrongly before is told."""
    net = rain()
    joint = net.query(["rain", "sprinkler"], {"wet": "yes"})
    best = net.most_probable({"wet": "yes"}, of=["rain", "sprinkler"])
    assert tuple(best.values()) == max(joint, key=lambda states: joint[states])
    with pytest.raises(ArgumentError, match=r"given: expected findings .*; the variables to explain are named by of="):
        net.most_probable(["wet"])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="'wet' is a target and has its state given"):
        net.most_probable({"wet": "yes"}, of=["wet"])


@pytest.mark.parametrize(
    ("finding", "message"),
    [
        (set(), "'rain' is one of no states"),
        ({"no": -1.0}, "the likelihood of 'rain' = 'no' is not a number >= 0"),
        ({"no": 0.0}, "the likelihoods of 'rain' are all zero"),
        ({"none": 1.0}, "none"),
        (["no", "lots"], "lots"),
    ],
)
def test_findings_that_make_no_sense(finding: object, message: str) -> None:
    """Are refused, and named."""
    with pytest.raises(Exception, match=message):
        rain().query("wet", {"rain": finding})  # type: ignore[dict-item]


@pytest.mark.parametrize("finding", [{35: 1.0, 38: 3.0}, {"30 to 50": 1.0, 38: 3.0}])
def test_likelihoods_of_one_bin_are_given_once(finding: dict[object, float]) -> None:
    """Two measurements may lie in one bin: which of their likelihoods holds cannot be known."""
    age = Variable.of_bins("age", [30, 50])
    net = Network.from_parameters(LDAG.from_edges([], states={"age": age}), {"age": [0.2, 0.5, 0.3]})
    bin_ = age.states[1]
    named = {(bin_ if state == "30 to 50" else state): weight for state, weight in finding.items()}
    with pytest.raises(ArgumentError, match=r"and 38 are one state of 'age', '.*30.*50.*'; give it one likelihood"):
        net.query("age", {"age": named})  # type: ignore[dict-item]
    assert net.query("age", {"age": {35: 1.0, 55: 1.0}}) == pytest.approx(
        dict(zip(age.states, [0, 0.625, 0.375], strict=True))
    )
