"""Lists and tables nested many deep are one line wherever xoff reads text, and no parser runs out of stack."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, SMALL, Outcome

Command = Callable[..., Outcome]

PLAN = ROOT / "plans" / "tomahawk_4_dcqcn.toml"
SWEEP = ROOT / "sweeps" / "marking_threshold.toml"
TABLES = ROOT / "examples" / "sonic" / "good" / "config_db.json"

DEPTHS = (300, 3000, 100_000)
"""Beyond what files of xoff may nest, what Python calls itself at the most, and what a stack of 8 MiB holds."""
TOML: dict[str, Callable[[int], str]] = {
    "lists": lambda depth: f"x = {'[' * depth}{']' * depth}\n",
    "tables": lambda depth: f"x = {'{ a = ' * depth}1{' }' * depth}\n",
    "dots": lambda depth: f"{'.'.join('a' * depth)} = 1\n",
    "headings": lambda depth: f"[{'.'.join('a' * depth)}]\n",
}
JSON: dict[str, Callable[[int], str]] = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "objects": lambda depth: '{"a":' * depth + "1" + "}" * depth,
}


def is_a_line(outcome: Outcome, *told: str) -> bool:
    """Whether a command has failed with one line that holds these words."""
    return outcome.status == 2 and outcome.err.count("\n") == 1 and all(word in outcome.err for word in told)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", TOML)
@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        (None, ("check",)),
        (None, ("export", "--format", "eos")),
        (PLAN, ("plan",)),
        (PLAN, ("plan", "--set", "mtu=1500B")),
        (PLAN, ("export", "--format", "eos")),
        (SWEEP, ("sweep",)),
    ],
)
def test_toml(
    command: Command, tmp_path: Path, file: Path | None, arguments: tuple[str, ...], shape: str, depth: int
) -> None:
    text = SMALL if file is None else file.read_text(encoding="utf-8")
    (tmp_path / "deep.toml").write_text(TOML[shape](depth) + text, encoding="utf-8")
    outcome = command(*arguments, "deep.toml")
    assert is_a_line(outcome, "deep.toml: line 1: is nested too deeply"), outcome.err[:300]


@pytest.mark.parametrize("depth", [300, 3000, 30_000])
@pytest.mark.parametrize(
    ("key", "arguments"),
    [
        ("seed", ("check", "small.toml", "--set")),
        ("mtu", ("plan", str(PLAN), "--set")),
        ("flows", ("fluid", "dctcp", "--set")),
        ("workload.fan_in", ("sweep", "small.toml", "--sweep")),
    ],
)
@pytest.mark.usefixtures("small_file")
def test_options(command: Command, key: str, arguments: tuple[str, ...], depth: int) -> None:
    for value in ("[" * depth + "]" * depth, "{a=" * depth + "1" + "}" * depth):
        assert is_a_line(command(*arguments, f"{key}={value}"), key)
    assert is_a_line(command(*arguments, f"{'.'.join('a' * depth)}=1"), "a.a.a")


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", JSON)
def test_tables_of_sonic(command: Command, tmp_path: Path, shape: str, depth: int) -> None:
    for text in (
        JSON[shape](depth),
        TABLES.read_text(encoding="utf-8").replace("{", f'{{"X": {JSON[shape](depth)},', 1),
    ):
        (tmp_path / "deep.json").write_text(text, encoding="utf-8")
        for subcommand in ("lint", "import"):
            outcome = command(subcommand, "deep.json")
            assert outcome.status == 0 or is_a_line(outcome, "deep.json: "), outcome.err[:300]


def test_results(command: Command, small_file: Path) -> None:
    command("run", small_file, "--out", "out")
    for name in ("summary.json", "provenance.json", "scenario.toml"):
        file = Path("out", name)
        before = file.read_text(encoding="utf-8")
        for depth in DEPTHS:
            deep = TOML["lists"](depth) + before if file.suffix == ".toml" else f'{{"x": {JSON["objects"](depth)}}}'
            file.write_text(deep, encoding="utf-8")
            for arguments in (("report", "out"), ("ports", "out"), ("compare", "out", "out")):
                outcome = command(*arguments)
                assert outcome.status == 0 or is_a_line(outcome, f"{file}: is damaged", "nested"), outcome.err[:300]
        file.write_text(before, encoding="utf-8")
