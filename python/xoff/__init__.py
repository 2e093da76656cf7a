"""xoff: a packet-level simulator of datacenter fabrics.

A scenario file in; flows, time series and a summary out:

    import xoff

    result = xoff.Scenario.load("scenarios/web_search.toml").run()
    result.summary["flows"]["small"]["fct_p99_us"]
    result.plot.fct_cdf()

Several scenarios with the same traffic in, ratios with confidence intervals out:

    xoff.compare(["standard.toml", "bcc.toml"], seeds=3).table
"""

from xoff._xoff import __version__
from xoff.comparison import Comparison, compare
from xoff.errors import OutputError, RunInterrupted, ScenarioError
from xoff.result import Result
from xoff.scenario import Scenario

__all__ = [
    "Comparison",
    "OutputError",
    "Result",
    "RunInterrupted",
    "Scenario",
    "ScenarioError",
    "__version__",
    "compare",
]
