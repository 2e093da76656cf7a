//! Keys of a `[[switch]]` with queues at its inputs and outputs, and what they come to for one switch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::Bytes;
use crate::switch::congestion_point;
use crate::switch::marking;
use crate::switch::matching;

/// The buffer of every input.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputTable {
    /// Size of the buffer of an input.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().input.buffer, "x-at-least" = "1B"))]
    pub buffer: Option<Bytes>,
    /// Bytes of a lossless class in it at which the sender pauses [STOP, `Q_PFC-hi`]. Left out, what leaves room for all that may
    /// still arrive.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub xoff: Option<Bytes>,
    /// Bytes of a lossless class in it at which the sender resumes [GO, `Q_PFC-lo`]. Left out, two of the largest frames below `xoff`.
    #[serde(default)]
    pub xon: Option<Bytes>,
    /// Queues in which frames wait in the buffer.
    #[serde(default)]
    #[schemars(extend("default" = Queues::default()))]
    pub queues: Option<Queues>,
    /// Congestion point of each class in the buffer, which tells sources of congestion (QCN). Left out, there is
    /// none.
    #[serde(default)]
    pub congestion_point: Option<congestion_point::Parameters>,
    /// Marker (ECN), on the length of the virtual output queue in which a packet waits. Left out, there is none.
    /// Ports whose links have credits mark nothing.
    #[serde(default)]
    pub marking: Option<marking::Parameters>,
}

/// The buffer of every output.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputTable {
    /// Size of the buffer of an output, of which every class in use has an equal part.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().output.buffer, "x-at-least" = "1B"))]
    pub buffer: Option<Bytes>,
    /// Congestion point of each class in the buffer, which counts arrivals only and tells sources (QCN). Left out,
    /// there is none.
    #[serde(default)]
    pub congestion_point: Option<congestion_point::Parameters>,
    /// Marker (ECN), on the length of the queue of a packet's class. Left out, there is none. Ports whose links have
    /// credits mark nothing.
    #[serde(default)]
    pub marking: Option<marking::Parameters>,
}

/// The buffers of a port whose link has credits, of which every class in use has an equal part.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InternalTable {
    /// Buffer of the port's input.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().internal.input, "x-at-least" = "1B"))]
    pub input: Option<Bytes>,
    /// Buffer of the port's output.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().internal.output, "x-at-least" = "1B"))]
    pub output: Option<Bytes>,
}

/// Queues in which frames wait in the buffer of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Queues {
    /// Frames of their class for the same output: virtual output queues (VOQs).
    #[default]
    PerOutput,
    /// Frames of their class for the same host: virtual output queues of a line card, by the outputs of the whole fabric.
    PerDestination,
    /// All frames of their class: the first blocks all others.
    One,
}

/// Settings of one switch with queues at inputs and outputs, to which all tables come.
#[derive(Clone, Debug, PartialEq)]
pub struct CioqSettings {
    /// Bytes in which buffers are counted.
    pub unit: Bytes,
    /// The buffer of every input.
    pub input: Input,
    /// The buffer of every output.
    pub output: Output,
    /// The buffers of ports whose links have credits.
    pub internal: Internal,
    /// Matching of inputs to outputs, and its speed.
    pub crossbar: matching::Parameters,
    /// Whether inputs keep copies of packets until they have come out of the fabric.
    pub reliable_delivery: bool,
}

/// The buffers of a port whose link has credits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Internal {
    /// Buffer of the input side.
    pub input: Bytes,
    /// Buffer of the output side.
    pub output: Bytes,
}

/// The buffer of every input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Size of the buffer.
    pub buffer: Bytes,
    /// Occupancy at which senders pause, if it is set.
    pub xoff: Option<Bytes>,
    /// Occupancy at which senders resume, if it is set.
    pub xon: Option<Bytes>,
    /// Queues in which frames wait.
    pub queues: Queues,
    /// Congestion point, if there is one.
    pub congestion_point: Option<congestion_point::Parameters>,
    /// Marker of packets, if there is one.
    pub marking: Option<marking::Parameters>,
}

/// The buffer of every output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Size of the buffer.
    pub buffer: Bytes,
    /// Congestion point, if there is one.
    pub congestion_point: Option<congestion_point::Parameters>,
    /// Marker of packets, if there is one.
    pub marking: Option<marking::Parameters>,
}

/// The paper's sizes (QCN-OS, table I).
const DEFAULT_BUFFER: Bytes = Bytes::new(150_000);
/// The paper's buffer in front of a link between supernodes (QCN-OS, section V).
const DEFAULT_INTERNAL: Bytes = Bytes::new(32_000);

impl Default for CioqSettings {
    fn default() -> Self {
        Self {
            unit: Bytes::new(64),
            input: Input {
                buffer: DEFAULT_BUFFER,
                xoff: None,
                xon: None,
                queues: Queues::default(),
                congestion_point: None,
                marking: None,
            },
            output: Output { buffer: DEFAULT_BUFFER, congestion_point: None, marking: None },
            internal: Internal { input: DEFAULT_INTERNAL, output: DEFAULT_INTERNAL },
            reliable_delivery: false,
            crossbar: matching::Parameters::default(),
        }
    }
}
