"""`ldag plot`: a picture of a graph, or a chart."""

from dataclasses import dataclass
from typing import TypeAlias

import click

from ldag.cli.arguments import (
    json_option,
    load_any,
    print_json,
    split_contexts,
    split_names,
    split_settings,
    without_arrows,
)
from ldag.cli.pipes import MODEL, Target
from ldag.drawing import PENS, Drawable
from ldag.dynamic import DynamicNetwork
from ldag.errors import ArgumentError
from ldag.graph import LDAG, StratifiedGraph
from ldag.learning import CrossValidation, Trace
from ldag.network import Network
from ldag.uncertainty import Bootstrap, Mixture, Posterior, StrataPosterior

Loaded: TypeAlias = (
    LDAG | StratifiedGraph | Network | Posterior | StrataPosterior | Bootstrap | Mixture | DynamicNetwork
)


@dataclass(frozen=True)
class ChartChoice:
    """Which chart is asked for instead of the graph."""

    rules: str | None
    bars: bool
    curve: bool
    trace: bool

    @property
    def flags(self) -> list[str]:
        """The options that were given."""
        chosen = {"--rules": self.rules is not None, "--bars": self.bars, "--curve": self.curve, "--trace": self.trace}
        return [flag for flag, is_given in chosen.items() if is_given]

    def chart(self, loaded: Loaded, source: str) -> Drawable:
        """Return the chart, or say which file has it."""
        if isinstance(loaded, DynamicNetwork):
            if self.rules is None:
                raise ArgumentError(f"{self.flags[0]} is for networks; of a dynamic one there are --rolled and --rules")
            return loaded.transition.classes(self.rules)
        if self.rules is not None:
            if not isinstance(loaded, Network):
                raise ArgumentError(f"--rules shows probabilities, and {source} has none; give a network")
            return loaded.classes(self.rules)
        if self.bars:
            if isinstance(loaded, Posterior | Bootstrap | Mixture):
                return loaded.edges
            if isinstance(loaded, Network):
                return loaded.marginals()
            if isinstance(loaded, StrataPosterior):
                raise ArgumentError(f"--bars shows arrows, and {source} is about graphs without; ldag show lists edges")
            raise ArgumentError(
                f"--bars shows probabilities, and {source} has none; give a network, or what ldag posterior -o,"
                " ldag bootstrap -o or ldag average -o wrote"
            )
        return self._search(loaded, source)

    def _search(self, loaded: Loaded, source: str) -> Drawable:
        """Return the curve of kappas or the trace that a learned network keeps."""
        part = "cross_validation" if self.curve else "trace"
        origin = (loaded.origin if isinstance(loaded, Network) else None) or {}
        kept = origin.get(part)
        if not kept:
            made = " --kappa cv" if self.curve else ""
            raise ArgumentError(
                f"{self.flags[0]}: {source} keeps no {part.replace('_', '-')}; ldag learn{made} -o model.json writes it"
            )
        try:  # what a file holds shows when it is read
            return CrossValidation.from_dict(kept) if self.curve else Trace.of(kept)  # type: ignore[arg-type]  # as said
        except (KeyError, TypeError, ValueError):
            raise ArgumentError(
                f"{self.flags[0]}: what {source} keeps of its {part.replace('_', '-')} is damaged"
            ) from None


def _graph_of(loaded: Loaded) -> LDAG:
    """Return the graph that is drawn."""
    if isinstance(loaded, Posterior | Bootstrap | Mixture):
        return loaded.consensus()
    if isinstance(loaded, StrataPosterior):
        return loaded.consensus().to_ldag()
    if isinstance(loaded, DynamicNetwork):
        return loaded.transition.ldag
    if isinstance(loaded, StratifiedGraph):
        return loaded.to_ldag()
    return loaded.ldag if isinstance(loaded, Network) else loaded


