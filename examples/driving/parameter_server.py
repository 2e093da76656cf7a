"""Parameter server: workers push gradients, and the server answers with new weights once it has heard from all."""

import random

import xoff

WORKERS, ITERATIONS, GRADIENT, WEIGHTS = 7, 5, 4_000_000, 4_000_000
SERVER = "host0"
STAR = xoff.Scenario.from_dict(
    {
        "topology": {"kind": "star", "hosts": WORKERS + 1, "host_link": {"rate": "100Gbps", "delay": "1us"}},
        "transport": {"tcp": {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}}},
        "switch": [{"total": "16MB", "marking": {"queue": {"kind": "threshold", "threshold": "200kB"}}}],
        "workload": [{"kind": "driven", "transport": "tcp"}],
        "observe": {"queues": {"every": "20us"}},
    }
)
rng = random.Random(1)
simulation = xoff.Simulation(STAR)
workers = [f"host{number}" for number in range(1, WORKERS + 1)]
pushed: list[str] = []
ends_us: list[float] = []


def compute(worker: str) -> None:
    """Lets a worker compute its next gradients, for a time that varies."""
    simulation.after(rng.uniform(100_000, 150_000), lambda: push(worker), worker)


def push(worker: str) -> None:
    simulation.send(worker, SERVER, GRADIENT, on_complete=on_gradients)


def on_gradients(message: xoff.Message) -> None:
    """Counts at the server who has pushed, and answers all at once."""
    pushed.append(message.source)
    if len(pushed) == WORKERS:
        pushed.clear()
        ends_us.append(simulation.now / 1000)
        for worker in workers:
            simulation.send(SERVER, worker, WEIGHTS, on_complete=on_weights)


def on_weights(message: xoff.Message) -> None:
    if len(ends_us) < ITERATIONS:
        compute(message.destination)


for worker in workers:
    compute(worker)
simulation.run()
result = simulation.finish()
print("the server has all gradients at", ", ".join(f"{end:.0f} us" for end in ends_us))
print(f"longest queue: {max(result.series['value'].to_pylist()) / 1000:.0f} kB")
