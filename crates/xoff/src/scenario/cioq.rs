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
    /// Its size.
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
    /// What frames in it wait behind.
    #[serde(default)]
    #[schemars(extend("default" = Queues::default()))]
    pub queues: Option<Queues>,
    /// What measures the congestion of each class in it, and tells sources (QCN). Left out, nothing.
    #[serde(default)]
    pub congestion_point: Option<congestion_point::Parameters>,
    /// What marks packets (ECN), on the length of what they wait behind in it: their virtual output queue. Left out, nothing. Ports whose
    /// links have credits mark nothing.
    #[serde(default)]
    pub marking: Option<marking::Parameters>,
}

/// The buffer of every output.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputTable {
    /// Its size, of which every class in use has an equal part.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().output.buffer, "x-at-least" = "1B"))]
    pub buffer: Option<Bytes>,
    /// What measures the congestion of each class in it, by arrivals only, and tells sources (QCN). Left out, nothing.
    #[serde(default)]
    pub congestion_point: Option<congestion_point::Parameters>,
    /// What marks packets (ECN), on the length of the queue of their class in it. Left out, nothing. Ports whose links have credits mark
    /// nothing.
    #[serde(default)]
    pub marking: Option<marking::Parameters>,
}

/// The buffers of a port whose link has credits, of which every class in use has an equal part.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InternalTable {
    /// That of its input.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().internal.input, "x-at-least" = "1B"))]
    pub input: Option<Bytes>,
    /// That of its output.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().internal.output, "x-at-least" = "1B"))]
    pub output: Option<Bytes>,
}

/// What frames in the buffer of an input wait behind.
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

/// What all tables say of one switch with queues at inputs and outputs.
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
    /// Who crosses, and how fast.
    pub crossbar: matching::Parameters,
    /// Whether inputs keep copies of packets until they have come out of the fabric.
    pub reliable_delivery: bool,
}

/// The buffers of a port whose link has credits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Internal {
    /// That of its input.
    pub input: Bytes,
    /// That of its output.
    pub output: Bytes,
}

/// The buffer of every input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its size.
    pub buffer: Bytes,
    /// When senders pause, if that is said.
    pub xoff: Option<Bytes>,
    /// When they resume, if that is said.
    pub xon: Option<Bytes>,
    /// What frames wait behind.
    pub queues: Queues,
    /// What measures congestion.
    pub congestion_point: Option<congestion_point::Parameters>,
    /// What marks packets.
    pub marking: Option<marking::Parameters>,
}

/// The buffer of every output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its size.
    pub buffer: Bytes,
    /// What measures congestion.
    pub congestion_point: Option<congestion_point::Parameters>,
    /// What marks packets.
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
