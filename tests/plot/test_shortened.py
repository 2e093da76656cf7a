"""Names that are too long lack their middle, and still tell apart what they name."""

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

import xoff
from conftest import ANY_TRAFFIC
from xoff.plot import over_time, style, topology
from xoff.plot.shortened import shortened

LONG = "datacenter-eu-central-1-rack{:02}-server-with-a-very-long-name-{:02}"
HOSTS = [LONG.format(rack, server) for rack in range(3) for server in range(4)]
SWITCHES = [f"datacenter-eu-central-1-rack{rack:02}-top-of-rack-switch" for rack in range(3)]
SPINES = [f"a-spine-switch-that-has-quite-a_long$name^{spine}" for spine in range(8)]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["switch0", "switch1"], ["switch0", "switch1"]),
        (["first-0123456789", "other-0123456789"], ["firs…789", "othe…789"]),
        (["0123456789-first-9", "0123456789-other-9"], ["0123…t-9", "0123…r-9"]),
        (["01234first56789-5", "01234other56789-5"], ["01234f…5", "01234o…5"]),
        (["012345x789012345", "012345y789012345"], ["012345x…5", "012345y…5"]),
        (["0" * 20 + "first" + "0" * 20, "0" * 20 + "other" + "0" * 20], None),
    ],
)
def test_what_differs_stays(names: list[str], told: list[str] | None) -> None:
    assert shortened(names, (8, 9)) == (told or names)


def custom_network() -> xoff.Topology:
    """Racks below many spines, all with long names."""
    link = 'rate = "10Gbps", delay = "1us"'
    ends = [(host, SWITCHES[rack // 4]) for rack, host in enumerate(HOSTS)]
    ends += [(switch, spine) for switch in SWITCHES for spine in SPINES]
    links = ", ".join(f'{{ between = ["{one}", "{other}"], {link} }}' for one, other in ends)
    listed = [", ".join(f'"{name}"' for name in names) for names in (HOSTS, [*SWITCHES, *SPINES])]
    text = f'topology = {{ kind = "custom", hosts = [{listed[0]}], switches = [{listed[1]}], links = [{links}] }}'
    return xoff.Scenario.from_text(f"{ANY_TRAFFIC}{text}").topology


def test_names_of_nodes_are_within_the_figure_and_apart_from_the_legend() -> None:
    network = custom_network()
    with style.context():
        figure = Figure(figsize=topology.size_inches(network))
        ax = topology.draw(network, figure.subplots())
        figure.draw_without_rendering()
    names = [text for text in ax.texts if isinstance(text, Annotation)]
    boxes = [name.get_window_extent() for name in names]
    edges = figure.bbox.padded(1)
    assert all(edges.x0 <= box.x0 and box.x1 <= edges.x1 and edges.y0 <= box.y0 and box.y1 <= edges.y1 for box in boxes)
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_window_extent().count_overlaps(boxes) == 0
    assert all(box.count_overlaps(boxes) == 1 for box in boxes), "each overlaps itself alone"
    assert len({name.get_text() for name in names}) == len(HOSTS + SWITCHES + SPINES)
    assert {name.get_rotation() for name in names} == {90}


def observed(names: list[str], ax: Axes) -> None:
    """As if something had been observed at each."""
    for name in names:
        ax.plot([0, 1], label=style.plain(name))
    style.legend(ax, "highest 8 of 12")


@pytest.mark.parametrize("size_inches", [style.SIZE_INCHES, (5.6, 3.4)])
def test_a_legend_of_long_names_leaves_axes_room(size_inches: tuple[float, float]) -> None:
    names = [f"${name}.port0, priority 3" for name in HOSTS[: over_time.MOST_LINES]]
    with style.context():
        figure = Figure(figsize=size_inches)
        ax = figure.subplots()
        observed(names, ax)
        figure.draw_without_rendering()
    legend = ax.get_legend()
    assert legend is not None
    told = [text.get_text() for text in legend.get_texts()]
    assert len(set(told)) == len(names)
    assert all("…" in name and "\n" not in name and name.startswith(r"\$data") for name in told)
    assert ax.bbox.height > 0.35 * figure.bbox.height
    assert legend.get_window_extent().x1 <= figure.bbox.x1


def test_a_few_long_names_are_told_in_lines() -> None:
    ax = Figure(figsize=style.SIZE_INCHES).subplots()
    observed([f"{name}.port0, priority 3" for name in HOSTS[:2]], ax)
    legend = ax.get_legend()
    assert legend is not None
    told = [text.get_text().replace("\n", "") for text in legend.get_texts()]
    assert told == [f"{name}.port0, priority 3" for name in HOSTS[:2]]


def test_letters_that_no_font_has_are_no_warning() -> None:
    with style.context():
        figure, ax = plt.subplots()
        ax.set_title("\u901f\u3044")
        figure.canvas.draw()
        plt.close()


def test_an_installed_font_with_more_letters_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(plt.rcParams["font.family"])
    monkeypatch.setattr(style, "_more_fonts", lambda: ["STIXGeneral"])
    with style.context():
        assert plt.rcParams["font.family"] == [*before, "STIXGeneral"]
    assert plt.rcParams["font.family"] == before
