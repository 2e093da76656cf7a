//! Persistent connections of a host: connections that are open, and the free ones among them.

use std::collections::BTreeMap;

use super::Flow;
use crate::kernel::units::Span;
use crate::topology::NodeId;
use crate::transport::tcp::Connection;

/// Connections by destination and transport, in the order they were opened.
#[derive(Debug, Default)]
pub(super) struct OpenConnections {
    /// Connections open towards one destination; `None` for one that carries a flow.
    open: BTreeMap<(NodeId, u8), Vec<Option<Connection>>>,
}

impl OpenConnections {
    /// Takes the first free connection for `flow`. Returns its number and what its last flow left there, or `None` if
    /// it had to be opened.
    pub(super) fn take(&mut self, flow: &Flow) -> (u32, Option<Connection>) {
        let open = self.open.entry((flow.destination, flow.transport)).or_default();
        let number = open.iter().position(Option::is_some).unwrap_or_else(|| {
            open.push(None);
            open.len() - 1
        });
        (number as u32, open[number].take())
    }

    /// Lets all free connections have been idle for longer by `span`.
    pub(super) fn rest_for(&mut self, span: Span) {
        self.open.values_mut().flatten().flatten().for_each(|connection| connection.rest_for(span));
    }

    /// Frees the connection of `flow`, which is done.
    pub(super) fn give_back(&mut self, flow: &Flow, number: u32, connection: Connection) {
        if let Some(open) = self.open.get_mut(&(flow.destination, flow.transport)) {
            open[number as usize] = Some(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion_control::Identity;
    use crate::kernel::units::{Bytes, Time};
    use crate::reading::from_text;
    use crate::scenario::{Host, Tcp};
    use crate::transport::tcp::TcpSender;

    fn flow(destination: u32) -> Flow {
        Flow {
            start: Time::ZERO,
            number: 0,
            destination,
            reception: 0,
            size: Bytes::ZERO,
            priority: 0,
            transport: 0,
            workload: 0,
        }
    }

    fn left() -> Connection {
        let settings: Tcp = from_text("congestion_control = { algorithm = 'reno' }");
        TcpSender::new(&settings, &Host::default(), Bytes::ZERO, Identity::default()).into_connection()
    }

    #[test]
    fn flows_at_once_use_different_connections_and_later_ones_the_first_free() {
        let mut connections = OpenConnections::default();
        let take = |connections: &mut OpenConnections, destination| {
            let (number, left) = connections.take(&flow(destination));
            (number, left.is_some())
        };
        for number in 0..3 {
            assert_eq!(take(&mut connections, 7), (number, false));
        }
        connections.give_back(&flow(7), 2, left());
        connections.give_back(&flow(7), 1, left());
        assert_eq!(take(&mut connections, 8), (0, false), "another destination");
        assert_eq!(take(&mut connections, 7), (1, true));
        assert_eq!(take(&mut connections, 7), (2, true));
        assert_eq!(take(&mut connections, 7), (3, false));
    }
}
