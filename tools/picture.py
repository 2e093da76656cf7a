"""Draws the picture of the README: the demo's completion times and slowdowns, as docs/web_search.svg."""

from pathlib import Path

from matplotlib import pyplot as plt

import xoff
from xoff.plot import style

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Runs the demo and draws it."""
    result = xoff.Scenario.load(ROOT / "scenarios" / "web_search.toml").run()
    with style.context():
        _, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
        result.plot.fct_cdf(left)
        result.plot.slowdown_by_size(right)
        plt.savefig(ROOT / "docs" / "web_search.svg", facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    main()
