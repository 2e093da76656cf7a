"""Files of figures: the same whenever they are written, with fonts that journals take."""

from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

import xoff
from xoff.plot.house_figure import HouseFigure


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_what_a_notebook_saves_does_not_tell_when(kind: str, small_result: xoff.Result, tmp_path: Path) -> None:
    file = tmp_path / f"fct.{kind}"
    small_result.plot.fct_cdf()
    plt.savefig(file)
    plt.close()
    small_result.plot.fct_cdf()
    plt.savefig(buffer := BytesIO(), format=kind)
    plt.close()
    assert file.read_bytes() == buffer.getvalue()
    assert not any(told in buffer.getvalue() for told in (b"dc:date", b"CreationDate"))


def test_a_pdf_has_no_type_3_fonts() -> None:
    figure = HouseFigure()
    figure.text(0, 0, "queue")
    figure.savefig(to := BytesIO(), format="pdf")
    assert b"/Type3" not in to.getvalue()
    assert b"/FontFile2" in to.getvalue(), "a TrueType font"


def test_what_is_told_of_a_file_is_kept() -> None:
    HouseFigure().savefig(to := BytesIO(), format="svg", metadata={"Title": "A queue"})
    assert b"A queue" in to.getvalue()
    assert b"dc:date" not in to.getvalue()


def test_an_ending_in_capitals_means_the_same(tmp_path: Path) -> None:
    for name in ("figure.PDF", "figure.SVG"):
        HouseFigure().savefig(tmp_path / name)
        assert not any(told in (tmp_path / name).read_bytes() for told in (b"dc:date", b"CreationDate"))


def test_no_text_is_tex(small_result: xoff.Result) -> None:
    with mpl.rc_context({"text.usetex": True}):
        small_result.plot.fct_cdf()
        plt.savefig(to := BytesIO(), format="svg")
    plt.close()
    assert b"flow completion time" in to.getvalue()
