"""Puts what their commands print into README and guides, and draws the pictures in docs/: `make readme`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib import pyplot as plt

import xoff
from xoff.explain import why
from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
DEMO = "scenarios/web_search.toml"
RINGS = "scenarios/all_reduce.toml"


# Commands, and the block of plain text with what the last of them prints.
SHOWN = re.compile(r"```sh\n(make demo|xoff [^\n]*(?:\nxoff [^\n]*)*)\n```((?:(?!```).)*)```text\n.*?```", re.DOTALL)


PICTURE = re.compile(r"!\[[^\]]*\]\((\w+)/([^)]+\.svg)\)")
"""Picture of a guide. `GUIDE/NAME.svg` is the file `results/NAME.svg` that commands above it write."""

FILE = re.compile(r'```python title="(\S+)"\n(.*?)```', re.DOTALL)
"""File that a guide shows, and its commands name."""


def printed(commands: str, above: str = "") -> str:
    """Returns the output of the last of some commands into a pipe, as if they were the first in a fresh clone.

    Commands in the text above them that write a file or folder which they name (`--out`) run before. Files that the
    text shows are there.
    """
    lines = commands.replace("make demo", f"xoff run {DEMO}").splitlines()
    with _clone(above) as folder:
        return run([*needed(commands, above), *lines], folder)


def drawn(page: Path) -> dict[Path, bytes]:
    """Returns the pictures of a guide, by their files, as the commands above them draw them."""
    text = page.read_text(encoding="utf-8")
    pictures = {page.parent / f[1] / f[2]: f"results/{f[2]}" for f in PICTURE.finditer(text) if f[1] == page.stem}
    commands = needed(" ".join(pictures.values()), text)
    with _clone(text) as folder:
        if commands:
            run(commands, folder)
        return {picture: (folder / name).read_bytes() for picture, name in pictures.items()}


def needed(wanted: str, above: str) -> list[str]:
    """Lists the commands of a text that write what some words name (`--out`, `--plot`), and those that these need."""
    commands: list[str] = []
    for found in reversed([*re.finditer(r"^xoff .*--(?:out|plot) (\S+)$", above, re.MULTILINE)]):
        if any(found[1] in words for words in (*commands, wanted)):
            commands.insert(0, found[0])
    return commands


@contextmanager
def _clone(text: str) -> Iterator[Path]:
    """Makes a folder with the files of a clone, and with those that a text shows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shipped in ("examples", "plans", "scenarios", "sweeps"):
            (folder / shipped).symlink_to(ROOT / shipped)
        for found in FILE.finditer(text):
            (folder / found[1]).write_text(found[2], encoding="utf-8")
        yield folder


def run(commands: list[str], folder: Path) -> str:
    """Runs commands in a folder, and returns what the last one prints."""
    for command in commands:
        words = f'xoff() {{ {shlex.quote(sys.executable)} -m xoff "$@"; }}; {command}'
        done = subprocess.run(["bash", "-c", words], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode > (1 if " lint " in command else 0):  # it says by 1 that it has found something
            raise SystemExit(f"{command}\n{done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.splitlines())


def output_of(block: str) -> str:
    """Returns what a block of commands shows."""
    return block.rpartition("```text\n")[2].removesuffix("```")


def without_measurements(text: str) -> list[str]:
    """Returns the lines without those about this machine."""
    return [line for line in text.splitlines() if not line.startswith("Engine:")]


def put_outputs() -> None:
    """Writes every such block anew, except where only measurements of the machine differ."""
    for page in PAGES:
        page.write_text(SHOWN.sub(_anew, page.read_text(encoding="utf-8")), encoding="utf-8")


def _anew(block: re.Match[str]) -> str:
    found = printed(block[1], block.string[: block.start()])
    if without_measurements(found) == without_measurements(output_of(block[0])):
        return block[0]
    return f"```sh\n{block[1]}\n```{block[2]}```text\n{found}\n```"


def draw() -> None:
    """Draws the guides' pictures, the demo, its slowest flow, and the links that rings of scattered hosts share."""
    for page in PAGES:
        for picture, content in drawn(page).items():
            picture.parent.mkdir(exist_ok=True)
            picture.write_bytes(content)
    result = xoff.Scenario.load(ROOT / DEMO).run()
    with style.context(), plt.rc_context({"svg.hashsalt": "xoff"}):
        _, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
        result.plot.fct_cdf(left)
        result.plot.slowdown_by_size(right)
        _save("web_search.svg")
        result.plot.critical_path(why.slowest(result)[0])
        _save("why.svg")
        xoff.Scenario.load(ROOT / RINGS).run().plot.links()
        _save("links.svg")


def _save(name: str) -> None:
    plt.savefig(ROOT / "docs" / name, facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    put_outputs()
    draw()
