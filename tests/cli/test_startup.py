"""Commands that need little start at once."""

import subprocess
import sys

import click
import pytest

from conftest import SCENARIOS
from xoff.cli.application import application
from xoff.cli.commands import COMMANDS

HEAVY = ["matplotlib", "numpy", "pyarrow", "pydantic", "rich"]


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["check", str(SCENARIOS / "web_search.toml")]])
def test_a_command_that_only_reads_or_tells_brings_nothing_heavy(arguments: list[str]) -> None:
    told = (
        "import atexit, sys, xoff.cli; "
        f"atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)); "
        f"sys.argv[1:] = {arguments}; xoff.cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_function(name: str) -> None:
    with click.Context(application) as context:
        command = application.get_command(context, name)
    assert command is not None
    assert command.help
