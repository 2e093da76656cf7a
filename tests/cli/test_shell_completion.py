"""Completion of commands, files, keys and values in Bash, and near names for what was mistyped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from conftest import Outcome

if TYPE_CHECKING:
    from pathlib import Path

Command = Callable[..., Outcome]

SCRIPT = """\
eval "$(xoff completion bash)"
COMP_LINE="$1" COMP_POINT=${#1} COMPREPLY=()
compopt() { :; }  # which works only where Bash itself asks
_xoff_completion
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def completed(tmp_path: Path) -> Callable[[str], list[str]]:
    """Returns a function that completes a line as Bash does, with what stands in the place of its last word."""
    xoff = tmp_path / "bin" / "xoff"
    xoff.parent.mkdir()
    xoff.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xoff "$@"\n', encoding="utf-8")
    xoff.chmod(0o755)
    environment = os.environ | {"PATH": f"{xoff.parent}:{os.environ['PATH']}"}

    def complete(line: str) -> list[str]:
        bash = ["bash", "--norc", "-c", SCRIPT, "bash", line]
        done = subprocess.run(bash, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.split()

    return complete


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("line", "has"),
    [
        ("xoff ru", "run"),
        ("xoff run small.toml --se", "--seeds"),
        ("xoff run small.toml --set switch.buffer.policy=", "dynamic_threshold"),
        ("xoff run small.toml --set switch.buffer.policy=dyn", "dynamic_threshold"),
        ("xoff sweep small.toml --sweep transport.", "transport.dctcp.minimum_rto="),
        ("xoff tune small.toml --minimize flows.all.fct_p99", "flows.all.fct_p99_us"),
        ("xoff plan a.toml --set cong", "congestion.round_trip="),
        ("xoff fluid dcqcn --set ga", "gain="),
        ("xoff explain dct", "dctcp"),
        ("xoff topology small.toml switch0.po", "switch0.port3"),
        ("xoff import --chip toma", "tomahawk_5"),
        ("xoff lint --ignore ecn", "ecn_after_pfc"),
        ("xoff list mark", "marking"),
    ],
)
def test_what_may_follow_is_offered(
    completed: Callable[[str], list[str]], small_file: Path, line: str, has: str
) -> None:
    assert small_file.exists()
    assert has in completed(line)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_name_that_a_shell_would_run_is_not_offered(completed: Callable[[str], list[str]], small_file: Path) -> None:
    small_file.write_text(
        small_file.read_text(encoding="utf-8") + '\n[transport."$(touch pwned)\\n"]\nkind = "tcp"\n', encoding="utf-8"
    )
    offered = completed("xoff sweep small.toml --sweep transport.")
    assert "transport.dctcp.minimum_rto=" in offered
    assert not any("touch" in word or "pwned" in word for word in offered)


def test_zsh_and_fish_have_scripts(command: Command) -> None:
    for shell in ("zsh", "fish"):
        assert "_XOFF_COMPLETE" in command("completion", shell).out


def test_a_mistyped_word_is_answered_with_a_near_one(command: Command) -> None:
    assert command("swep", "x.toml") == Outcome(2, "", "swep: there is no such command; did you mean sweep?\n")
    assert command("list", "markin").err.startswith("markin: is no list; did you mean marking?")
    assert command("list", "dctcp").err.endswith("`xoff explain dctcp` tells of a name or a word\n")
