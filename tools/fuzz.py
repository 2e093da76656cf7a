"""Looks for inputs that break a law, with cargo-fuzz and nightly Rust: `make fuzz`.

    tools/fuzz.py SECONDS [TARGET ...]     # runs the targets of fuzz/, or these
    tools/fuzz.py --choose [TARGET ...]    # keeps a few found inputs in fuzz/corpora

A target begins with the files of `fuzz/corpora` and those that earlier runs left in `fuzz/corpus`. An input that fails
is kept in `fuzz/artifacts`, and the command that runs it again is printed. Copy it to `fuzz/corpora` with its repair.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FUZZ = ROOT / "fuzz"
OUT = ROOT / "target" / "fuzz"
TARGETS = [binary["name"] for binary in tomllib.loads((FUZZ / "Cargo.toml").read_text())["bin"]]
LIMITS = ("-timeout=300", "-rss_limit_mb=2048", "-max_len=4096")
"""A run of one input takes less than 2 GB, and less than 300 s on a busy machine; alone it takes seconds."""
MOST_CHOSEN = 40


def words(schema: Any) -> set[str]:  # noqa: ANN401
    """Returns the keys and the words of a JSON Schema."""
    if isinstance(schema, list):
        return set().union(*map(words, schema))
    if not isinstance(schema, dict):
        return set()
    found = {word for word in [schema.get("const"), *schema.get("enum", [])] if isinstance(word, str)}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        found |= set(properties)
    return found.union(*map(words, schema.values()))


def dictionary() -> Path:
    """Writes the words of scenarios as a dictionary of libFuzzer, and returns its path."""
    schema = json.loads((ROOT / "docs" / "scenario.schema.json").read_text())
    path = OUT / "scenario.dict"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(word)}\n" for word in sorted(words(schema)) if word.isascii()))
    return path


def fuzz(target: str, *arguments: str | Path) -> int:
    """Runs a target. The first folder takes new inputs."""
    # Without a sanitizer: the crate denies unsafe code, and its own checks run 3 times as often.
    command = ["cargo", "+nightly", "fuzz", "run", "--sanitizer", "none", target, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def folders(target: str) -> list[Path]:
    """Returns the folder of found inputs and that of chosen ones."""
    made = [FUZZ / "corpus" / target, FUZZ / "corpora" / target]
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
    return made


def covering(control: str) -> list[Path]:
    """Returns a few of the files of a merge's control file that together reach the most code."""
    lines = control.splitlines()
    count = int(lines[0])
    files = [Path(line) for line in lines[2 : 2 + count]]
    reached: dict[int, set[int]] = {}
    for line in lines[2 + count :]:
        kind, number, *places = line.split()
        if kind == "COV":
            reached[int(number)] = set(map(int, places))
    chosen: list[Path] = []
    left = set[int]().union(*reached.values())
    while left and len(chosen) < MOST_CHOSEN:
        best = max(reached, key=lambda number: (len(reached[number] & left), -number))
        left -= reached.pop(best)
        chosen.append(files[best])
    return chosen


def choose(target: str) -> int:
    """Replaces a target's chosen inputs by a few that reach the most code. Files named `found...` stay."""
    found, kept = folders(target)
    control, merged = OUT / f"{target}.control", OUT / "merged" / target
    control.unlink(missing_ok=True)
    merged.mkdir(parents=True, exist_ok=True)
    status = fuzz(target, merged, found, kept, "--", "-merge=1", f"-merge_control_file={control}", *LIMITS)
    chosen = {file.name: file.read_bytes() for file in covering(control.read_text())}
    for file in kept.iterdir():
        if not file.name.startswith("found") and file.name not in chosen:
            file.unlink()
    for name, content in chosen.items():
        (kept / name).write_bytes(content)
    return status


def main() -> None:
    """Runs the targets one after another, and fails if one did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("arguments", nargs="*")
    asked = parser.parse_args()
    if not (asked.choose or asked.arguments):
        parser.error("expected SECONDS or --choose")
    seconds = "" if asked.choose else asked.arguments.pop(0)
    words_of_scenarios = dictionary()
    status = 0
    for target in asked.arguments or TARGETS:
        if asked.choose:
            status |= choose(target)
        else:
            limits = (f"-max_total_time={seconds}", f"-dict={words_of_scenarios}", *LIMITS)
            status |= fuzz(target, *folders(target), "--", "-print_final_stats=1", *limits)
    sys.exit(status)


if __name__ == "__main__":
    main()
