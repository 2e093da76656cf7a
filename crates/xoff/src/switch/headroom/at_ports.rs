//! Headroom by hand: one size for all ports, and others for the ports that tables name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Link, Refusal};
use crate::kernel::units::Bytes;

/// Headroom of some ports, with SIH or oversubscribed headroom.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortHeadroom {
    /// Numbers of the ports; no port is named twice.
    #[schemars(extend("minItems" = 1))]
    pub ports: Vec<u32>,
    /// Bytes for each lossless class of each of them [Phi].
    pub size: Bytes,
}

/// Headroom of one class of each link: that of its port, that of all ports, or by formula.
pub(super) fn sizes(
    all: Option<Bytes>,
    at_ports: &[PortHeadroom],
    links: &[Link],
) -> Result<Vec<Bytes>, Refusal> {
    let own = tables(at_ports.iter().map(|table| table.ports.as_slice()), links.len())?;
    let size = |(link, own): (&Link, Option<usize>)| {
        own.map(|table| at_ports[table].size).or(all).unwrap_or(link.worst_case)
    };
    Ok(links.iter().zip(own).map(size).collect())
}

/// Adds a table of `size` for the members of `ports` that no table names yet.
pub(super) fn add(at_ports: &mut Vec<PortHeadroom>, ports: Vec<u32>, size: Bytes) {
    let ports = not_among(ports, at_ports.iter().flat_map(|table| &table.ports));
    if !ports.is_empty() {
        at_ports.push(PortHeadroom { ports, size });
    }
}

/// Ports that no table names.
pub(super) fn not_among<'a>(mut ports: Vec<u32>, named: impl Iterator<Item = &'a u32>) -> Vec<u32> {
    let named: Vec<&u32> = named.collect();
    ports.retain(|port| !named.contains(&port));
    ports
}

/// Returns, for each port, the index of the table that names it, if one does.
pub(super) fn tables<'a>(
    tables: impl Iterator<Item = &'a [u32]>,
    ports: usize,
) -> Result<Vec<Option<usize>>, Refusal> {
    let mut own = vec![None; ports];
    for (place, numbers) in tables.enumerate() {
        for &port in numbers {
            let problem = match own.get_mut(port as usize) {
                Some(table @ None) => {
                    *table = Some(place);
                    continue;
                }
                Some(_) => format!("has port {port} twice"),
                None => format!("has no port {port}"),
            };
            return Err(Refusal {
                key: format!("at_ports[{place}].ports"),
                problem,
                expected: format!("expected each of the ports 0 to {} at most once", ports - 1),
            });
        }
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::{Rate, Span};

    fn links() -> [Link; 4] {
        [10, 20, 30, 40].map(|worst_case| Link {
            rate: Rate::from_gbps(1),
            delay: Span::ZERO,
            worst_case: Bytes::new(worst_case),
        })
    }

    fn of(all: Option<u64>, at_ports: &[(&[u32], u64)]) -> Result<Vec<u64>, Refusal> {
        let table =
            |&(ports, size): &(&[u32], u64)| PortHeadroom { ports: ports.to_vec(), size: Bytes::new(size) };
        let at_ports: Vec<PortHeadroom> = at_ports.iter().map(table).collect();
        sizes(all.map(Bytes::new), &at_ports, &links())
            .map(|sizes| sizes.into_iter().map(Bytes::get).collect())
    }

    #[test]
    fn a_port_has_its_own_size_or_that_of_all_or_its_links() {
        assert_eq!(of(None, &[]), Ok(vec![10, 20, 30, 40]));
        assert_eq!(of(Some(5), &[]), Ok(vec![5; 4]));
        assert_eq!(of(None, &[(&[2], 7)]), Ok(vec![10, 20, 7, 40]));
        assert_eq!(of(Some(5), &[(&[3, 0], 7), (&[1], 0)]), Ok(vec![7, 0, 5, 7]));
    }

    #[test]
    fn a_port_that_is_not_there_or_named_twice_is_refused() {
        let refused = |at_ports| of(None, at_ports).unwrap_err();
        let expected = "expected each of the ports 0 to 3 at most once".to_owned();
        assert_eq!(
            refused(&[(&[0], 7), (&[1, 4], 7)]),
            Refusal { key: "at_ports[1].ports".to_owned(), problem: "has no port 4".to_owned(), expected }
        );
        assert_eq!(refused(&[(&[0], 7), (&[1, 0], 7)]).problem, "has port 0 twice");
        assert_eq!(refused(&[(&[2, 2], 7)]).problem, "has port 2 twice");
    }
}
