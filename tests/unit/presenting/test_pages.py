"""Reports: what they tell, in HTML and in Markdown, with and without a posterior."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError
from ldag.presenting import pages

HEART = ldag.datasets.load("heart")
FIT = ldag.learn(HEART, kappa="cv", rng=1, equivalent_sample_size=1)


def test_a_report_tells_everything(tmp_path: Path) -> None:
    """Labels as sentences with gains and probabilities, rules with intervals, sureness, prediction, caveats, lines."""
    path = tmp_path / "heart.html"
    ldag.report(FIT, path, title="Heart <disease>")
    text = path.read_text()
    for part in (
        "Heart &lt;disease&gt;",
        "1,841 rows",
        "pressure depends on smoking and protein",
        "does not matter for pressure when",
        "They do not mean that one causes",
        "gain</th>",
        "pressure, by smoking, protein",
        "plain tables",
        "Arrows are not causes",
        "fit.report(&quot;report.html&quot;)",
        'aria-label="What depends on what"',
        'aria-label="How well unseen rows are predicted"',
    ):
        assert part in text, part
    post = ldag.posterior(FIT, max_parents=3)
    probability = float(post.edge("smoking", "pressure")) + float(post.edge("pressure", "smoking"))
    assert f"{100 * probability:.1f} %" in text


def test_markdown_tells_the_same(tmp_path: Path) -> None:
    """Without pictures."""
    path = tmp_path / "heart.md"
    ldag.report(FIT, path, posterior=None)
    text = path.read_text()
    assert text.startswith("# What depends on what, and when")
    assert "This was not computed" in text
    assert "| exception | rows it is about | gain |" in text


def test_no_difference_is_told_without_numbers(tmp_path: Path) -> None:
    """Titanic has no labels at any kappa."""
    fit = ldag.learn(ldag.datasets.load("titanic"), kappa="cv", equivalent_sample_size=1)
    ldag.report(fit, tmp_path / "titanic.md", posterior=None)
    assert (
        "predicted the same with exceptions as without: none was found there." in (tmp_path / "titanic.md").read_text()
    )


def test_networks_need_their_data_for_counts(tmp_path: Path) -> None:
    """A network alone has rules; with its data it has everything but the search."""
    net = ldag.simulate.guard()
    ldag.report(net, tmp_path / "guard.html")
    assert "badge, by person, gender" in (tmp_path / "guard.html").read_text()
    ldag.report(net, tmp_path / "sample.html", data=net.sample(500, rng=1))
    assert "500 rows" in (tmp_path / "sample.html").read_text()


def test_many_parameters_are_warned_of(tmp_path: Path) -> None:
    """Of a variable more than a third of the rows; badge has 4, person 2 and gender 3."""
    net = ldag.simulate.guard()
    for n_rows, warning in (
        (11, "Beware: badge: more numbers had to be estimated than a third of the 11 rows."),
        (12, ""),
    ):
        ldag.report(net, tmp_path / "few.md", data=net.sample(n_rows, rng=1), posterior=None)
        text = (tmp_path / "few.md").read_text()
        assert warning in text
        assert ("Beware" in text) == bool(warning)


def test_many_columns_are_learned_again_instead(tmp_path: Path) -> None:
    """A posterior takes too long beyond 14 variables; a bootstrap tells how often two were connected."""
    columns = {f"x{number}": [(row * (number + 2) // 3) % 2 for row in range(60)] for number in range(15)}
    fit = ldag.learn(ldag.read(columns), kappa=0.1, max_parents=1, equivalent_sample_size=1)
    ldag.report(fit, tmp_path / "many.html")
    assert "learned again 50 times" in (tmp_path / "many.html").read_text()
    boot = ldag.bootstrap(HEART, 5, kappa=0.1, equivalent_sample_size=1)
    ldag.report(FIT, tmp_path / "given.html", posterior=boot)
    assert "learned again 5 times" in (tmp_path / "given.html").read_text()


def test_weak_connections_are_not_stated_as_facts(tmp_path: Path) -> None:
    """What is less than likely "may" be so."""
    net = ldag.simulate.guard()
    fit = ldag.learn(
        net.sample(60, rng=2),
        kappa=0.1,
        constraints=ldag.Constraints(required=[("gender", "badge")]),
        equivalent_sample_size=1,
    )
    ldag.report(fit, tmp_path / "weak.html", posterior=ldag.posterior(fit.data, kappa=0.1))
    text = (tmp_path / "weak.html").read_text()
    assert "uncertain, " in text
    assert " may " in text


def test_constraints_are_listed_and_hold_in_what_is_said_of_arrows(tmp_path: Path) -> None:
    """The report of a fit and of the network it saves: mental -> physical is fixed, mental -> protein is not."""
    given = ldag.Constraints(required=[("mental", "physical")], tiers=[["family"], ["pressure"]])
    fit = ldag.learn(HEART, kappa=0.1, constraints=given, equivalent_sample_size=1)
    fit.network.save(tmp_path / "net.json")
    for source in (fit, ldag.Network.load(tmp_path / "net.json")):
        ldag.report(source, tmp_path / "a.md", posterior=None)
        text = (tmp_path / "a.md").read_text()
        assert "1 of 6 arrows could as well point the other way" in text
        assert "Directions follow from the data and from what was given beforehand" in text
        assert "What was given beforehand" in text
        assert "tier family\ntier pressure\nrequire mental -> physical\n" in text
    ldag.report(ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1), tmp_path / "b.md", posterior=None)
    assert "given beforehand" not in (tmp_path / "b.md").read_text()


def test_mistakes_are_refused(tmp_path: Path) -> None:
    """Other endings, other things, and data that a fit has already."""
    with pytest.raises(
        ArgumentError, match=r"a report is a file that ends in .html or .htm or .md, got the ending '.pdf'"
    ):
        ldag.report(FIT, tmp_path / "heart.pdf")
    with pytest.raises(ArgumentError, match="report takes a Fit, a Network or a Mixture, got LDAG"):
        ldag.report(FIT.ldag, tmp_path / "heart.html")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="a fit has its own data"):
        ldag.report(FIT, tmp_path / "heart.html", data=HEART)


def test_pages_are_methods_too(tmp_path: Path) -> None:
    """Of fits and networks, and the same as the functions."""
    FIT.report(tmp_path / "a.md", title="Heart", posterior=None)
    ldag.report(FIT, tmp_path / "b.md", title="Heart", posterior=None)
    assert (tmp_path / "a.md").read_text() == (tmp_path / "b.md").read_text()
    FIT.network.explore(tmp_path / "a.html")
    ldag.explore(FIT, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


def test_exceptions_with_many_cases_are_said_by_what_they_cover(tmp_path: Path) -> None:
    """A label of many contexts is a short sentence everywhere, by the rows of the data."""
    names = [f"parent {letter}" for letter in "abcd"]
    states = {name: [0, 1, 2] for name in [*names, "child"]}
    contexts = [{names[1]: n % 3, names[2]: n // 3 % 3, names[3]: (n * 2 + n // 3) % 3} for n in range(9)]
    graph = ldag.LDAG.from_edges(
        [(name, "child") for name in names], states=states, labels={(names[0], "child"): contexts}
    )
    data = ldag.read({name: [n // 3**k % 3 for n in range(243)] for k, name in enumerate(states)}, states=states)
    ldag.report(ldag.Network.from_data(graph, data), tmp_path / "many.html", data=data, posterior=None)
    text = (tmp_path / "many.html").read_text()
    said = "parent a does not matter for child in 33 % of the rows, for instance when parent b is "
    assert f"child depends on parent a, parent b, parent c and parent d; but {said}" in text
    assert f"<td>{said}" in text
    assert "more case" not in text


def test_cases_that_no_row_is_in_are_counted_not_listed(tmp_path: Path) -> None:
    """Of 27 cases three have rows; the other 24 are one sentence."""
    states = {name: ["x", "y", "z"] for name in ["a", "b", "c", "child"]}
    graph = ldag.LDAG.from_edges([(name, "child") for name in "abc"], states=states)
    cells = ["x", "y", "z", "z"]
    data = ldag.read(dict.fromkeys(states, cells), states=states)
    ldag.report(ldag.Network.from_data(graph, data), tmp_path / "few.md", data=data, posterior=None)
    text = (tmp_path / "few.md").read_text()
    assert "24 other cases, which no row is in: ldag explain MODEL child lists them." in text
    assert "a is z and b is z and c is z" in text
    assert "a is x and b is y and c is z" not in text


def test_a_large_report_stays_short(tmp_path: Path) -> None:
    """With 20 variables and dozens of labels no table of cases is open, and no sentence counts further cases."""
    graph = ldag.simulate.random_ldag(20, rng=5)
    network = ldag.simulate.random_network(graph, rng=5)
    fit = ldag.learn(
        network.sample(400, rng=5), kappa=0.9, max_parents=4, method="climb", n_restarts=0, equivalent_sample_size=1
    )
    assert len(fit.ldag.labelled_edges) > 12
    fit.report(tmp_path / "large.html", posterior=None)
    text = re.sub(r"(?s)<(style|svg).*?</\1>", " ", (tmp_path / "large.html").read_text())
    visible = re.sub(r"(?s)<details.*?</details>", " ", text)
    assert len(re.sub(r"<[^>]+>", " ", visible).split()) < 1200
    assert "more case" not in text
    assert "…" not in text


def test_a_report_ends_in_time_and_says_what_there_was_no_time_for(tmp_path: Path) -> None:
    """How sure it is takes longest; the rest is there all the same."""
    network = ldag.simulate.random_network(ldag.simulate.random_ldag(20, rng=1), rng=1)
    fit = ldag.learn(network.sample(500, rng=1), kappa=0.1, method="climb", n_restarts=0, equivalent_sample_size=1)
    ldag.report(fit, tmp_path / "report.md", time_limit=1e-6)
    text = (tmp_path / "report.md").read_text()
    assert "It could not be computed: none of 50 searches came to its end before the time was over" in text


def test_limits_of_a_posterior_and_searches_left_out_are_told(tmp_path: Path) -> None:
    """Beside the probabilities: what they are over, and what a search finds beyond."""
    heart = ldag.datasets.load("heart")
    fit = ldag.learn(heart, kappa=0.3, equivalent_sample_size=1)
    ldag.report(fit, tmp_path / "few.md", posterior=ldag.posterior(heart, kappa=0.3, max_parents=1))
    text = (tmp_path / "few.md").read_text()
    assert "Their limits: at most 1 parent of a variable." in text
    assert "what learn finds lies outside these limits" in text
    assert "over all models" not in text
    ldag.report(
        fit,
        tmp_path / "again.md",
        posterior=ldag.bootstrap(heart, 10**6, kappa=0.3, time_limit=0.2, equivalent_sample_size=1),
    )
    assert "of 1,000,000 searches came to their end within the time limit" in (tmp_path / "again.md").read_text()


def test_rows_left_out_are_told_first_and_once(tmp_path: Path) -> None:
    """What became of missing cells stands above what was found; how sure it is does not repeat it."""
    cells: dict[str, list[object]] = {
        "x": ["a", "b", None, "a"] * 30,
        "y": ["u", "v", "v", "u"] * 30,
        "z": ["p", "q", "q", "q"] * 30,
    }
    fit = ldag.learn(ldag.read(cells, missing="drop"), kappa=0.1, equivalent_sample_size=1)
    sure = ldag.bootstrap(fit, 5, rng=1, progress=False)
    fit.report(tmp_path / "gaps.md", posterior=sure)
    text = (tmp_path / "gaps.md").read_text()
    said = "30 of 120 rows left out, which have missing cells (in x)"
    assert text.index(said) < text.index(" go together")
    assert said not in text.partition("How sure is it?")[2].partition("\n## ")[0]
    assert text.count(said) == 2  # above what was found, and among what was done to the table


def test_exceptions_that_a_posterior_does_not_sum_over_have_no_probability(tmp_path: Path) -> None:
    """Columns of 5, 4 and 2 states: 40 cases, in half of which the first does not matter; that is not 0 % probable."""
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(0, n, 4000) for n in (5, 4, 2))
    y = np.where(rng.random(4000) < 0.05, rng.integers(0, 2, 4000), np.where(c == 1, (a + b) % 3 > 0, b > 1))
    fit = ldag.learn({"a": a, "b": b, "c": c, "y": y.astype(int)}, kappa=0.1, equivalent_sample_size=1)
    assert ("a", "y") in fit.graph.labelled_edges
    fit.report(tmp_path / "r.md")
    row = next(line for line in (tmp_path / "r.md").read_text().splitlines() if line.startswith("| a does not matter"))
    assert "| not known: outside the limits below |" in row
    assert " %" not in row.split("|", 3)[3]


def test_searches_that_were_cut_off_are_not_called_plain_tables(tmp_path: Path) -> None:
    """Nothing is known of hidden rows then, and the reason is given."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(15, rng=1), rng=1).sample(3000, rng=1)
    fit = ldag.learn(data, method="exact", time_limit=0.02, n_jobs=1, kappa="cv", equivalent_sample_size=1)
    fit.report(tmp_path / "r.md", posterior=None)
    text = (tmp_path / "r.md").read_text()
    assert "It was not compared with a model that has plain tables. Note: too little time" in text
    assert "The best model has no exceptions" not in text


