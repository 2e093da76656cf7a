"""Training of two pipeline stages in four replicas: microbatches flow, then each stage reduces its gradients."""

import xoff

FABRIC = xoff.Scenario.from_text("""
topology.kind = "leaf_spine"
topology.leaves = 2
topology.spines = 2
topology.hosts_per_leaf = 4
topology.host_link = { rate = "100Gbps", delay = "1us" }
topology.fabric_link = { rate = "200Gbps", delay = "1us" }
transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
switch = [{ total = "16MB", marking.queue = { kind = "threshold", threshold = "200kB" } }]
workload = [{ kind = "driven", transport = "tcp" }]
""")
REPLICAS, MICROBATCHES, STEPS, ROUNDS = 4, 4, 3, 2 * (4 - 1)
ACTIVATIONS, GRADIENTS = 2_000_000, 16_000_000
simulation = xoff.Simulation(FABRIC)


class Worker:
    """One stage of one replica, at a host of its own."""

    def __init__(self, stage: int, replica: int) -> None:
        self.stage, self.replica, self.host = stage, replica, f"host{stage * REPLICAS + replica}"
        self.inputs, self.begun, self.computed, self.sent, self.received = 0, 0, 0, 0, 0
        self.ends_ns: list[float] = []

    def on_input(self) -> None:
        self.inputs += 1
        self.go_on()

    def on_computed(self) -> None:
        self.computed += 1
        if self.stage == 0:
            following = workers[1][self.replica]
            simulation.send(self.host, following.host, ACTIVATIONS, on_complete=lambda _: following.on_input())
        self.go_on()

    def on_part(self) -> None:
        self.received += 1
        self.go_on()

    def go_on(self) -> None:
        """Computes the microbatches of a step one by one, then passes parts of the gradients around the ring."""
        step = len(self.ends_ns)
        if self.begun == self.computed < min(self.inputs, (step + 1) * MICROBATCHES):
            self.begun += 1
            simulation.after("200us", self.on_computed, self.host)
        if self.computed == (step + 1) * MICROBATCHES:
            sent, received = self.sent - step * ROUNDS, self.received - step * ROUNDS
            if sent == received == ROUNDS:
                self.ends_ns.append(simulation.now)
                self.go_on()
            elif sent <= received and sent < ROUNDS:
                self.sent += 1
                right = workers[self.stage][(self.replica + 1) % REPLICAS]
                part = GRADIENTS // REPLICAS
                simulation.send(self.host, right.host, part, on_complete=lambda _: right.on_part())
                self.go_on()


workers = [[Worker(stage, replica) for replica in range(REPLICAS)] for stage in range(2)]
for worker in workers[0]:
    worker.inputs = MICROBATCHES * STEPS
    worker.go_on()
simulation.run()
result = simulation.finish()
ends_us = [max(worker.ends_ns[step] for stage in workers for worker in stage) / 1000 for step in range(STEPS)]
print("steps end at", ", ".join(f"{end:.0f} us" for end in ends_us))
