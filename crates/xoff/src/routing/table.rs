//! Forwarding table of one switch, which the hot loop reads for every packet.

use std::slice;
use std::sync::Arc;

use super::FiveTuple;
use crate::topology::NodeId;

/// Smallest entry that is an index of a choice and not a port.
const CHOICE: u16 = 0x8000;
/// Entry for destinations on this very switch.
const LOCAL: u16 = u16::MAX;

/// Place at which a host is attached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attachment {
    /// Edge of the host.
    pub(super) edge: u16,
    /// Port of the edge's switch that leads to the host.
    pub(super) port: u32,
}

/// Several next hops of equal cost: a run in the table's list of ports.
#[derive(Clone, Copy, Debug)]
struct Choice {
    offset: u32,
    count: u32,
}

/// Forwarding table of one switch.
#[derive(Clone, Debug)]
pub struct SwitchRoutes {
    attachments: Arc<[Attachment]>,
    /// Port towards each edge if its number is small, or an index of a choice.
    next: Vec<u16>,
    choices: Vec<Choice>,
    /// Small numbers of ports in order, then the ports of every choice.
    ports: Vec<u32>,
    seed: u32,
}

impl SwitchRoutes {
    /// Makes the table of a switch with so many ports. Every edge is this switch itself, until `set` says otherwise.
    pub(super) fn new(attachments: Arc<[Attachment]>, edges: usize, ports: usize, seed: u32) -> Self {
        let small = (0..ports as u32).take(CHOICE.into()).collect();
        Self { attachments, next: vec![LOCAL; edges], choices: Vec::new(), ports: small, seed }
    }

    /// Sets the ports by which an edge is reached. Equal sets of ports are stored once.
    pub(super) fn set(&mut self, edge: usize, ports: &[u32]) {
        self.next[edge] = match *ports {
            [port] if port < u32::from(CHOICE) => port as u16,
            _ => CHOICE | self.choice(ports),
        };
    }

    /// Has an edge reached by the same ports as another.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        self.next[to] = self.next[from];
    }

    /// Makes this switch the edge.
    pub(super) fn set_local(&mut self, edge: usize) {
        self.next[edge] = LOCAL;
    }

    fn choice(&mut self, ports: &[u32]) -> u16 {
        let known = self.choices.iter().rposition(|&choice| self.ports_of(choice) == ports);
        let index = known.unwrap_or_else(|| {
            self.choices.push(Choice { offset: self.ports.len() as u32, count: ports.len() as u32 });
            self.ports.extend_from_slice(ports);
            self.choices.len() - 1
        });
        index as u16
    }

    fn ports_of(&self, choice: Choice) -> &[u32] {
        &self.ports[choice.offset as usize..][..choice.count as usize]
    }

    /// Port towards a host. The five-tuple is computed only where there is a choice.
    // Called at two places, for every packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn port(&self, destination: NodeId, tuple: impl FnOnce() -> FiveTuple) -> u32 {
        let attachment = self.attachments[destination as usize];
        match self.next[attachment.edge as usize] {
            port if port < CHOICE => port.into(),
            LOCAL => attachment.port,
            choice => {
                let Choice { offset, count } = self.choices[(choice - CHOICE) as usize];
                let hash = tuple().hash(self.seed);
                // A mask instead of the division, which costs as much as the hash.
                let index = if count.is_power_of_two() { hash & (count - 1) } else { hash % count };
                self.ports[(offset + index) as usize]
            }
        }
    }

    /// Ports that lead to a host on shortest paths.
    pub fn equal_cost_ports(&self, destination: NodeId) -> &[u32] {
        let attachment = &self.attachments[destination as usize];
        match &self.next[attachment.edge as usize] {
            &LOCAL => slice::from_ref(&attachment.port),
            &port if port < CHOICE => slice::from_ref(&self.ports[usize::from(port)]),
            choice => self.ports_of(self.choices[(choice - CHOICE) as usize]),
        }
    }

    /// Port of a host that is attached to this very switch.
    pub fn local_port(&self, destination: NodeId) -> Option<u32> {
        let attachment = self.attachments[destination as usize];
        (self.next[attachment.edge as usize] == LOCAL).then_some(attachment.port)
    }

    /// Whether any host is reached by several ports.
    pub fn has_choices(&self) -> bool {
        !self.choices.is_empty()
    }

    /// Seed with which the switch's hash begins.
    pub fn seed(&self) -> u32 {
        self.seed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SwitchRoutes {
        let attachments = [(0, 5), (1, 6), (2, 7)].map(|(edge, port)| Attachment { edge, port });
        SwitchRoutes::new(Arc::new(attachments), 3, 40, 0)
    }

    #[test]
    fn the_tuple_is_computed_only_for_a_choice() {
        let mut table = table();
        table.set(1, &[9]);
        let never = || panic!("there is no choice");
        assert_eq!(table.port(0, never), 5);
        assert_eq!(table.port(1, never), 9);
    }

    /// The hash of the five-tuple is 0x13adce27 (as in `ecmp.rs`), which is 7 modulo 16.
    #[test]
    fn a_choice_takes_the_hash_modulo_the_number_of_next_hops() {
        let mut table = table();
        table.set(2, &(20..36).collect::<Vec<u32>>());
        assert_eq!(table.port(2, || FiveTuple::of_flow(0, 1, 0)), 27);
    }

    #[test]
    fn equal_choices_are_kept_once() {
        let mut table = table();
        table.set(1, &[1, 2]);
        table.set(2, &[1, 2]);
        assert_eq!((table.choices.len(), table.ports.len()), (1, 40 + 2));
    }

    #[test]
    fn a_port_of_any_number_is_found_alone_or_among_others() {
        let attachments = [(0, 99_999), (1, 6), (2, 7)].map(|(edge, port)| Attachment { edge, port });
        let mut table = SwitchRoutes::new(Arc::new(attachments), 3, 100_000, 0);
        table.set(1, &[32_768]);
        table.set(2, &[32_767, 65_536]);
        let tuple = || FiveTuple::of_flow(0, 1, 0);
        assert_eq!([0, 1].map(|host| table.port(host, tuple)), [99_999, 32_768]);
        assert_eq!(
            [0, 1, 2].map(|host| table.equal_cost_ports(host).to_vec()),
            [vec![99_999], vec![32_768], vec![32_767, 65_536]]
        );
        table.set(1, &[32_767]);
        assert_eq!((table.port(1, tuple), table.equal_cost_ports(1)), (32_767, &[32_767][..]));
    }
}
