#ifndef XOFF_H
#define XOFF_H

/* Written by cbindgen from crates/xoff-c/src/lib.rs; `make header` writes it anew. */

#include <stdint.h>

// Time that never comes: as `until_ps`, until nothing is left to do; as `at_ps`, now.
#define XOFF_NEVER UINT64_MAX

// Host that is none: as `host` of `xoff_at`, every host.
#define XOFF_EVERYWHERE UINT32_MAX

// Kind of event.
typedef enum {
  // A time has come: `id` is what `xoff_at` returned.
  XOFF_KIND_DUE = 0,
  // A message is whole at its receiver: `id` is what `xoff_send` returned.
  XOFF_KIND_RECEIVED = 1,
  // A message is acknowledged at its sender, or has left where nothing is acknowledged.
  XOFF_KIND_ACKNOWLEDGED = 2,
} XoffKind;

// Simulation under way.
typedef struct XoffSimulation XoffSimulation;

// Event to which the program may react.
typedef struct {
  // Kind of event.
  XoffKind kind;
  // Host where it happened, or `XOFF_EVERYWHERE`.
  uint32_t host;
  // Message or timer.
  uint64_t id;
  // Time at which it happened.
  uint64_t time_ps;
} XoffEvent;

// Function that reacts to an event, called with what was given to `xoff_run_until`. It returns 0 to go on. It may call all
// other functions but this one, `xoff_finish` and `xoff_free`, and throws nothing.
typedef int (*XoffReaction)(void *data, const XoffEvent *event);

// Finished flow.
typedef struct {
  // Sending host.
  uint32_t source;
  // Receiving host.
  uint32_t destination;
  // Bytes.
  uint64_t size;
  // Time of its start.
  uint64_t start_ps;
  // Time when the last byte was at the receiver.
  uint64_t received_ps;
  // Time when the last byte was acknowledged at the sender.
  uint64_t finish_ps;
} XoffFlow;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Lays out a scenario of TOML text, with a workload of kind `driven`. Files that it names are looked for in the working
// directory. Returns null on failure. `xoff_free` frees it.
XoffSimulation *xoff_new(const char *toml);

// Lays out the scenario of a TOML file; files that it names are looked for in its folder. Returns null on failure.
XoffSimulation *xoff_open(const char *path);

// Frees a simulation. Null is nothing to free.
void xoff_free(XoffSimulation *simulation);

// Returns the line that says why the last function failed on this thread. It stays until the next failure there.
const char *xoff_error(void);

// Returns the number of hosts, or -1. Hosts are numbered from 0 in the order of the topology.
int64_t xoff_hosts(XoffSimulation *simulation);

// Returns the number of the host of this name, or -1.
int64_t xoff_host(XoffSimulation *simulation, const char *name);

// Returns simulated time; in reaction to an event, the time of the event. `XOFF_NEVER` on failure.
uint64_t xoff_now_ps(XoffSimulation *simulation);

// Returns the time from a reaction at one host to the first that the program may do anywhere else.
uint64_t xoff_reach_ps(XoffSimulation *simulation);

// Keeps no row of flows that finish from now on, so that memory does not grow with them. Returns 0 or -1.
int xoff_forget_flows(XoffSimulation *simulation);

// Sends a message of `size` bytes, which starts at `at_ps`, or now with `XOFF_NEVER`. `priority` is its traffic class, or
// -1 for the first of the driven workload. Writes its handle to `message`. Returns 0 or -1.
int xoff_send(XoffSimulation *simulation,
              uint32_t source,
              uint32_t destination,
              uint64_t size,
              int priority,
              uint64_t at_ps,
              uint64_t *message);

// Has `xoff_next` return an event when a message is complete: where it is whole (`XOFF_KIND_RECEIVED`), or where it is
// acknowledged (`XOFF_KIND_ACKNOWLEDGED`). It must be called before the message starts, or at the time at which it does.
// The handle is spent when both ends are complete. Returns 0 or -1.
int xoff_listen(XoffSimulation *simulation,
                uint64_t message,
                int kind);

// Has `xoff_next` return an event at a time, at a host, or with `XOFF_EVERYWHERE` when every host has run up to it.
// Writes the number of the timer to `timer`. Returns 0 or -1.
int xoff_at(XoffSimulation *simulation,
            uint64_t time_ps,
            uint32_t host,
            uint64_t *timer);

// Goes on to the next event and writes it to `event`, or to `until_ps`, of which nothing happens yet. Returns 1 for an
// event, 0 for none, -1 on failure. The program reacts before the next call.
int xoff_next(XoffSimulation *simulation,
              uint64_t until_ps,
              XoffEvent *event);

// Goes on to `until_ps` and calls `reaction` for every event. Returns 0, what a reaction returned other than that, or -1.
int xoff_run_until(XoffSimulation *simulation,
                   uint64_t until_ps,
                   XoffReaction reaction,
                   void *data);

// Ends the run now. Returns its digest and its totals as JSON, which stays until the simulation is freed; null on failure.
const char *xoff_finish(XoffSimulation *simulation);

// Writes finished flow number `index`, in order of start, to `flow`. Returns 1, 0 beyond the last, or -1 before
// `xoff_finish`.
int xoff_flow(XoffSimulation *simulation,
              uint64_t index,
              XoffFlow *flow);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* XOFF_H */
