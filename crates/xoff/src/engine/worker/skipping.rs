//! Skipping of steady times at global instants, where all is counted and nothing happens.

use super::Worker;
use crate::engine::counts::Counting;
use crate::engine::fast_forward::Skip;
use crate::host::Host;
use crate::kernel::units::{Bytes, Time};
use crate::switch::Switch;

impl<O: Counting> Worker<O> {
    /// Looks whether all is steady, and skips the time up to just before the next change. Nothing is pending before
    /// `least`.
    #[cold]
    pub(super) fn look(&mut self, least: Time) {
        let Some(mut watcher) = self.watcher.take() else { return };
        let next = self.instants.next_that_matters().min(self.arrivals.next_start());
        if let Some(skip) = watcher.look(self.now, next, &self.hosts, &self.switches) {
            self.skip(&skip);
        }
        let then = self.now + watcher.until_next_look();
        self.instants.look_at(if least < Time::MAX { then.max(least) } else { then });
        self.watcher = Some(watcher);
    }

    fn skip(&mut self, skip: &Skip) {
        let Self { hosts, switches, places, wheel, host_sources, .. } = self;
        for &(place, number, destination, bytes, packets) in &skip.flows {
            hosts[place as usize].skip_bytes(number, bytes, packets);
            let counters = &mut hosts[places[destination as usize] as usize].counters;
            counters.data_delivered += packets;
            counters.payload_delivered += bytes;
        }
        let ports =
            hosts.iter_mut().map(Host::port_mut).chain(switches.iter_mut().flat_map(Switch::ports_mut));
        for (port, [packets, bytes, marked]) in ports.zip(&skip.ports) {
            port.counters.packets += packets;
            port.counters.wire_bytes += Bytes::new(*bytes);
            port.counters.marked += marked;
        }
        for (place, (host, [sent, delivered, cnps])) in hosts.iter_mut().zip(&skip.hosts).enumerate() {
            host.counters.acknowledgements_sent += sent;
            host.counters.acknowledgements_delivered += delivered;
            host.counters.cnps_sent += cnps;
            host.skip(skip.span);
            wheel.notify(host_sources[place].cluster, host_sources[place].rank, host.due());
        }
        self.arrivals.skip(skip.span);
        self.sampling.skipped += skip.span;
        let next_check = self.instants.skip(self.now, skip.span);
        self.announce(next_check);
    }
}