@click.command()
@click.argument("model", type=MODEL)
@click.option(
    "--output",
    "-o",
    type=Target(".svg"),
    required=True,
    metavar="FILE",
    help=f"The picture: {', '.join(PENS)}.",
)
@click.option(
    "--context",
    "-c",
    multiple=True,
    metavar="NAME=STATE",
    help="Dash the edges that vanish in a context; a picture each if a variable is named again.",
)
@click.option("--do", "-d", multiple=True, metavar="NAMES", help="Cut the arrows into these; also NAME=STATE.")
@click.option("--focus", "-f", multiple=True, metavar="NAMES", help="Show only these and their Markov blankets.")
@click.option("--labels/--no-labels", default=None, help="Draw labels; by default up to 40.")
@click.option("--arrows/--no-arrows", default=None, help="Draw arrows that may point either way hollow (the default).")
@click.option("--direction", type=click.Choice(["down", "right"]), help="Where edges point.  [down]")
@click.option("--by", metavar="NAME", help="Draw a context graph for each state of a variable, side by side.")
@click.option("--rolled", is_flag=True, help="Of a dynamic network: one box for each variable, lags on the edges.")
@click.option("--rules", metavar="NAME", help="Draw the rules of a variable as bars instead of the graph.")
@click.option("--bars", is_flag=True, help="Draw probabilities as bars: of edges, or of a network's variables.")
@click.option("--curve", is_flag=True, help="Draw how well each kappa predicted, which a learned network keeps.")
@click.option("--trace", is_flag=True, help="Draw how the score rose in the search, which a learned network keeps.")
@click.option("--undirected", is_flag=True, help="Without arrows, where the graph needs none: edges with strata.")
@json_option
def plot(
    model: str,
    output: str,
    context: tuple[str, ...],
    do: tuple[str, ...],
    focus: tuple[str, ...],
    by: str | None,
    rolled: bool,
    undirected: bool,
    as_json: bool,
    **others: object,
) -> None:
    """Draw MODEL, a graph, a network, a posterior, a bootstrap or a mixture, or one of its charts.

    An edge carries the cases in which it is absent, "not if person is spy".

    \b
    ldag plot guard -o guard.svg
    ldag plot guard -o spies.svg --context person=spy
    ldag plot guard -o both.svg --context person=spy --context person=worker
    ldag plot guard -o people.svg --by person
    ldag plot trial.ldag -o trial.svg --do treated
    ldag plot model.json -o graph.png --focus pressure --direction right
    ldag plot model.json -o rules.svg --rules pressure
    ldag plot model.json -o curve.svg --curve
    ldag plot post.json -o post.svg
    ldag plot boot.json -o bars.png --bars
    ldag plot model.json -o lines.svg --undirected
    """
    loaded = load_any(model)
    looks = {name: others.pop(name) for name in ("labels", "arrows", "direction")}
    choice = ChartChoice(**others)  # type: ignore[arg-type]  # by name, checked by click
    graph = _graph_of(loaded)
    own = {
        "context": split_contexts(context) or None,
        "do": split_settings(graph.variables, do) or None,
        "focus": split_names(graph.variables, focus) or None,
        **looks,
    }
    options = {name: value for name, value in own.items() if value is not None}
    if undirected and (by is not None or choice.flags):
        raise ArgumentError(f"{choice.flags[0] if choice.flags else '--by'} does not go with --undirected")
    if by is not None and "context" in options:
        raise ArgumentError("--context does not go with --by, which shows every context of one variable")
    if rolled:
        if not isinstance(loaded, DynamicNetwork):
            raise ArgumentError(f"--rolled is for dynamic networks, and {model} is none; leave it out")
        loaded.rolled_up().save_picture(output)
    elif choice.flags:
        wrong = [*choice.flags[1:], *(["--by"] if by is not None else []), *(f"--{name}" for name in options)]
        if wrong:
            raise ArgumentError(f"{wrong[0]} does not go with {choice.flags[0]}; draw two pictures")
        choice.chart(loaded, model).save_picture(output)
    elif by is not None:
        known = {"forbidden": loaded.forbidden} if isinstance(loaded, Network) else {}
        graph.as_multinet(by).save_picture(output, **known, **options)  # type: ignore[arg-type]  # by name
    elif undirected:
        without_arrows(loaded).save_picture(output, **options)  # type: ignore[arg-type]  # by name
    else:
        loaded.save_picture(output, **options)  # type: ignore[arg-type]  # by name
    if as_json:
        print_json({"written": output})
