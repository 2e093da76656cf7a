"""The class Result: tables, summary and provenance of a run."""

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
    from xoff.results.recorded import Recorded
    from xoff.results.summary import Summary
    from xoff.scenario.topology import Topology


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The outcome of one run, in memory or opened from its folder."""

    summary: Summary
    """Numbers of the run, as in `summary.json`; docs/summary.md has meaning and unit of each key."""
    flow_rows: FlowRows | pa.Table
    """Finished flows where they lie; `select` returns some columns of them, `flows` all."""
    ports: pa.Table
    """One row per port: what it sent, marked and dropped, and for how long it was paused, over the whole run."""
    series: pa.Table | None
    """One row per recorded value: `time_ns`, `quantity`, `name`, `priority`, `value`; None if nothing was observed."""
    scenario: str
    """The resolved scenario in TOML, as `Scenario.to_toml` has it."""
    provenance: Mapping[str, Any]
    """Versions, machine, command and the digests of the input files."""
    unfinished: pa.Table | None = None
    """One row per flow that was not finished at the end, with its received bytes; None if there is none."""
    queries: pa.Table | None = None
    """One row per complete query, with its completion time and timeouts; None if there is none."""
    collectives: pa.Table | None = None
    """One row per complete collective of a group, with its completion time and bandwidths; None if there is none."""
    job_flows: pa.Table | None = None
    """One row per flow of a job, by its name in the job's file, and the flow that it waited for; None without a job."""
    drops: pa.Table | None = None
    """One row per dropped packet, with port, reason and flow; None unless `observe.drops` has `every = "change"`."""
    packets: pa.Table | None = None
    """One row per port that a packet came to, times in ps; None unless `observe.packets` names flows."""
    pauses: pa.Table | None = None
    """One row per pause: who paused whom, when and why; None if `observe.pauses` did not ask for it."""
    pause_flows: pa.Table | None = None
    """For each `pause_id` the flows that had most bytes in the queue that was its cause, at most four."""
    headroom: pa.Table | None = None
    """One row per local maximum of the headroom in use in a switch; None if `observe.headroom` did not ask for it."""
    off_times: pa.Table | None = None
    """One row per time from XOFF to XON of a queue, with bytes in and out; None if `headroom` is None."""
    inputs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Text of the files that the resolved scenario names, by path: `inputs/NAME`."""

    @cached_property
    def flows(self) -> pa.Table:
        """One row per finished flow, as an Arrow table, which Pandas and Polars read without a copy.

        Neither is installed with xoff: `flows.to_pandas()` needs `pip install pandas`.
        """
        return self.flow_rows.select(self.flow_rows.schema.names)

    def recorded(self, quantity: str) -> Recorded:
        """Returns the values of a quantity of `series` in the measured time: `recorded("queue").mean()`.

        Raises ValueError if nothing of it was recorded.
        """
        from xoff.results.recorded import Recorded  # brings Arrow

        return Recorded.of_result(self, quantity)

    @property
    def windows(self) -> Recorded:
        """Windows of flows in the measured time, in bytes (`observe.windows`)."""
        return self.recorded("window")

    @property
    def alphas(self) -> Recorded:
        """Alpha of DCTCP flows in the measured time (`observe.alphas`): `result.alphas.mean()`."""
        return self.recorded("alpha")

    @property
    def thresholds(self) -> Recorded:
        """Slow-start thresholds of TCP flows in the measured time, in bytes (`observe.thresholds`)."""
        return self.recorded("threshold")

    @property
    def rtts(self) -> Recorded:
        """Smoothed round-trip times of TCP flows in the measured time, in nanoseconds (`observe.rtts`)."""
        return self.recorded("rtt")

    @property
    def recovery_states(self) -> Recorded:
        """States of TCP flows in the measured time (`observe.recovery_states`); `share("loss")` is how often."""
        return self.recorded("recovery_state")

    @cached_property
    def topology(self) -> Topology:
        """The network that was simulated, as it was when the run began."""
        from xoff import _xoff
        from xoff.scenario.topology import Topology

        return Topology.of(_xoff.Scenario(self.scenario))

    @cached_property
    def _settings(self) -> Mapping[str, Any]:
        """Settings of the scenario as typed values, as the simulator has them."""
        from xoff import _xoff

        return _xoff.Scenario(self.scenario).settings()

    @property
    def interrupted(self) -> bool:
        """Whether the run was cut short; then the flows are those that had finished."""
        return bool(self.summary["interrupted"])

    @property
    def digest(self) -> str:
        """Hash of every integer result; equal for equal scenario and seed, on any machine."""
        return str(self.summary["digest"])

    def pause_tree(
        self,
        victim: str | int | None = None,
        *,
        at_ns: float | None = None,
        between_ns: tuple[float, float] | None = None,
    ) -> PauseTree:
        """Returns the pause tree of a victim: the queues it waited for, the queues these waited for, back to the roots.

        Args:
            victim: A flow (`host0.flow3`, or its `flow_id`), a host, a switch or a port; left out, everyone.
            at_ns: Only pauses under way at this instant, each as long as it was as a whole.
            between_ns: Only pauses between these instants; left out, a flow's lifetime or the whole run.

        Raises:
            ValueError: The scenario's `observe.pauses` did not ask for it, or there is no such victim.
        """
        return facade.pause_tree(self, victim, at_ns, between_ns)

    def flows_over(self, port: str) -> pa.Table:
        """Returns the flows whose data may have left by a port, such as `leaf0.port3`.

        See `xoff.explain.flows_over_port.flows_over`.

        Raises ScenarioError if there is no such port.
        """
        return facade.flows_over(self, port)

    def critical_path(self, flow: str) -> CriticalPath:
        """Returns the queues, pauses, timeouts and rate limits that took the time of a flow, such as `host0.flow3`.

        The path of an unfinished flow ends with the run. The scenario runs once more, with the flow's packets recorded.
        `xoff.explain.why.critical_paths` takes several flows, and `xoff.explain.why.slowest` names the slowest ones.

        Raises:
            ValueError: There is no such flow.
            ResultError: Another version of xoff has run the scenario, and this one gives another result.
        """
        return facade.critical_path(self, flow)

    def pause_cycles(self) -> list[Cycle]:
        """Returns every time that paused queues waited for one another in a circle (cyclic buffer dependency).

        Raises ValueError if the scenario's `observe.pauses` did not ask for it.
        """
        return facade.pause_cycles(self)

    @property
    def plot(self) -> Plots:
        """Figures of the result, such as `result.plot.fct_cdf()`."""
        return facade.plots(self)

    def save(self, path: str | Path, *, force: bool = False, report: bool = False) -> Path:
        """Writes the result folder, whole or not at all, and returns its path.

        Args:
            path: The folder to make.
            force: Whether a result folder already there is replaced.
            report: Whether `report.html` is drawn at once, in about a second; `xoff report` draws it later.

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
