"""Tries a wheel where nothing else is installed: `python tools/try_installed.py WHEEL`.

A new environment gets the wheel and what it asks for. Commands then use each of these packages once, in a folder of
their own, so that a package that only the development environment has is missed here.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
DEMO = str(ROOT / "scenarios" / "web_search.toml")
SHORT = ("--set", "stop.arrivals_end=100us")
TUNED = ("--tune", "switch.marking.queue.threshold=50kB:400kB", "--minimize", "flows.all.fct_p99_us")
COMMANDS = (
    ("run", DEMO, "--out", "demo", "--report"),
    ("run", DEMO, *SHORT, "--seeds", "2", "--out", "seeds"),
    ("tune", DEMO, *SHORT, *TUNED, "--trials", "2", "--confirm", "2", "--out", "tuned"),
    ("fluid", "dcqcn", "--out", "fluid"),
    ("init", "roce", "incast", "--out", "incast.toml"),
    ("run", "incast.toml", "--out", "incast"),
    ("pauses", "incast"),
)


def main(wheel: str) -> None:
    """Installs the wheel and runs every command; exits with the status of the first that fails."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        programs = environment / "bin"
        pip = (str(programs / "python"), "-m", "pip", "--disable-pip-version-check")
        _run((*pip, "install", "--quiet", "--no-compile", str(Path(wheel).resolve())), folder)
        _run((*pip, "check"), folder)
        for arguments in COMMANDS:
            _run((str(programs / "xoff"), *arguments), folder)


def _run(command: tuple[str, ...], folder: str) -> None:
    print("$", Path(command[0]).name, *command[1:], flush=True)
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
