"""Plans from Python: what `xoff plan` and `xoff export` do on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.switches.export import Format
from xoff.switches.plan.file import START, parse
from xoff.switches.plan.outcome import Outcome, outcome
from xoff.switches.plan.rows import Verdict
from xoff.switches.plan.simulate import other_mmus, scenario, settling, worst_case
from xoff.text import text_file, toml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from xoff.scenario.scenario import Scenario
    from xoff.switches.export.export import Export
    from xoff.switches.plan.rows import Row


@dataclass(frozen=True)
class SwitchPlan:
    """A plan of a switch, computed. It never changes: `with_value` gives another one.

    Make one with `load` or `from_text`; each raises PlanError, one line that names file, key and remedy.
    """

    text: str
    """The plan as it was written, in TOML."""
    file: str | None = None
    """The file it came from, as messages name it."""
    changes: tuple[str, ...] = ()
    """Changes made since it was read, each `KEY=VALUE` as `xoff plan --set` takes it."""
    _found: Outcome = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_found", outcome(parse(self.text, self.file, self.changes), self.file))

    @classmethod
    def load(cls, path: str | Path) -> SwitchPlan:
        """Reads a TOML file."""
        text = text_file.read(Path(path), str(path), remedy=START, refusal=PlanError)
        return cls(text, str(path))

    @classmethod
    def from_text(cls, text: str) -> SwitchPlan:
        """Takes TOML."""
        return cls(text)

    def with_value(self, key: str, value: object) -> SwitchPlan:
        """Returns a plan with one key changed: `plan.with_value("congestion.minimum", "10kB")`; None leaves it out."""
        return self.with_values({key: value})

    def with_values(self, values: Mapping[str, object]) -> SwitchPlan:
        """Returns a plan with several keys changed at once, where one alone would not do."""
        return replace(self, changes=(*self.changes, *toml_text.changes(values)))

    @property
    def title(self) -> str:
        """Title of the plan."""
        return self._found.plan.title

    @property
    def table(self) -> pa.Table:
        """A row for each number: section, key, quantity, value, unit, formula, source, verdict and why."""
        import pyarrow as pa

        return pa.Table.from_pylist(
            [{"section": name} | row.as_dict() for name, rows in self._found.sections.items() for row in rows]
        )

    def __getitem__(self, key: str) -> float:
        """Returns one number, in the unit of its row: `plan["headroom.chosen"]`. Raises KeyError."""
        found = {row.key: row.value for row in self._found.rows}
        if key not in found:
            near = get_close_matches(key, found, 3)
            message = f"{key} is no row of this plan{'; there are ' + ', '.join(near) if near else ''}"
            raise KeyError(message)
        return found[key]

    @property
    def failed(self) -> dict[str, str]:
        """Checks that do not hold, by key, each with the condition."""
        return self._judged(Verdict.FAILS)

    @property
    def warned(self) -> dict[str, str]:
        """Checks that hold only as long as nothing worse comes, by key, each with the condition."""
        return self._judged(Verdict.WARNS)

    def _judged(self, verdict: Verdict) -> dict[str, str]:
        return {row.key: row.why for row in self._found.rows if row.verdict is verdict}

    @property
    def sections(self) -> dict[str, list[Row]]:
        """Rows by what they are about."""
        return self._found.sections

    def export(self, target: str) -> Export:
        """Returns the settings as configuration, `text` and `notes`, for "sonic", "eos", "nxos", "nvue" or "host".

        Raises PlanError where there is nothing to write.
        """
        return Format(target).write_plan(self._found, self.file)

    def worst_case(self) -> Scenario:
        """Returns the planned switch with all ports congested at once. Raises PlanError if it cannot be simulated."""
        return scenario(worst_case(self._found), self.file)

    def settling(self) -> Scenario | None:
        """Returns long flows into one port; None where hosts answer no congestion. Raises PlanError likewise."""
        case = settling(self._found)
        return scenario(case, self.file) if case else None

    def simulate(self) -> dict[str, object]:
        """Runs all: what `xoff plan --simulate --json` has under `simulation`. Raises PlanError likewise."""
        worst, settles = worst_case(self._found), settling(self._found)
        trial = worst.trial(scenario(worst, self.file).run())
        failures = list(trial.failures)
        numbers = trial.as_data() | {"case": worst.described, "failures": failures}
        for name, case in other_mmus(self._found).items():
            of_mmu = case.trial(scenario(case, self.file).run())
            numbers[name] = of_mmu.as_data() | {"case": case.described}
            failures += of_mmu.failures
        if settles is not None:
            settled = settles.trial(scenario(settles, self.file).run())
            numbers["settling"] = settled.as_data() | {"case": settles.described}
        return numbers

    def __repr__(self) -> str:
        judged = f"{len(self._found.rows)} rows, {len(self.failed)} fail, {len(self.warned)} warn"
        return f"<xoff.SwitchPlan {self.title!r}; {judged}>"

    def _repr_html_(self) -> str:
        from xoff.switches.plan.notebook import plan_html

        return plan_html(self.title, self.sections)
