/* All-gather in a ring of eight hosts, driven from C: each host passes on what it has received, seven times.
 *
 *     make test-c        builds and runs it, with the sanitizers of the compiler
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "xoff.h"

#define HOSTS 8
#define PART 1000000

static const char *const SCENARIO =
    "topology = { kind = 'star', hosts = 8, host_link = { rate = '100Gbps', delay = '1us' } }\n"
    "transport.roce = { kind = 'roce' }\n"
    "workload = [{ kind = 'driven', transport = 'roce' }]\n";

struct ring {
    XoffSimulation *simulation;
    int received[HOSTS];
    uint64_t last_ps; /* time of the last part */
};

static void fail(void) {
    fprintf(stderr, "%s\n", xoff_error());
    exit(1);
}

static void send_to_the_right(struct ring *ring, uint32_t host) {
    uint64_t message;
    if (xoff_send(ring->simulation, host, (host + 1) % HOSTS, PART, -1, XOFF_NEVER, &message) < 0 ||
        xoff_listen(ring->simulation, message, XOFF_KIND_RECEIVED) < 0)
        fail();
}

/* Reacts at the host that has just received a part, at that time. */
static int on_event(void *data, const XoffEvent *event) {
    struct ring *ring = data;
    ring->last_ps = event->time_ps;
    if (++ring->received[event->host] < HOSTS - 1)
        send_to_the_right(ring, event->host);
    return 0;
}

int main(void) {
    struct ring ring = {.simulation = xoff_new(SCENARIO)};
    if (!ring.simulation)
        fail();
    for (uint32_t host = 0; host < HOSTS; host++)
        send_to_the_right(&ring, host);
    if (xoff_run_until(ring.simulation, XOFF_NEVER, on_event, &ring) < 0)
        fail();
    double microseconds = (double)ring.last_ps / 1e6;
    const char *report = xoff_finish(ring.simulation);
    if (!report)
        fail();
    XoffFlow flow;
    uint64_t flows = 0;
    while (xoff_flow(ring.simulation, flows, &flow) == 1)
        flows++;
    printf("%" PRIu64 " flows in %.1f us\n%.79s\n", flows, microseconds, report);
    xoff_free(ring.simulation);
    return flows == HOSTS * (HOSTS - 1) ? 0 : 1;
}
