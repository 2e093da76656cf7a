"""Random scenarios around one or two switches with little memory, and the numbers that each switch goes by."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .switch import Lossless, Lossy, Marker, Policy, Settings

CONTROL = 7
"""Class of acknowledgements and CNPs of RoCE."""
_ALPHAS = [Fraction(1, 16), Fraction(1, 8), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(4)]


@dataclass(frozen=True)
class Drawn:
    """A scenario, and the settings of each of its switches."""

    scenario: dict[str, Any]
    switches: dict[str, Settings]
    end: int
    """Picoseconds after which nothing happens."""
    capable: dict[str, set[str]]
    """Kinds of packets of each transport that are ECN-capable."""


@dataclass(frozen=True)
class _Link:
    ends: tuple[str, str]
    rate: int
    delay: int
    """Picoseconds."""


def draw(seed: int, microseconds: int) -> Drawn:
    """The scenario of a seed, which lasts so many microseconds."""
    return _Draw(random.Random(seed)).scenario(seed, microseconds)


class _Draw:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def _bytes(self, least: int, most: int) -> int:
        return self._rng.randint(least, most)

    def _flip(self, share: float = 0.5) -> bool:
        return self._rng.random() < share

    def _links(self) -> tuple[list[_Link], list[str]]:
        rng = self._rng
        switches = ["s0", "s1"] if self._flip() else ["s0"]
        hosts = [f"h{number}" for number in range(rng.randint(3, 6))]
        ends = [(host, switches[number % len(switches)]) for number, host in enumerate(hosts)]
        ends += [("s0", "s1")] * rng.randint(1, 2) if len(switches) == 2 else []
        # Delays of so many picoseconds that hardly anything happens at one instant.
        links = [_Link(pair, rng.choice([10, 25, 40, 100]), rng.randint(300_000, 2_000_000)) for pair in ends]
        return links, hosts

    def scenario(self, seed: int, microseconds: int) -> Drawn:
        rng = self._rng
        links, hosts = self._links()
        switches = sorted({end for link in links for end in link.ends} - set(hosts))
        lossless = sorted(rng.sample([2, 3, 4], rng.randint(0, 3)))
        workloads, transports, capable = self._traffic(hosts, lossless)
        has_roce = any(workload["transport"] == "rdma" for workload in workloads)
        classes = sorted({0, 1, *lossless, *([CONTROL] if has_roce else [])})
        tables, settings = [], {}
        for name in switches:
            rates = tuple(link.rate for link in links if name in link.ends)
            table, settings[name] = self._switch(rates, classes, lossless)
            tables.append({"nodes": name} | table)
        scenario = {
            "seed": seed,
            "stop": {"at": f"{microseconds}us"},
            "observe": {
                "packets": ["*"],
                "headroom": True,
                "drops": {"every": "change"},
                "memory": "4GB",
            },
            "class": [{"priority": priority, "lossless": priority in lossless} for priority in {*classes, CONTROL}],
            "topology": {
                "kind": "custom",
                "hosts": hosts,
                "switches": switches,
                "links": [
                    {"between": list(link.ends), "rate": f"{link.rate}Gbps", "delay": f"{link.delay}ps"}
                    for link in links
                ],
            },
            "switch": tables,
            "transport": transports,
            "workload": workloads,
        }
        return Drawn(scenario, settings, microseconds * 1_000_000, capable)

    def _traffic(
        self, hosts: list[str], lossless: list[int]
    ) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, set[str]]]:
        rng = self._rng
        tcp = rng.choice(["dctcp", "reno"])
        has_control = self._flip()
        transports: dict[str, Any] = {
            "tcp": {"kind": "tcp", "congestion_control": {"algorithm": tcp}},
            "rdma": {"kind": "roce"} | ({"congestion_control": {"algorithm": "dcqcn"}} if has_control else {}),
        }
        workloads = []
        for number, priority in enumerate([*lossless, 0, 1]):
            transport = "rdma" if priority in lossless or (number % 2 and self._flip()) else "tcp"
            if self._flip(0.3):
                fan_in = rng.randint(2, len(hosts) - 1)
                traffic: dict[str, Any] = {"kind": "incast", "fan_in": fan_in, "every": f"{self._bytes(5, 60)}us"}
                traffic |= {"receivers": [rng.choice(hosts)]}
            else:
                traffic = {"kind": "poisson", "load": rng.randint(20, 90) / 100, "of": "receivers"}
            sizes = {"fixed": f"{self._bytes(500, 60_000)}B"}
            workloads.append({"transport": transport, "priority": priority, "sizes": sizes} | traffic)
        capable = {
            "tcp": {"data", "acknowledgement"} if tcp == "dctcp" else set(),
            "rdma": {"data", "acknowledgement", "nack", "cnp"} if has_control else set(),
        }
        return workloads, transports, capable

    def _marker(self, below: int) -> tuple[dict[str, Any], Marker]:
        minimum = self._bytes(0, below // 3)
        at_departure, marks_only = self._flip(0.3), self._flip(0.3)
        common = {"when": "dequeue" if at_departure else "enqueue", "marks_only": marks_only}
        if self._flip():
            marker = Marker(minimum, minimum, 1.0, at_departure, marks_only)
            return {"kind": "threshold", "threshold": f"{minimum}B"} | common, marker
        maximum, percent = minimum + self._bytes(1, below // 2), self._rng.randint(1, 100)
        marker = Marker(minimum, maximum, percent / 100, at_departure, marks_only)
        table = {"kind": "red", "minimum": f"{minimum}B", "maximum": f"{maximum}B", "probability": percent / 100}
        return table | common, marker

    def _policy(self, pool: int) -> tuple[dict[str, Any], Policy]:
        name = self._rng.choice(
            ["dynamic_threshold"] * 3 + ["complete_sharing", "static_partition", "static_threshold"]
        )
        table: dict[str, Any]
        match name:
            case "dynamic_threshold" if self._flip():
                alphas = tuple(self._rng.choices(_ALPHAS, k=8))
                table = {"alpha_by_priority": [str(alpha) for alpha in alphas]}
            case "dynamic_threshold":
                alphas = (self._rng.choice(_ALPHAS),) * 8
                table = {"alpha": str(alphas[0])}
            case "static_threshold":
                threshold = self._bytes(1, max(1, pool))
                return {"policy": name, "threshold": f"{threshold}B"}, Policy(name, bytes=threshold)
            case _:
                return {"policy": name}, Policy(name)
        return {"policy": name} | table, Policy(name, alphas=alphas)

    def _switch(
        self, rates: tuple[int, ...], classes: list[int], lossless: list[int]
    ) -> tuple[dict[str, Any], Settings]:
        rng, ports = self._rng, len(rates)
        table: dict[str, Any] = {}
        cell = (rng.choice([80, 208, 256]), rng.choice([0, 20, 64])) if self._flip(0.3) else None
        if cell:
            table["cell"] = {"size": f"{cell[0]}B", "metadata": f"{cell[1]}B"}
        keeps = self._flip(0.3)
        table["release"] = "transmission_end" if keeps else "transmission_start"
        if self._flip(0.2):
            table["scheduler"] = {"kind": "deficit_round_robin", "quantum": "1600B"}
        per_port = self._flip()
        reserved = self._bytes(0, 4_000) if self._flip(0.7) else 0
        table["reserved_per_port" if per_port else "reserved_per_queue"] = f"{reserved}B"
        sizes, pools = self._pools(ports)
        table["pools"] = [{"ports": list(of), "shared": f"{size}B"} for size, of in zip(sizes, pools, strict=True)]
        table["buffer"], policy = self._policy(min(sizes))
        marking, markers = {}, {}
        for place in ("queue", "port", "pool"):
            if self._flip(0.4):
                most = min(sizes) if place == "pool" else 120_000
                marking[place], markers[place] = self._marker(most)
        table["marking"] = marking
        lossy = Lossy(tuple(zip(sizes, pools, strict=True)), policy, reserved, per_port)
        total = sum(sizes) + reserved * ports * (1 if per_port else len(classes) - len(lossless))
        accounting = None
        if lossless:
            table["pfc"], accounting, aside = self._lossless(rates, lossless)
            total += aside
        table["total"] = f"{total}B"
        settings = Settings(
            ports=ports,
            classes=tuple(classes),
            rates=tuple(rate * 10**9 for rate in rates),
            lossy=lossy,
            lossless=accounting,
            on_queue=markers.get("queue"),
            on_port=markers.get("port"),
            on_pool=markers.get("pool"),
            cell=cell,
            keeps=keeps,
        )
        return table, settings

    def _pools(self, ports: int) -> tuple[list[int], list[tuple[int, ...]]]:
        numbers = list(range(ports))
        if self._flip(0.7):
            return [self._bytes(5_000, 200_000)], [tuple(numbers)]
        self._rng.shuffle(numbers)
        cut = self._rng.randint(1, ports - 1)
        parts = [tuple(sorted(numbers[:cut])), tuple(sorted(numbers[cut:]))]
        return [self._bytes(5_000, 100_000) for _ in parts], parts

    def _lossless(self, rates: tuple[int, ...], classes: list[int]) -> tuple[dict[str, Any], Lossless, int]:
        """The table `pfc`, the numbers in it, and the bytes that lossless classes have in all."""
        rng, queues = self._rng, len(rates) * len(classes)
        pool, reserved = self._bytes(10_000, 400_000), self._bytes(0, 4_000) if self._flip() else 0
        table, policy = self._policy(pool)
        most = pool // queues - 4_000
        if policy.name == "static_threshold" and policy.bytes > most:
            # Refused, unless every queue may reach it.
            policy = Policy(policy.name, bytes=max(1, most)) if most > 0 else Policy("complete_sharing")
            table = {"policy": policy.name} | ({"threshold": f"{policy.bytes}B"} if most > 0 else {})
        least = min((alpha * pool for alpha in policy.alphas), default=policy.bytes or pool // queues)
        offset = min(rng.choice([0, 1, 2_000, 4_000]), int(least))
        scheme = rng.choice(["sih", "oversubscribed", "dsh", "dsh"])
        phi = tuple(self._bytes(2_000, 60_000) for _ in rates)
        at_ports: list[dict[str, Any]] = [{"ports": [port], "size": f"{size}B"} for port, size in enumerate(phi)]
        headroom: dict[str, Any] = {"scheme": scheme, "at_ports": at_ports}
        headroom_pool, insurance, shares, window, aside = 0, (0,) * len(rates), True, 0, sum(phi) * len(classes)
        if scheme == "oversubscribed":
            ratio = rng.choice([Fraction(1, 2), Fraction(4, 5), Fraction(1)])
            headroom["ratio"] = str(ratio)
            aside = headroom_pool = aside * ratio.numerator // ratio.denominator
        if scheme == "dsh":
            insurance = tuple(rng.choice([0, size, size // 2]) for size in phi)
            for entry, size in zip(at_ports, insurance, strict=True):
                entry["insurance"] = f"{size}B"
            shares = self._flip(0.7)
            headroom["shared_headroom"] = shares
            window = rng.choice([5_000_000, 50_000_000, 10_000_000_000])
            headroom["window"] = f"{window}ps"
            aside = sum(insurance)
        accounting = Lossless(
            tuple(classes), pool, policy, reserved, offset, scheme, phi, headroom_pool, insurance, shares, window
        )
        pfc = {
            "xoff": table,
            "xon_offset": f"{offset}B",
            "headroom": headroom,
            "reserved": f"{reserved}B",
            "lossless_pool": f"{pool}B",
        }
        return pfc, accounting, aside + pool + reserved * queues
