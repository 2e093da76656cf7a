// xoff as the network of ASTRA-sim 2: every message that a system sends is simulated packet by packet.
//
// Each rank is a host of the scenario, rank 0 the first. ASTRA-sim hears of a message where it is complete: the sender
// when all is acknowledged, the receiver when all has arrived. So every handler runs at its own rank, at its own time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "astra-sim/common/AstraNetworkAPI.hh"
#include "xoff.h"

namespace xoff {

// Handler that ASTRA-sim wants called, with its argument.
struct Handler {
    void (*function)(void *) = nullptr;
    void *argument = nullptr;

    void call() const;
};

// The simulation that all ranks share.
class Simulation {
  public:
    // Lays out the scenario of a file. Prints the reason and ends the program if that fails.
    explicit Simulation(const std::string &scenario);
    ~Simulation();
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;

    int ranks() const;
    uint64_t now_ps() const;
    void send(int source, int destination, int tag, uint64_t bytes, Handler sent);
    void receive(int source, int destination, int tag, uint64_t bytes, Handler received);
    void schedule(int rank, uint64_t delay_ps, Handler handler);
    void notify_finished() { finished++; }

    // Runs until nothing is left to do. Returns whether every rank has finished its workload.
    bool run();
    // Ends the run, and returns its digest and totals as JSON.
    std::string finish();

  private:
    // Source, destination, tag and bytes: messages that agree in all are matched in order, as ASTRA-sim expects.
    using Key = std::tuple<int, int, int, uint64_t>;
    struct Message {
        Key key;
        Handler sent;
        bool is_received = false;
        bool is_sent = false;
    };

    void arrive(const Key &key);
    void complete(const XoffEvent &event);

    XoffSimulation *simulation;
    int finished = 0;
    std::unordered_map<uint64_t, Message> messages;
    std::unordered_map<uint64_t, Handler> timers;
    std::map<Key, std::deque<Handler>> waiting;  // handlers of receives whose message has not come
    std::map<Key, uint64_t> arrived;             // messages that nobody has asked for yet
};

// The network as one rank sees it.
class NetworkApi : public AstraSim::AstraNetworkAPI {
  public:
    NetworkApi(int rank, Simulation &simulation) : AstraNetworkAPI(rank), simulation(simulation) {}

    int sim_send(void *buffer, uint64_t count, int type, int dst, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *fun_arg), void *fun_arg) override;
    int sim_recv(void *buffer, uint64_t count, int type, int src, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *fun_arg), void *fun_arg) override;
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *fun_arg), void *fun_arg) override;
    AstraSim::timespec_t sim_get_time() override;
    void sim_notify_finished() override;

  private:
    Simulation &simulation;
};

}  // namespace xoff
