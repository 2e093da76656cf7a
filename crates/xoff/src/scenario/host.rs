//! `[host]`: what every host adds around its transport.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::congestion_control::qcn;
use crate::kernel::units::{Bytes, Span};
use crate::scheduler;
use crate::switch::marking;

/// Delays and queues that every host adds around its transport.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Delay between transport and adapter, each way. RoCE's transport is in the adapter, and waits for nothing.
    #[serde(default)]
    pub delay: Span,
    /// Adds to each segment's host delay a uniform time below one packet time, order kept; breaks phase lockout. RoCE, which has
    /// no host delay, has none.
    #[serde(default)]
    pub jitter: bool,
    /// Bytes the adapter's queue holds before it drops. Left out, it never drops.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub adapter_queue: Option<Bytes>,
    /// Marker in the adapter, on the length of a packet's own queue. RoCE makes a packet when the one before it
    /// starts, so that only that one waits.
    #[serde(default)]
    pub marking: Option<marking::Parameters>,
    /// Bytes one flow may have waiting in the adapter before its transport holds back (TCP small queues).
    #[serde(default = "default_small_queue")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub small_queue: Bytes,
    /// Time that the adapter takes to answer a mark with a CNP.
    #[serde(default)]
    pub cnp_delay: Span,
    /// Least time from one CNP of the adapter to the next, of whatever flows (1 to 5 us in SIGCOMM 2015, section 3.3).
    #[serde(default)]
    pub cnp_spacing: Span,
    /// Limits of the adapter on flows of which congestion notification messages tell (802.1Qau); without messages,
    /// there are none.
    #[serde(default)]
    pub reaction_point: qcn::Parameters,
    /// Scheduler of the adapter's queues.
    #[serde(default)]
    pub scheduler: scheduler::Parameters,
    /// Most bytes of new data that leave the stack as one train, which the adapter cuts into segments (TSO). A train waits
    /// until the window has room for it, or a third of the window is free. Left out, each segment goes by itself.
    #[serde(default)]
    pub segmentation_offload: Option<Bytes>,
    /// Lets arriving packets wait in the adapter and interrupts the host for many at once. Left out, each is handed up
    /// as it comes, unless `poll_time` has it wait.
    #[serde(default)]
    pub interrupt_moderation: Option<InterruptModeration>,
    /// Time that the host takes for one poll of its adapter (NAPI), instead of `interrupt_moderation`. A packet that finds
    /// the host idle is polled at once, and what arrives during a poll is handed up together by the next. Left out, a
    /// poll takes no time.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub poll_time: Option<Span>,
    /// Most bytes of one flow that are handed up, and acknowledged, as one segment (GRO): what follows in order, with the
    /// same mark and by the same interrupt or poll. Without `interrupt_moderation` or `poll_time` each packet is polled by
    /// itself, so that none join; the sender still counts an acknowledgement of several segments as one of each. Left
    /// out, segments stay as they came.
    #[serde(default)]
    pub receive_offload: Option<Bytes>,
}

/// Interrupts of the host by the adapter for packets that have arrived, by the first of two limits. The defaults are
/// those of Linux's driver for `ConnectX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InterruptModeration {
    /// The first of them has waited this long [rx-usecs].
    #[schemars(extend("x-above" = "0s"))]
    pub time: Span,
    /// So many of them are waiting [rx-frames].
    #[schemars(extend("minimum" = 1))]
    pub packets: u32,
}

impl Default for InterruptModeration {
    fn default() -> Self {
        Self { time: Span::from_microseconds(16), packets: 32 }
    }
}

fn default_small_queue() -> Bytes {
    Bytes::new(64_000)
}

impl Host {
    /// Whether packets for transports in software may wait to be handed up together, for an interrupt or a poll.
    pub fn hands_up_together(&self) -> bool {
        self.interrupt_moderation.is_some() || self.poll_time.is_some()
    }
}

impl Default for Host {
    fn default() -> Self {
        Self {
            delay: Span::ZERO,
            jitter: false,
            adapter_queue: None,
            marking: None,
            small_queue: default_small_queue(),
            segmentation_offload: None,
            interrupt_moderation: None,
            poll_time: None,
            receive_offload: None,
            cnp_delay: Span::ZERO,
            cnp_spacing: Span::ZERO,
            reaction_point: qcn::Parameters::default(),
            scheduler: scheduler::Parameters::default(),
        }
    }
}
