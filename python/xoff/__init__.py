"""xoff: a packet-level simulator of datacenter fabrics.

A scenario file in; flows, time series and a summary out:

    import xoff

    result = xoff.Scenario.load("scenarios/web_search.toml").run()
    result.summary["flows"]["small"]["fct_p99_us"]
    result.plot.fct_cdf()
"""

from xoff._xoff import __version__
from xoff.errors import OutputError, RunInterrupted, ScenarioError
from xoff.result import Result
from xoff.scenario import Scenario

__all__ = ["OutputError", "Result", "RunInterrupted", "Scenario", "ScenarioError", "__version__"]
