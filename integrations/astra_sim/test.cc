// A ring all-reduce over the stand-in of ASTRA-sim's interface: `make test-c` builds and runs it with sanitizers.
//
// The time is printed in nanoseconds, to be held against that of xoff's own collective.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "network.hh"

namespace {

constexpr uint64_t PART = 250000;

struct Rank {
    xoff::NetworkApi *network;
    int rank, ranks;
    int rounds = 0;
    int sent = 0;
    long double end_ns = 0;

    void step() {
        const int tag = rounds;
        network->sim_send(nullptr, PART, 0, (rank + 1) % ranks, tag, nullptr, on_sent, this);
        network->sim_recv(nullptr, PART, 0, (rank + ranks - 1) % ranks, tag, nullptr, on_received, this);
    }
    static void on_sent(void *self) { static_cast<Rank *>(self)->sent++; }
    static void on_received(void *self) {
        Rank &rank = *static_cast<Rank *>(self);
        if (++rank.rounds < 2 * (rank.ranks - 1)) return rank.step();
        rank.end_ns = rank.network->sim_get_time().time_val;
        rank.network->sim_notify_finished();
    }
};

int due = 0;

}  // namespace

int main(int argc, char *argv[]) {
    if (argc != 2) return 2;
    xoff::Simulation simulation(argv[1]);
    std::vector<std::unique_ptr<xoff::NetworkApi>> networks;
    std::vector<Rank> ranks;
    for (int rank = 0; rank < simulation.ranks(); rank++) {
        networks.push_back(std::make_unique<xoff::NetworkApi>(rank, simulation));
        ranks.push_back(Rank{networks.back().get(), rank, simulation.ranks()});
    }
    for (Rank &rank : ranks)
        rank.network->sim_schedule({AstraSim::US, 3}, [](void *self) { static_cast<Rank *>(self)->step(); }, &rank);
    // A message to oneself crosses no network, whichever of both comes first.
    const auto count = [](void *) { due++; };
    networks[0]->sim_send(nullptr, 8, 0, 0, 99, nullptr, count, nullptr);
    networks[0]->sim_recv(nullptr, 8, 0, 0, 99, nullptr, count, nullptr);
    networks[1]->sim_recv(nullptr, 8, 0, 1, 99, nullptr, count, nullptr);
    networks[1]->sim_send(nullptr, 8, 0, 1, 99, nullptr, count, nullptr);
    if (!simulation.run() || due != 4) return 1;
    long double end_ns = 0;
    for (const Rank &rank : ranks) {
        if (rank.sent != 2 * (rank.ranks - 1)) return 1;
        end_ns = std::max(end_ns, rank.end_ns);
    }
    std::printf("%.3Lf\n", end_ns - 3000);
    return simulation.finish().empty() ? 1 : 0;
}
