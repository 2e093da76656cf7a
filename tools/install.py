"""Installs a dependency group of pyproject.toml: `python tools/install.py dev`, with options of pip after it.

What `pip install --group dev` does, for the pip that Python 3.11 comes with.
"""

import subprocess
import sys
import tomllib
from pathlib import Path


def main(group: str, *options: str) -> int:
    """Hands the group's requirements to this interpreter's pip, without compiling them, and returns its status."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    requirements = project["dependency-groups"][group]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *options, *requirements]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
