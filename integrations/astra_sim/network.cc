#include "network.hh"

#include <cstdio>
#include <cstdlib>

namespace xoff {

namespace {

constexpr uint64_t PS_PER_NS = 1000;

// Ends the program where xoff refuses something: ASTRA-sim has no way to go on without its network.
void require(bool holds) {
    if (holds) return;
    std::fprintf(stderr, "xoff: %s\n", xoff_error());
    std::exit(1);
}

long double picoseconds_of(AstraSim::time_type_e unit) {
    switch (unit) {
    case AstraSim::SE: return 1e12L;
    case AstraSim::MS: return 1e9L;
    case AstraSim::US: return 1e6L;
    case AstraSim::NS: return 1e3L;
    case AstraSim::FS: return 1e-3L;
    }
    return 1e3L;
}

}  // namespace

void Handler::call() const {
    if (function) function(argument);
}

Simulation::Simulation(const std::string &scenario) : simulation(xoff_open(scenario.c_str())) {
    require(simulation != nullptr);
}

Simulation::~Simulation() { xoff_free(simulation); }

int Simulation::ranks() const { return static_cast<int>(xoff_hosts(simulation)); }

uint64_t Simulation::now_ps() const { return xoff_now_ps(simulation); }

void Simulation::send(int source, int destination, int tag, uint64_t bytes, Handler sent) {
    const Key key{source, destination, tag, bytes};
    if (source == destination || bytes == 0) {  // nothing crosses the network
        schedule(source, 0, sent);
        arrive(key);
        return;
    }
    uint64_t message = 0;
    require(xoff_send(simulation, source, destination, bytes, -1, XOFF_NEVER, &message) == 0);
    require(xoff_listen(simulation, message, XOFF_KIND_RECEIVED) == 0);
    require(xoff_listen(simulation, message, XOFF_KIND_ACKNOWLEDGED) == 0);
    messages[message] = Message{key, sent};
}

void Simulation::receive(int source, int destination, int tag, uint64_t bytes, Handler received) {
    const Key key{source, destination, tag, bytes};
    const auto early = arrived.find(key);
    if (early == arrived.end()) {
        waiting[key].push_back(received);
        return;
    }
    if (--early->second == 0) arrived.erase(early);
    schedule(destination, 0, received);
}

void Simulation::schedule(int rank, uint64_t delay_ps, Handler handler) {
    uint64_t timer = 0;
    require(xoff_at(simulation, now_ps() + delay_ps, rank, &timer) == 0);
    timers[timer] = handler;
}

void Simulation::arrive(const Key &key) {
    const auto found = waiting.find(key);
    if (found == waiting.end()) {
        arrived[key]++;
        return;
    }
    const Handler handler = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) waiting.erase(found);
    handler.call();
}

void Simulation::complete(const XoffEvent &event) {
    const auto found = messages.find(event.id);
    Message &message = found->second;
    const bool is_received = event.kind == XOFF_KIND_RECEIVED;
    (is_received ? message.is_received : message.is_sent) = true;
    const Message done = message;  // a handler may send, and move the table
    if (done.is_received && done.is_sent) messages.erase(found);
    if (is_received)
        arrive(done.key);
    else
        done.sent.call();
}

bool Simulation::run() {
    XoffEvent event;
    int goes_on;
    while ((goes_on = xoff_next(simulation, XOFF_NEVER, &event)) == 1) {
        if (event.kind == XOFF_KIND_DUE) {
            const auto timer = timers.find(event.id);
            const Handler handler = timer->second;
            timers.erase(timer);
            handler.call();
        } else {
            complete(event);
        }
    }
    require(goes_on == 0);
    return finished == ranks();
}

std::string Simulation::finish() {
    const char *report = xoff_finish(simulation);
    require(report != nullptr);
    return report;
}

int NetworkApi::sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                         void (*msg_handler)(void *), void *fun_arg) {
    simulation.send(rank, dst, tag, count, {msg_handler, fun_arg});
    return 0;
}

int NetworkApi::sim_recv(void *, uint64_t count, int, int src, int tag, AstraSim::sim_request *,
                         void (*msg_handler)(void *), void *fun_arg) {
    simulation.receive(src, rank, tag, count, {msg_handler, fun_arg});
    return 0;
}

void NetworkApi::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) {
    const auto delay = static_cast<uint64_t>(delta.time_val * picoseconds_of(delta.time_res));
    simulation.schedule(rank, delay, {fun_ptr, fun_arg});
}

AstraSim::timespec_t NetworkApi::sim_get_time() {
    return {AstraSim::NS, static_cast<long double>(simulation.now_ps()) / PS_PER_NS};
}

void NetworkApi::sim_notify_finished() { simulation.notify_finished(); }

}  // namespace xoff
