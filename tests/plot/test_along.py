"""The axis on which positions of a sweep stand."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from xoff.plot.along import Along


@pytest.mark.parametrize(
    ("positions", "unit", "places"),
    [
        (["0s", "10us", "4ms"], "us", [0, 10, 4000]),
        (["0s", "0us"], "s", [0, 0]),
        (["1MiB", "900kB"], "MiB", [1, 900_000 / 2**20]),
        ([1, 2, 16], "", [1, 2, 16]),
        ([8, "1/16", "1/4"], "", [8, 0.0625, 0.25]),
        (["1/0", "8"], None, [0, 1]),
        (["sih", "dsh"], None, [0, 1]),
    ],
)
def test_numbers_stand_where_they_are_in_the_unit_of_the_first_that_has_one_to_tell(
    positions: list[str | float], unit: str | None, places: list[float]
) -> None:
    along = Along.of("key", positions)
    assert along.unit == unit
    assert list(along.places.values()) == pytest.approx(places)


@pytest.mark.parametrize(
    ("positions", "scale", "ticks"),
    [
        (["0s", "10us", "100us", "1ms", "4ms"], "symlog", ["0", "10 us", "100 us", "1 ms", "4 ms"]),
        (["1us", "2ms", "4ms"], "log", ["1 us", "2 ms", "4 ms"]),
        (["1us", "10us", "1ms"], "log", ["1 us", "10 us", "1 ms"]),
        (["64KiB", "512KiB", "4MiB", "16MiB"], "log", ["64 KiB", "512 KiB", "4 MiB", "16 MiB"]),
        (["10kB", "50kB", "200kB"], "linear", ["10", "50", "200"]),
        ([8, "1/16", "1/4"], "log", ["1/16", "1/4", "8"]),
        (["10kB", "50kB", "201kB"], "log", ["10", "50", "201"]),
        ([100, 101, 200], "log", ["100", "", "200"]),
        ([0.1, 0.2, 0.9], "linear", ["0.1", "0.2", "0.9"]),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "linear", ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]),
        (list(range(1, 10)), "linear", None),
        (list(range(100)), "linear", None),
    ],
)
def test_few_positions_have_ticks_and_stand_apart(
    positions: list[str | float], scale: str, ticks: list[str] | None
) -> None:
    ax = Figure().subplots()
    Along.of("key", positions).label(ax)
    assert ax.get_xscale() == scale
    if ticks:
        assert [label.get_text() for label in ax.get_xticklabels()] == ticks
    of_all = {"10kB": "key (kB)", "1us": "key", "64KiB": "key", "0s": "key"}
    assert ax.get_xlabel() == of_all.get(str(positions[0]), "key")


def test_long_names_are_in_lines_below_one_another() -> None:
    ax = Figure().subplots()
    names = ["a very long name for DCTCP with large K", "K=20kB", "drop-tail"]
    Along.of("scheme", names).label(ax)
    told = [label.get_text() for label in ax.get_xticklabels()]
    assert told == ["a very long\nname for\nDCTCP with\nlarge K", "K=20kB", "drop-tail"]
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {0}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a very long name for scheme number {}", "a very lon…number 7"),
        ("a very long {} scheme of several schemes", "a very long 7…chemes"),
        ("a very long scheme {} of several schemes", "a very long scheme 7…schemes"),
    ],
)
def test_many_long_names_are_slanted_and_lack_as_much_of_their_middle_as_leaves_them_apart(
    name: str, told: str
) -> None:
    ax = Figure().subplots()
    Along.of("scheme", [name.format(number) for number in range(8)]).label(ax)
    assert ax.get_xticklabels()[7].get_text() == told
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {30}
