"""Installs packages that pyproject.toml names: `python tools/install.py dev`, with options of pip after it.

A word is a dependency group, as for `pip install --group dev`, which the pip of Python 3.11 does not know; or `needed`
for what xoff needs to be built and to run.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install")


def main(group: str, *options: str) -> int:
    """Hands the requirements to this interpreter's pip and returns its status; it says how far it is with `needed`."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    if group == "needed":
        requirements = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    else:
        requirements = project["dependency-groups"][group]
        options = ("--quiet", "--no-compile", *options)
    return subprocess.run([*_PIP, *options, *requirements], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
