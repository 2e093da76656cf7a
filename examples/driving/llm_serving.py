"""Serving of a language model with prefill and decode apart: each request moves its KV cache from one to the other."""

import random
from functools import partial

import xoff

PREFILLS, DECODES, REQUESTS = 4, 4, 40
TOKENS_PER_SECOND, KV_BYTES_PER_TOKEN, REQUESTS_PER_SECOND = 40_000, 20_000, 120
FABRIC = xoff.Scenario.from_text("""
topology.kind = "leaf_spine"
topology.leaves = 2
topology.spines = 2
topology.hosts_per_leaf = 4
topology.host_link = { rate = "100Gbps", delay = "1us" }
topology.fabric_link = { rate = "200Gbps", delay = "1us" }
class = [{ priority = 3, lossless = true }]
switch = [{ total = "16MB", pfc = {}, marking.queue = { kind = "threshold", threshold = "200kB" } }]
transport.roce.kind = "roce"
transport.roce.payload = "4096B"
transport.roce.control_priority = 3
transport.roce.congestion_control.algorithm = "dcqcn"
workload = [{ kind = "driven", transport = "roce", priority = 3 }]
""")
rng = random.Random(7)
simulation = xoff.Simulation(FABRIC)
free_at = dict.fromkeys((f"host{number}" for number in range(PREFILLS)), 0.0)
decoding = dict.fromkeys((f"host{PREFILLS + number}" for number in range(DECODES)), 0)
to_first_token_ms: list[float] = []
moving_ms: list[float] = []


def arrive(tokens: int) -> None:
    """Gives a request to the prefill that is free first. A router sees all hosts, so this happens everywhere."""
    prefill = min(free_at, key=lambda host: max(free_at[host], simulation.now))
    free_at[prefill] = max(free_at[prefill], simulation.now) + tokens / TOKENS_PER_SECOND * 1e9
    arrived = simulation.now
    simulation.at(free_at[prefill], lambda: move(prefill, tokens, arrived), prefill)


def move(prefill: str, tokens: int, arrived: float) -> None:
    """Sends the KV cache of a prompt to the decode with the fewest requests."""
    decode, begin = min(decoding, key=decoding.__getitem__), simulation.now
    decoding[decode] += 1

    def on_cache(message: xoff.Message) -> None:
        to_first_token_ms.append((simulation.now - arrived) / 1e6)
        moving_ms.append((simulation.now - begin) / 1e6)
        output_tokens = rng.randrange(50, 200)
        simulation.after(output_tokens * 20e6, lambda: leave(message.destination))  # 20 ms a token

    simulation.send(prefill, decode, tokens * KV_BYTES_PER_TOKEN, on_complete=on_cache)


def leave(decode: str) -> None:
    decoding[decode] -= 1


time_ns = 0.0
for _ in range(REQUESTS):
    time_ns += rng.expovariate(REQUESTS_PER_SECOND) * 1e9
    simulation.at(time_ns, partial(arrive, rng.randrange(100, 2_000)))
simulation.run()
result = simulation.finish()
for name, times in (("time to first token", to_first_token_ms), ("of which the cache moves", moving_ms)):
    times.sort()
    print(f"{name}: median {times[len(times) // 2]:.2f} ms, p99 {times[int(len(times) * 0.99)]:.2f} ms")
