"""Lines of EOS as structured configuration of Arista's AVD, which writes them itself then.

Of a line, this takes the values at their places; the words around them are AVD's.
"""

from __future__ import annotations

from typing import Any

Section = tuple[str, ...]


def lines(text: str) -> set[Section]:
    """Returns every line with the lines that it stands below; comments, `!` and the order of lines do not count."""
    found, above = set(), [(-1, "")]
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("!"):
            continue
        depth = len(line) - len(line.lstrip())
        while above[-1][0] >= depth:
            above.pop()
        above.append((depth, words))
        found.add(tuple(words for _, words in above[1:]))
    return found


def structured(text: str) -> dict[str, Any]:
    """Returns what a configuration says, as the keys of AVD's schema; lines that are none of its are left out."""
    read = lines(text)

    def below(*above: str) -> list[list[str]]:
        return [section[-1].split() for section in sorted(read) if section[:-1] == above]

    def named(start: str) -> list[str]:
        return sorted({section[0] for section in read if section[0].startswith(start) and section[0] not in applied})

    memory = "platform trident mmu queue profile "
    applied = {section[0] for section in read if section[0].endswith(" apply")}
    mmu: dict[str, Any] = {
        "queue_profiles": [{"name": head.removeprefix(memory)} | _queue_profile(below(head)) for head in named(memory)]
    }
    for head in applied:
        mmu["active_profile"] = head.split()[-2]
    return {
        "hostname": "switch",
        "qos": {"map": {"dscp": [head.removeprefix("qos map dscp ") for head in named("qos map dscp ")]}},
        "qos_profiles": [_qos_profile(head, below) for head in named("qos profile ")],
        "platform": {"trident": {"mmu": mmu}},
        "ethernet_interfaces": [
            {"name": head.split()[-1], **{"_".join(words[0].split("-")): words[-1] for words in below(head)}}
            for head in named("interface ")
        ],
    }


def _qos_profile(head: str, below: Any) -> dict[str, Any]:  # noqa: ANN401
    profile: dict[str, Any] = {"name": head.split()[-1], "uc_tx_queues": []}
    flow_control: dict[str, Any] = {"priorities": []}
    for words in below(head):
        match words:
            case ["qos", _, trust]:
                profile["trust"] = trust
            case ["priority-flow-control", "on"]:
                flow_control["enabled"] = True
            case ["priority-flow-control", "priority", priority, _]:
                flow_control["priorities"].append({"priority": priority, "no_drop": True})
            case ["priority-flow-control", "pause", "watchdog"]:
                flow_control.setdefault("watchdog", {})["enabled"] = True
            case ["priority-flow-control", "pause", "watchdog", _, "action", action]:
                flow_control.setdefault("watchdog", {})["action"] = action
            case ["priority-flow-control", "pause", "watchdog", _, "timer", _, timeout, _, interval, _, recovery]:
                timer = {"timeout": timeout, "polling_interval": interval, "recovery_time": recovery}
                flow_control.setdefault("watchdog", {})["timer"] = timer
            case [_, queue]:
                profile["uc_tx_queues"].append({"id": queue, "random_detect": _ecn(below(head, " ".join(words)))})
    return profile | ({"priority_flow_control": flow_control} if len(flow_control) > 1 else {})


def _ecn(marks: list[list[str]]) -> dict[str, Any]:
    ecn: dict[str, Any] = {}
    for words in marks:
        match words:
            case [_, _, _, least, units, _, most, _, _, probability, _, weight]:
                values = {"min": least, "max": most, "max_probability": probability, "weight": weight}
                ecn["threshold"] = {"units": units} | values
            case [_, _, "count"]:
                ecn["count"] = True
    return {"ecn": ecn}


def _queue_profile(commands: list[list[str]]) -> dict[str, Any]:
    ingress: dict[str, Any] = {"priority_groups": []}
    queues = []
    for words in commands:
        match words:
            case ["ingress", ("reserved" | "headroom") as kind, unit, memory]:
                ingress[kind] = {"unit": unit, "memory": memory}
            case ["ingress", _, group, _, threshold]:
                ingress["priority_groups"].append({"id": group, "threshold": threshold})
            case ["egress", _, _, queue, _, threshold]:
                queues.append({"id": queue, "threshold": threshold})
    return {"ingress": ingress, "unicast_queues": queues}
