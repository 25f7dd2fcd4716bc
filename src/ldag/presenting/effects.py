"""How effects look: the graph with arrows into what is set cut, and the formula below it; bounds as tables."""

from ldag.drawing import Drawing, Picture, PictureOptions, draw_picture, lay_out_table, write_svg
from ldag.effects import BoundedAnswer, Effect
from ldag.presenting.documents import Block, Figure, Listing
from ldag.presenting.graphs import graph_picture
from ldag.presenting.looks import blocks, chart, picture


@picture.register
def effect_picture(effect: Effect, options: PictureOptions) -> Picture:
    """Return what the picture of an effect's graph shows: what is set, to the states that were asked for, if any."""
    schema, question = effect.graph.schema, effect.question
    do = [schema[node].name for node in question.do]
    own: PictureOptions = {
        "do": schema.named(question.setting) if len(question.setting) == len(do) else do,
        "context": schema.named(question.context),
        "title": effect.statement,
    }
    return graph_picture(effect.graph, {**own, **options})


@blocks.register
def _(effect: Effect) -> list[Block]:
    return [Figure(write_svg(draw_picture(effect_picture(effect, {})))), Listing(str(effect))]


@chart.register
def _(bounds: BoundedAnswer) -> Drawing:
    rows = tuple((str(key), low, high) for key, (low, high) in bounds.items())
    said = f" if {bounds.said}" if bounds.said else ""
    return lay_out_table((", ".join(bounds.targets), "least", "greatest"), rows, title=f"Bounds{said}")


@blocks.register
def _(bounds: BoundedAnswer) -> list[Block]:
    return [Listing(str(bounds))]
