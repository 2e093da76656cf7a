"""What a run leaves: tables, a summary, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xoff import facade

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from xoff.facade import CriticalPath, Cycle, PauseTree, Plots
    from xoff.results.columns import FlowRows
    from xoff.results.summary import Summary
    from xoff.scenario.topology import Topology


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The outcome of one run, in memory or opened from its folder."""

    summary: Summary
    """What `summary.json` holds; docs/summary.md says what each key means, in which unit."""
    flow_rows: FlowRows | pa.Table
    """The finished flows where they lie: `select` gives some columns of them, `flows` all."""
    ports: pa.Table
    """One row per port: what it sent, marked and dropped, and for how long it was paused, over the whole run."""
    series: pa.Table | None
    """One row per recorded value: `time_ns`, `quantity`, `name`, `priority`, `value`; None if nothing was observed."""
    scenario: str
    """The resolved scenario in TOML, as `Scenario.to_toml` has it."""
    provenance: Mapping[str, Any]
    """Versions, machine, command and the digests of the input files."""
    unfinished: pa.Table | None = None
    """One row per flow that was not finished at the end: what was received of it; None if there is none."""
    queries: pa.Table | None = None
    """One row per complete query, with its completion time and timeouts; None if there is none."""
    collectives: pa.Table | None = None
    """One row per complete collective of a group, with its completion time and bandwidths; None if there is none."""
    job_flows: pa.Table | None = None
    """One row per flow of a job, by its name in the job's file, and the flow that it waited for; None without a job."""
    drops: pa.Table | None = None
    """One row per dropped packet: where, why and whose; None unless `observe.drops` is of `every = "change"`."""
    packets: pa.Table | None = None
    """One row per port that a packet of a flow came to, times in ps; None unless `observe.packets` names flows."""
    pauses: pa.Table | None = None
    """One row per pause: who paused whom, when and why; None if `observe.pauses` did not ask for it."""
    pause_flows: pa.Table | None = None
    """For each `pause_id` the flows that had most bytes in the queue that was its cause, at most four."""
    headroom: pa.Table | None = None
    """One row per local maximum of the headroom in use in a switch; None if `observe.headroom` did not ask for it."""
    off_times: pa.Table | None = None
    """One row per time from XOFF to XON of a queue, with what came and went; None like `headroom`."""
    inputs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Text of the files the resolved scenario names, by path: `inputs/NAME`."""

    @cached_property
    def flows(self) -> pa.Table:
        """One row per finished flow. Pandas, Polars and anything else that speaks Arrow read it without a copy.

        They are not installed with xoff: `flows.to_pandas()` needs `pip install pandas`.
        """
        return self.flow_rows.select(self.flow_rows.schema.names)

    @cached_property
    def topology(self) -> Topology:
        """The network that was simulated, as it was when the run began."""
        from xoff import _xoff
        from xoff.scenario.topology import Topology

        return Topology.of(_xoff.Scenario(self.scenario))

    @property
    def interrupted(self) -> bool:
        """Whether the run was cut short; then the flows are those that had finished."""
        return bool(self.summary["interrupted"])

    @property
    def digest(self) -> str:
        """Hash of every integer result: the same for the same scenario and seed, on any machine."""
        return str(self.summary["digest"])

    def pause_tree(
        self,
        victim: str | int | None = None,
        *,
        at_ns: float | None = None,
        between_ns: tuple[float, float] | None = None,
    ) -> PauseTree:
        """Why a victim was paused: what it waited for, what that waited for, back to where it began.

        Args:
            victim: A flow (`host0.flow3`, or its `flow_id`), a host, a switch or a port; left out, everyone.
            at_ns: Only pauses under way at this instant, each as long as it was as a whole.
            between_ns: Only pauses between these instants; left out, a flow's lifetime or the whole run.

        Raises:
            ValueError: The scenario's `observe.pauses` did not ask for it, or there is no such victim.
        """
        return facade.pause_tree(self, victim, at_ns, between_ns)

    def flows_over(self, port: str) -> pa.Table:
        """The flows whose data may have left by a port, such as `leaf0.port3`.

        See `xoff.explain.flows_over_port.flows_over`.

        Raises ScenarioError if there is no such port.
        """
        return facade.flows_over(self, port)

    def critical_path(self, flow: str) -> CriticalPath:
        """Where the time of a flow, `host0.flow3`, went: in which queues, pauses, timeouts, or for its rate.

        That of a flow which had not finished is told of up to the end of the run. The scenario runs once more, with the
        flow's packets recorded; see `xoff.explain.why.critical_paths`, which takes several, and
        `xoff.explain.why.slowest`, which names those that it is worth asking about.

        Raises:
            ValueError: There is no such flow.
            ResultError: Another version of xoff has run the scenario, and this one gives another result.
        """
        return facade.critical_path(self, flow)

    def pause_cycles(self) -> list[Cycle]:
        """Every time that paused queues have waited for one another in a circle (cyclic buffer dependency).

        Raises ValueError if the scenario's `observe.pauses` did not ask for it.
        """
        return facade.pause_cycles(self)

    @property
    def plot(self) -> Plots:
        """Figures: `result.plot.fct_cdf()`."""
        return facade.plots(self)

    def save(self, path: str | Path, *, force: bool = False, report: bool = True) -> Path:
        """Writes the result folder, whole or not at all, and returns its path.

        Args:
            path: The folder to make.
            force: Whether a result folder already there is replaced.
            report: Whether `report.html` is written.

        Raises:
            OutputError: There is something at `path` already, or it cannot be written.
        """
        from xoff.results import folder  # brings Arrow

        with folder.prepare(path, "result", force=force) as staging:
            return folder.commit(self, staging, report=report)

    @classmethod
    def open(cls, path: str | Path) -> Result:
        """Reads a result folder.

        Raises:
            FileNotFoundError: It is none.
            ValueError: It is damaged, or holds what xoff has not written.
        """
        from xoff.results import folder

        return folder.read(path)

    def __reduce__(self) -> tuple[type[Result], tuple[object, ...]]:
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        return Result, tuple((held | {"flow_rows": self.flows}).values())  # the simulator's rows stay in its process

    def __repr__(self) -> str:
        flows = self.summary["flows"]
        finished = f"{flows['all']['count']:,} flows finished, {flows['unfinished']:,} unfinished"
        digest = self.summary["digest"][:16]
        return f"<xoff.Result {self.summary['title']!r}, seed {self.summary['seed']}, {finished}, digest {digest}>"

    def _repr_html_(self) -> str:
        from xoff.results.notebook import result_html

        return result_html(self)
