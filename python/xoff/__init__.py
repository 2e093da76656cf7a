"""xoff: a packet-level simulator of datacenter fabrics.

A scenario file in; flows, time series and a summary out:

    import xoff

    result = xoff.Scenario.load("scenarios/web_search.toml").run()
    result.summary["flows"]["small"]["fct_p99_us"]
    result.plot.fct_cdf()

Its network:

    xoff.Scenario.load("scenarios/web_search.toml").topology.plot()

Several scenarios with the same traffic in, ratios with confidence intervals out:

    xoff.compare(["standard.toml", "bcc.toml"], seeds=3).table

Result folders of the same traffic in, FCT slowdown by flow size out, a line for each:

    xoff.Comparison.open(["results/dctcp", "results/hpcc"]).plot.slowdown_by_size()

One scenario for every combination of some values of its keys:

    xoff.sweep("standard.toml", {"workload.load": [0.4, 0.8]}).table

Thresholds and headroom of a chip, tried out and as configuration:

    plan = xoff.SwitchPlan.load("plans/tomahawk_4_dcqcn.toml")
    plan.simulate()["settling"]["busy_after_us"]
    plan.export("sonic").text

A switch's tables held against physics:

    xoff.SwitchTables.load("config_db.json", chip="tomahawk").lint()

The same tables as the part of a scenario that is about its switches:

    xoff.SwitchTables.load("config_db.json").part_of_scenario("Ethernet0").text

Another simulator's network, flows and settings as a scenario:

    xoff.formats.read(["topology.txt", "flow.txt", "config.txt"]).scenario().run()

A simulation that a program drives, message by message:

    simulation = xoff.Simulation(scenario)
    message = simulation.send("host0", "host1", "1MB")
    simulation.on_complete(message, lambda message: simulation.send("host1", "host0", "1MB"))
    simulation.run()
    simulation.finish().summary

A congestion control of one's own, a class in Python:

    xoff.Scenario.load("scenarios/web_search.toml").run(schemes=[MyControl])

A fluid model, in milliseconds:

    xoff.Fluid.of("dcqcn", timer="1500us").run().difference_bps
"""

from importlib import import_module
from typing import TYPE_CHECKING

from xoff._xoff import __version__

if TYPE_CHECKING:
    from xoff import formats, schemes
    from xoff.errors import (
        InputError,
        OutOfMemoryError,
        OutputError,
        PlanError,
        ResultError,
        RunsFailedError,
        ScenarioError,
        SchemeError,
        WorkerLostError,
    )
    from xoff.fluid.model import Fluid
    from xoff.results.result import Result
    from xoff.runs.environment import CongestionEnvironment
    from xoff.runs.interrupted import RunInterrupted
    from xoff.runs.simulation import Message, Simulation
    from xoff.scenario.scenario import Scenario
    from xoff.scenario.topology import Topology
    from xoff.studies.comparison import Comparison, compare
    from xoff.studies.sweep import Swept, sweep
    from xoff.studies.tuning.search import tune
    from xoff.studies.tuning.tuned import Tuned
    from xoff.switches.switch_plan import SwitchPlan
    from xoff.switches.switch_tables import SwitchTables

__all__ = [
    "Comparison",
    "CongestionEnvironment",
    "Fluid",
    "InputError",
    "Message",
    "OutOfMemoryError",
    "OutputError",
    "PlanError",
    "Result",
    "ResultError",
    "RunInterrupted",
    "RunsFailedError",
    "Scenario",
    "ScenarioError",
    "SchemeError",
    "Simulation",
    "Swept",
    "SwitchPlan",
    "SwitchTables",
    "Topology",
    "Tuned",
    "WorkerLostError",
    "__version__",
    "compare",
    "formats",
    "schemes",
    "sweep",
    "tune",
]

_MODULES = {
    "Comparison": "studies.comparison",
    "CongestionEnvironment": "runs.environment",
    "Fluid": "fluid.model",
    "InputError": "errors",
    "Message": "runs.simulation",
    "OutOfMemoryError": "errors",
    "OutputError": "errors",
    "PlanError": "errors",
    "Result": "results.result",
    "ResultError": "errors",
    "RunInterrupted": "runs.interrupted",
    "Scenario": "scenario.scenario",
    "ScenarioError": "errors",
    "SchemeError": "errors",
    "Simulation": "runs.simulation",
    "Swept": "studies.sweep",
    "SwitchPlan": "switches.switch_plan",
    "SwitchTables": "switches.switch_tables",
    "Topology": "scenario.topology",
    "Tuned": "studies.tuning.tuned",
    "RunsFailedError": "errors",
    "WorkerLostError": "errors",
    "compare": "studies.comparison",
    "formats": "formats",
    "schemes": "schemes",
    "sweep": "studies.sweep",
    "tune": "studies.tuning.search",
}
"""The module of each public name, imported on first use: the command line needs few of them, or none."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module = import_module(f"{__name__}.{_MODULES[name]}")
    found = globals()[name] = module if _MODULES[name] == name else getattr(module, name)
    return found


def __dir__() -> list[str]:
    return [*__all__]
