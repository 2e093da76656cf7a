"""Options and files of studies that make no sense: each is read, or refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import ROOT
from strategies import changed
from xoff.errors import InputError
from xoff.studies import axes, bounds, sweep_file
from xoff.studies.axes import Axis
from xoff.studies.tuning import space

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NUMBERS = st.text('0123456789.:/-+,kBGbpsu[]{}"= ', max_size=20)
SWEEP = (ROOT / "sweeps" / "watchdog.toml").read_text()


def read_or_refused(read: Callable[[], object]) -> None:
    """Reads something, which may fail with one line alone."""
    refusal = None
    try:
        read()
    except InputError as error:
        refusal = error
    if refusal is not None:
        assert str(refusal).isprintable()
        assert refusal.problem


def positions(option: str) -> None:
    """Reads an option, and makes an axis of each key."""
    for key, values in axes.spelled([option]).items():
        assert len(Axis.spelled(key, values).positions) == len(values) > 0


@given(NUMBERS | st.text(max_size=20))
@example("0:99999999999999999999999999999999999:1")
@example("1:2:0.00000000000000000000000000000000000001")
@example("0:1:1" + "0" * 5000)
@example("1,1.0")
@example("nan,NaN")
def test_values_of_an_option_are_read_or_refused_in_a_line(values: str) -> None:
    read_or_refused(lambda: positions(f"key={values}"))
    read_or_refused(lambda: space.spelled([f"key={values}"]))
    read_or_refused(lambda: bounds.spelled([f"loss_rate={values}"], [values]))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep file beside its scenario, which all examples write anew."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "storm.toml").write_text((ROOT / "scenarios" / "pfc_storm.toml").read_text())
    return folder / "sweep.toml"


@given(changed(SWEEP.replace("../scenarios/pfc_storm.toml", "storm.toml")))
def test_a_changed_sweep_file_is_read_or_refused_in_a_line(sweep: Path, text: str) -> None:
    sweep.write_bytes(text.encode("utf-8", "surrogatepass"))
    read_or_refused(lambda: sweep_file.load(sweep, {}))
