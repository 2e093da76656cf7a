"""Puts what the demo prints into the README, and draws its picture, docs/web_search.svg: `make readme`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from matplotlib import pyplot as plt

import xoff
from xoff.plot import style

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DEMO = "scenarios/web_search.toml"


def table() -> str:
    """What the demo prints into a pipe, as if it were the first run in a fresh clone."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scenarios").symlink_to(ROOT / "scenarios")
        command = [sys.executable, "-m", "xoff", "run", DEMO]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())


def put_table() -> None:
    """Writes the first block of plain text in the README anew."""
    text = README.read_text(encoding="utf-8")
    block = f"```text\n{table()}\n```"
    README.write_text(re.sub(r"```text\n.*?```", lambda _: block, text, count=1, flags=re.DOTALL), encoding="utf-8")


def draw() -> None:
    """Runs the demo and draws it."""
    result = xoff.Scenario.load(ROOT / DEMO).run()
    with style.context(), plt.rc_context({"svg.hashsalt": "xoff"}):
        _, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
        result.plot.fct_cdf(left)
        result.plot.slowdown_by_size(right)
        plt.savefig(ROOT / "docs" / "web_search.svg", facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    put_table()
    draw()
