"""Draws docs/gallery.md: a picture for each scenario of examples/gallery, as the command in its head says."""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from readme import run

ROOT = Path(__file__).parent.parent
SCENARIOS = sorted((ROOT / "examples" / "gallery").glob("*.toml"))
PICTURES = ROOT / "docs" / "gallery"
MOST_LINES = 30
ABOVE = """# Gallery

Each picture shows a run of the scenario below it, which has at most 30 lines and takes a few seconds: `xoff run FILE
--out RESULT`, then the command in the head of the file. `make gallery` draws them all.
"""


class Entry(NamedTuple):
    """A scenario of the gallery."""

    path: Path
    text: str
    title: str
    about: str
    """The thing to look at, in words."""
    plot: str
    """Arguments of `xoff plot` after the result."""


def entry(path: Path) -> Entry:
    """Reads a scenario of the gallery. Its head says what to look at, and then how it is drawn."""
    text = path.read_text(encoding="utf-8")
    head = re.match(r"((?:# .*\n)+?)# xoff plot RESULT (.*)\ntitle = \"(.*)\"\n", text)
    if not head:
        raise SystemExit(f"{path}: no head; expected comments, `# xoff plot RESULT KIND` and a title")
    about = " ".join(line.removeprefix("# ") for line in head[1].splitlines())
    return Entry(path, text, head[3], about, head[2])


def draw(each: Entry, picture: Path) -> None:
    """Runs the scenario and draws its picture."""
    out = shlex.quote(str(picture))
    with tempfile.TemporaryDirectory() as folder:
        drawn = f"xoff plot result {each.plot} --out {out} --force"
        run([f"xoff run {shlex.quote(str(each.path))} --out result", drawn], Path(folder))


def page() -> str:
    """The page with all pictures and their scenarios."""
    parts = [ABOVE]
    for each in map(entry, SCENARIOS):
        name = each.path.stem
        parts.append(f"## {each.title}\n\n{each.about}\n\n![{each.title}](gallery/{name}.svg)\n")
        parts.append(f'```toml title="examples/gallery/{name}.toml"\n{each.text}```\n')
    return "\n".join(parts)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for each in map(entry, SCENARIOS):
        if not sys.argv[1:] or each.path.stem in sys.argv[1:]:
            draw(each, PICTURES / f"{each.path.stem}.svg")
    (ROOT / "docs" / "gallery.md").write_text(page(), encoding="utf-8")
