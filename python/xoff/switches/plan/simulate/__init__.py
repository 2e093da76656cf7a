"""A plan tried out: the planned switch under the worst case that it claims to survive, all ports congested at once.

Lossless classes get bursts into one port after another of the fullest MMU, and of others whose headroom may not be
enough (`bursts.py`); where no class is lossless, each port has long flows from several hosts (`long_flows.py`); with
QCN, all inputs feed hotspots (`hotspots.py`). Where hosts answer congestion, one port by itself is given time to
settle, too (`settling.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from xoff.errors import PlanError, ScenarioError
from xoff.scenario.scenario import Scenario
from xoff.switches.plan.file import Bcc, Dcqcn, Dctcp, Hpcc, Qcn
from xoff.switches.plan.simulate.bursts import Bursts, left_out
from xoff.switches.plan.simulate.hotspots import Hotspots
from xoff.switches.plan.simulate.long_flows import LongFlows
from xoff.switches.plan.simulate.settling import Settling

if TYPE_CHECKING:
    from xoff.results.result import Result
    from xoff.switches.plan.outcome import Outcome


_PLANNED_BY = {"switch[0].input.xoff": "congestion.stop"}
"""Keys of scenarios that are those of plans by another name."""


class Trial(Protocol):
    """Outcome of one simulation of a plan."""

    @property
    def sentences(self) -> list[str]:
        """Sentences that tell the outcome."""

    @property
    def failures(self) -> list[str]:
        """Failures of the plan: losses of lossless packets, and pauses (PFC) before the planned marks or feedback."""

    def as_data(self) -> dict[str, object]:
        """Returns the numbers of the outcome by name."""


class Case(Protocol):
    """Traffic that a plan is tried with."""

    @property
    def described(self) -> str:
        """In words."""

    def table(self) -> dict[str, object]:
        """As a scenario. Raises PlanError, without the file, for a plan that is not simulated."""

    def trial(self, result: Result) -> Trial:
        """Reads the outcome from the result of that scenario."""


def worst_case(found: Outcome) -> Bursts | Hotspots | LongFlows:
    """Returns the case in which all ports of a plan are congested at once."""
    if isinstance(found.plan.congestion, Qcn):
        return Hotspots(found, found.plan.congestion)
    return LongFlows(found) if found.settings.headroom_scheme is None else Bursts.into_fullest_mmu(found)


def other_mmus(found: Outcome) -> dict[str, Bursts]:
    """Returns a case for each other kind of MMU whose headroom may not be enough, by the name of its folder."""
    if not isinstance(worst_case(found), Bursts):
        return {}
    return {f"mmu{number}": case for number, case in Bursts.into_mmus_in_doubt(found).items()}


def not_simulated(found: Outcome) -> list[str]:
    """Names one of each kind of MMU that no case simulates, and says why."""
    return left_out(found) if isinstance(worst_case(found), Bursts) else []


def settling(found: Outcome) -> Settling | None:
    """Returns the case of one port with time to settle; None where hosts of the worst case answer no congestion."""
    match worst_case(found), found.plan.congestion:
        case (Bursts() as case, Dcqcn() | Hpcc() as congestion) | (LongFlows() as case, Bcc() | Dctcp() as congestion):
            return Settling(case, congestion)
    return None


def scenario(case: Case, file: str | None = None) -> Scenario:
    """Returns the scenario of a case. Raises PlanError for a plan that cannot be simulated."""
    try:
        chosen = Scenario.from_dict(case.table())
        chosen.check()
    except PlanError as error:
        raise error.in_file(file) from None
    except ScenarioError as error:
        key = _PLANNED_BY.get(error.key, "")
        where = "" if key else f"{error.key}: "
        problem = f"the planned switch cannot be simulated: {where}{error.problem}"
        raise PlanError(file, key, problem, error.expected) from None
    return chosen
