"""Gathers the pages of the documentation site in build/pages, from where `make site` builds it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import xoff

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "build" / "pages"
REPOSITORY = "https://github.com/xoff-sim/xoff/blob/main/"
PATTERNS = ("*.md", "docs/**/*", "figures/*/*/README.md", "figures/*/*/*.svg", "validation/*/README.md")
"""Files of the site. Their pages lie as in the repository, so that links between them hold."""
LINK = re.compile(r"(?<!\\)\]\((?![a-z]+:|#)([^)#\s]+)")
"""Target of a link to a file, without its anchor."""


def gather() -> None:
    """Copies all pages and pictures, with links to other files of the repository as addresses."""
    shutil.rmtree(PAGES, ignore_errors=True)
    files = {path for pattern in PATTERNS for path in ROOT.glob(pattern) if path.is_file()} - {ROOT / "README.md"}
    for path in sorted(files):
        copy = PAGES / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            copy.write_text(_with_addresses(path, files), encoding="utf-8")
        else:
            shutil.copyfile(path, copy)
    (PAGES / "index.md").write_text(_front(), encoding="utf-8")
    (PAGES / "library.md").write_text(_library(), encoding="utf-8")


def _with_addresses(page: Path, files: set[Path]) -> str:
    def address(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / link[1]))
        return link[0] if target in files else f"]({REPOSITORY}{target.relative_to(ROOT)}"

    return LINK.sub(address, page.read_text(encoding="utf-8"))


def _front() -> str:
    """The README, whose addresses of pages become links to them."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"https://raw\.githubusercontent\.com/xoff-sim/xoff/main/", "", text)
    return re.sub(re.escape(REPOSITORY) + r"((?:docs/)?[^)]*\.md)", r"\1", text)


def _library() -> str:
    """A page with everything that `import xoff` gives."""
    names = "\n\n".join(f"::: xoff.{name}" for name in xoff.__all__ if name != "__version__")
    above = "Everything that `import xoff` gives. [From Python](docs/guide/python.md) shows it at work."
    return f"# Library\n\n{above}\n\n{names}\n"


if __name__ == "__main__":
    gather()