@pytest.mark.parametrize(
    ("n_columns", "said"),
    [
        (14, "It could not be computed: a posterior"),
        (15, "It could not be computed: 50 searches"),
        (40, "It could not be computed: 50 searches"),
        (41, "With 41 columns this takes longer than a report should"),
    ],
)
def test_how_sure_it_is_is_computed_by_the_number_of_columns(
    n_columns: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A posterior up to 14, a bootstrap up to 40; of a network with data alone, a posterior or nothing."""

    def refuse_posterior(*_: object, **__: object) -> None:
        raise ldag.LdagError("a posterior")

    def refuse_bootstrap(_: object, n: int, **__: object) -> None:
        raise ldag.LdagError(f"{n} searches")

    monkeypatch.setattr(pages, "learn_posterior", refuse_posterior)
    monkeypatch.setattr(pages, "bootstrap", refuse_bootstrap)
    columns = {f"x{number}": [0, 1, 1] for number in range(n_columns)}
    fit = ldag.learn(columns, kappa=0.1, method="climb", n_restarts=0, max_parents=1, equivalent_sample_size=1)
    fit.report(tmp_path / "r.md")
    assert said in (tmp_path / "r.md").read_text()
    fit.network.report(tmp_path / "r.md", data=fit.data)
    assert ("a posterior" in (tmp_path / "r.md").read_text()) == (n_columns == 14)


def test_the_explorer_has_labels_as_signs(tmp_path: Path) -> None:
    """One for each configuration of the other parents; nothing where an edge has no label."""
    ldag.explore(ldag.simulate.guard(), tmp_path / "guard.html")
    text = (tmp_path / "guard.html").read_text()
    model = json.loads(text.partition('id="model">')[2].partition("</script>")[0])
    assert [(edge["parent"], edge["child"], edge["others"], edge["label"]) for edge in model["edges"]] == [
        (0, 1, [], None),
        (0, 2, [1], None),
        (1, 2, [0], "011"),
    ]


def test_several_networks_have_pages_too(tmp_path: Path) -> None:
    """A report of what most of them have, with data of their own, given ones or none; an explorer of all."""
    heart = ldag.datasets.load("heart")
    many = ldag.average(heart, 12, equivalent_sample_size=10, smoothing=10)
    many.report(tmp_path / "own.md")
    own = (tmp_path / "own.md").read_text()
    assert "12 models were learned that differ" in own
    assert many.gain is not None
    assert f"10 such models together predict {many.gain.in_words()}, compared with one" in own
    assert "Which way arrows point says little" in own
    many.save(tmp_path / "many.json")
    loaded = ldag.Mixture.load(tmp_path / "many.json")
    loaded.report(tmp_path / "given.md", data=heart)
    assert (tmp_path / "given.md").read_text() == own
    loaded.report(tmp_path / "none.md")
    without = (tmp_path / "none.md").read_text()
    assert "rows, 63 of them different" not in without
    assert "in brackets" in own
    assert "in brackets" not in without
    many.explore(tmp_path / "many.html")
    page = (tmp_path / "many.html").read_text()
    model = json.loads(page.partition('id="model">')[2].partition("</script>")[0])
    assert len(model["circuits"]) == len(model["weights"]) == len(set(many.members))
    assert sum(model["weights"]) == pytest.approx(1)
    assert len(model["edges"]) == len(many.consensus().edges)
    assert "12 networks answer together" in page


def test_networks_that_are_too_large_together_have_no_probabilities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The products of all count, not those of each."""
    many = ldag.average(ldag.datasets.load("heart"), 12, equivalent_sample_size=10, smoothing=10)
    sizes = [member.compile().size for member in set(many.members)]
    for most, is_there in ((2 * sum(sizes), True), (sum(sizes) // 2, False)):
        monkeypatch.setattr("ldag.presenting.pages.MOST_PRODUCTS", most)
        many.explore(tmp_path / "many.html")
        page = (tmp_path / "many.html").read_text()
        assert ("The networks are too large for a page" in page) is not is_there


def test_a_report_names_latent_variables(tmp_path: Path) -> None:
    """What was not observed is said, and why there is no posterior over what it may be connected with."""
    rng = np.random.default_rng(1)
    cause = rng.random(300) < 0.5
    data = ldag.read({name: np.where(rng.random(300) < 0.8, cause, ~cause).astype(int) for name in "abc"})
    graph = ldag.LDAG.from_text("latent h {0, 1}\nh -> a\nh -> b\nh -> c")
    net = ldag.Network.from_data(graph, data, rng=1, n_restarts=3)
    ldag.report(net, tmp_path / "report.md", data=data)
    text = (tmp_path / "report.md").read_text()
    ldag.report(net, tmp_path / "aligned.md", data=data.aligned_to(net.ldag.schema))
    assert (tmp_path / "aligned.md").read_text() == text
    assert "Not observed: h. Of a latent variable only its effects are seen" in text
    assert "data cannot tell that of the latent variable 'h'; leave it out" in text
    ldag.report(net, tmp_path / "without.md", posterior=None)
    assert "Not observed: h." in (tmp_path / "without.md").read_text()


def test_pages_of_a_network_with_arcs(tmp_path: Path) -> None:
    """A report says what an arc joins, and the explorer has a part of the picture for every variable and edge."""
    half = [[0.5, 0.5], [0.4, 0.6]]
    graph = ldag.LDAG.from_text("x -> y\nx <-> y\nlatent l {0, 1}\nl -> x\nl -> z")
    tables = {"x <-> y": [[0.1, 0.9]], "l": [[0.2, 0.8]], "x": half * 2, "y": half * 2, "z": half}
    net = ldag.Network.from_parameters(graph, tables)
    ldag.report(net, tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    assert "3 columns, 2 latent" in text
    assert "Joined by a cause that nobody observed (a dashed arc): x and y.\n\nNot observed: l." in text
    assert "- y depends on x." in text
    ldag.explore(net, tmp_path / "explorer.html")
    page = (tmp_path / "explorer.html").read_text()
    assert page.count('<g class="node') == len(graph.variables)
    for parent, child in graph.structure.edges:
        assert f'data-parent="{parent}" data-child="{child}"' in page
    content = re.search(r'id="model">(.*?)</script>', page, re.DOTALL)
    assert content is not None
    assert [v["latent"] for v in json.loads(content[1])["variables"]] == [v.latent for v in graph.variables]
