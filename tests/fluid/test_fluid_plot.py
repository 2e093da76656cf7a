"""Figures of fluid models show every combination."""

import pytest

from xoff.fluid.model import Fluid
from xoff.fluid.plot import drawn
from xoff.fluid.sweep import Sweep

FLOWS = [str(number) for number in range(2, 14)]


@pytest.mark.parametrize(
    ("axes", "lines", "has_bar"),
    [
        ({"timer": ["55us", "300us"], "flows": ["2", "4"]}, [2], False),
        ({"timer": ["55us"], "flows": FLOWS}, [12], True),
        ({"timer": ["55us"], "flows": ["2", "4", "8"], "gain": ["1/256", "1/16", "1"]}, [3, 3, 3], False),
        ({"timer": ["55us"], "flows": FLOWS, "gain": ["1/256", "1/16"]}, [12, 12], True),
        ({"timer": [f"{number}us" for number in range(50, 59)]}, [1], False),
    ],
)
def test_more_lines_than_a_legend_tells_apart_are_in_panels_or_on_a_scale_of_colours(
    axes: dict[str, list[str]], lines: list[int], has_bar: bool
) -> None:
    swept = Sweep.of(Fluid("dcqcn", ("duration=100us",)), axes).run()
    figure = drawn(swept)
    panels = figure.axes[: len(figure.axes) - has_bar]
    if len(swept.points) > 8:
        assert [len(ax.get_lines()) for ax in panels] == lines * 2
    assert bool(figure.legends or panels[0].get_legend()) == (not has_bar and lines != [1])
