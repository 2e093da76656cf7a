"""Mutation tests of a module: `make mutants OF=marking`, or `python tools/mutants.py marking [OPTION ...]`.

cargo-mutants changes one expression at a time, in a copy of the sources below `target/mutants`. It tries each change on
the unit tests, and what those miss on the closed forms and laws of whole simulations. Changes that no test notices are
listed in `target/mutants/MODULE/mutants.out/missed.txt`. Options are passed on: `--shard 0/8` tries an eighth, and
`--iterate` goes on where a run was broken off.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
WORK = ROOT / "target" / "mutants"
SOURCES = Path("crates") / "xoff" / "src"
# The profile and the tests of each stage. Whole simulations are optimized, or they would take 15 times as long.
STAGES = (
    ("quick", ["--lib"]),
    ("test", ["--test=closed_forms", "--test=conformance", "--test=trajectories"]),
)
# A list of a family: `markers! {` and a line for each module.
FAMILY = re.compile(r"^\w+! \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
MEMBER = re.compile(r"^ {4}(?:\w+ => )?(\w+)::\w+", re.MULTILINE)


def declared(text: str) -> str:
    """Adds plain declarations of the modules that a family's macro declares, for cargo-mutants expands no macros."""
    modules = [module for members in FAMILY.findall(text) for module in MEMBER.findall(members)]
    return text + "".join(f"#[cfg(any())]\nmod {module};\n" for module in modules)


def copy_sources() -> Path:
    """Brings the copy up to date; files that did not change keep their time, and need no compiling."""
    tree = WORK / "tree"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    names = {name for name in listed.decode().split("\0") if (ROOT / name).is_file()}
    for name in names:
        content = (ROOT / name).read_bytes()
        if Path(name).is_relative_to(SOURCES) and name.endswith(".rs"):
            content = declared(content.decode()).encode()
        at = tree / name
        if not at.exists() or at.read_bytes() != content:
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_bytes(content)
    for at in tree.rglob("*"):
        if at.is_file() and str(at.relative_to(tree)) not in names:
            at.unlink()  # Cargo would find an example that has moved in both places.
    return tree


def main(module: str, *options: str) -> int:
    """Tries the mutants of a module in two stages; returns the exit status of cargo-mutants."""
    tree = copy_sources()
    files = [f"**/{module}.rs", f"**/{module}/**/*.rs"]
    chosen = [part for file in files for part in ("--file", file)]
    out = WORK / module
    out.mkdir(parents=True, exist_ok=True)
    status = 0
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
    for stage, (profile, tests) in enumerate(STAGES):
        command = ["cargo", "mutants", "--in-place", "--package", "xoff", "--output", str(out), "--profile", profile]
        # Else every change is compiled for all tests, and not for those of the stage alone.
        command += [f"--cargo-arg={test}" for test in tests]
        if stage > 0 and "--iterate" not in options:
            command.append("--iterate")  # leaves out what the stage before caught
        command += [*chosen, *options]
        status = subprocess.run(command, cwd=tree, env=environment).returncode
        if status not in (0, 2, 3):  # 2: some missed; 3: some timed out
            break
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} MODULE [OPTION of cargo mutants ...]")
    sys.exit(main(*sys.argv[1:]))
