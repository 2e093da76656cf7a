"""The public methods whose work a wing above does, such as `Scenario.run` and `Result.plot`.

Scenario, Topology and Result stand low, because every wing works with them. What users call as their methods stands
higher: runs, explanations, figures, reports, exports. Only here does a low wing reach a higher one. Each function below
passes one call on, and loads the higher wing when it is called; nothing else is in this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import networkx as nx
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff._xoff import Progress
    from xoff.explain.critical_path import CriticalPath as CriticalPath
    from xoff.explain.pause_tree import PauseTree as PauseTree
    from xoff.explain.pauses import Cycle as Cycle
    from xoff.plot.plots import Plots as Plots
    from xoff.results.result import Result as Result
    from xoff.scenario.scenario import Scenario
    from xoff.scenario.topology import Topology
    from xoff.switches.export.export import Export as Export


def run(scenario: Scenario, threads: int, progress: Callable[[Progress], bool | None] | None) -> Result:
    """Does the work of `Scenario.run`."""
    from xoff.runs import execution

    return execution.run(scenario, threads, progress)


def export(
    scenario: Scenario, target: str, switch: str | None, chip: str | None, dscps: Mapping[int, int] | None
) -> Export:
    """Does the work of `Scenario.export`."""
    from xoff.switches.export import Format

    return Format(target).write_scenario(scenario, switch, chip, dscps)


def draw_topology(topology: Topology, ax: Axes | None) -> Axes:
    """Does the work of `Topology.plot`."""
    from xoff.plot.topology import plot

    return plot(topology, ax)


def graph_of(topology: Topology) -> nx.MultiGraph:
    """Does the work of `Topology.graph`."""
    from xoff.formats.graph import of_topology

    return of_topology(topology)


def topology_of(graph: nx.Graph) -> Topology:
    """Does the work of `Topology.from_graph`."""
    from xoff.formats.graph import topology_of

    return topology_of(graph)


def plots(result: Result) -> Plots:
    """Does the work of `Result.plot`."""
    from xoff.plot.plots import Plots

    return Plots(result)


def report(result: Result) -> str:
    """Returns the page that `Result.save` writes."""
    from xoff.report import render

    return render(result)


def pause_tree(
    result: Result, victim: str | int | None, at_ns: float | None, between_ns: tuple[float, float] | None
) -> PauseTree:
    """Does the work of `Result.pause_tree`."""
    from xoff.explain.pause_victims import pause_tree_of

    return pause_tree_of(result, victim, at_ns, between_ns)


def pause_cycles(result: Result) -> list[Cycle]:
    """Does the work of `Result.pause_cycles`."""
    from xoff.explain.pause_victims import pauses_of

    return list(pauses_of(result).cycles())


def critical_path(result: Result, flow: str) -> CriticalPath:
    """Does the work of `Result.critical_path`."""
    from xoff.explain.why import critical_paths

    return critical_paths(result, [flow])[0]


def flows_over(result: Result, port: str) -> pa.Table:
    """Does the work of `Result.flows_over`."""
    from xoff.explain.flows_over_port import flows_over

    return flows_over(result, port)
