/* Every misuse is a failure with a line, and never more: run by `make test-c` with sanitizers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xoff.h"

static void expect(int line, int holds, const char *wanted) {
    if (holds && strstr(xoff_error(), wanted))
        return;
    fprintf(stderr, "misuse.c:%d: expected \"%s\", not \"%s\"\n", line, wanted, xoff_error());
    exit(1);
}
#define FAILS(call, wanted) expect(__LINE__, (call), (wanted))

static int never(void *data, const XoffEvent *event) {
    (void)data, (void)event;
    return 7;
}

int main(void) {
    XoffEvent event;
    XoffFlow flow;
    uint64_t message = 0;
    FAILS(!xoff_new(NULL), "toml: is a null pointer");
    FAILS(!xoff_new("topology = 3"), "topology");
    FAILS(!xoff_new("\xff"), "toml: is no UTF-8");
    FAILS(!xoff_open("/no/such/file.toml"), "/no/such/file.toml: No such file");
    FAILS(xoff_send(NULL, 0, 1, 1, -1, XOFF_NEVER, &message) == -1, "simulation: is a null pointer");
    FAILS(!xoff_finish(NULL), "simulation: is a null pointer");
    xoff_free(NULL);

    XoffSimulation *simulation =
        xoff_new("topology = { kind = 'star', hosts = 3, host_link = { rate = '10Gbps', delay = '1us' } }\n"
                 "transport.tcp = { kind = 'tcp', congestion_control = { algorithm = 'dctcp' } }\n"
                 "workload = [{ kind = 'driven', transport = 'tcp' }]\n");
    if (!simulation || xoff_hosts(simulation) != 3 || xoff_host(simulation, "host2") != 2 || xoff_reach_ps(simulation) != 2000000)
        return 1;
    FAILS(xoff_host(simulation, "hots1") == -1, "name: \"hots1\" does not exist; did you mean \"host1\"?");
    FAILS(xoff_host(simulation, NULL) == -1, "name: is a null pointer");
    FAILS(xoff_send(simulation, 0, 9, 1, -1, XOFF_NEVER, NULL) == -1, "destination: there is no host with number 9");
    FAILS(xoff_send(simulation, 0, 0, 1, -1, XOFF_NEVER, NULL) == -1, "would send to itself");
    FAILS(xoff_send(simulation, 0, 1, 0, -1, XOFF_NEVER, NULL) == -1, "size: a message of 0 bytes");
    FAILS(xoff_send(simulation, 0, 1, 1, 4, XOFF_NEVER, NULL) == -1, "priority: 4 is none of the classes");
    FAILS(xoff_send(simulation, 0, 1, 1, 999, XOFF_NEVER, NULL) == -1, "priority: 999 is none");
    FAILS(xoff_next(simulation, 1000, NULL) == 0 && xoff_send(simulation, 0, 1, 1, -1, 1, NULL) == -1, "is past");
    FAILS(xoff_at(simulation, 1, 0, NULL) == -1, "time: 0.000001 us is past; expected 0.001 us");
    FAILS(xoff_at(simulation, 5000, 77, NULL) == -1, "host: there is no host with number 77");
    FAILS(xoff_next(simulation, 1, &event) == -1, "until: 0.000001 us is past");
    FAILS(xoff_listen(simulation, 12345, XOFF_KIND_RECEIVED) == -1, "its handle is spent");
    if (xoff_send(simulation, 0, 1, 1, -1, XOFF_NEVER, &message) != 0 || xoff_listen(simulation, message, 1) != 0)
        return 1;
    FAILS(xoff_listen(simulation, message, 1) == -1, "somebody who listens");
    FAILS(xoff_listen(simulation, message, 0) == -1, "kind: 0 is no end of a message");
    FAILS(xoff_flow(simulation, 0, &flow) == -1, "is under way; expected xoff_finish");
    if (xoff_run_until(simulation, XOFF_NEVER, never, NULL) != 7 || xoff_next(simulation, XOFF_NEVER, &event) != 0)
        return 1;
    const char *report = xoff_finish(simulation);
    if (!report || report != xoff_finish(simulation) || xoff_flow(simulation, 0, &flow) != 1 || flow.size != 1)
        return 1;
    if (xoff_flow(simulation, 1, &flow) != 0)
        return 1;
    FAILS(xoff_now_ps(simulation) == XOFF_NEVER, "simulation: is finished");
    xoff_free(simulation);
    puts("every misuse fails with a line");
    return 0;
}
