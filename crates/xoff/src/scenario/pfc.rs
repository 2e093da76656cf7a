//! `[[class]]` and `[pfc]`: traffic classes, and how the links carry priority flow control.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::classes::Classes;
use crate::kernel::units::{Bytes, Rate, Ratio, Span};
use crate::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};
use crate::switch::headroom;

/// The number of a class, 0 to 7, where it names a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassNumber(pub u8);

/// One traffic class, on every link. Left out, all eight are there and may lose packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Priority of the class, 0 to 7.
    #[schemars(extend("maximum" = 7))]
    pub priority: u8,
    /// Whether switches pause senders (PFC) rather than drop its packets.
    #[serde(default)]
    pub lossless: bool,
}

/// Forms of a pause: by time, or until it is taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseForm {
    /// For the quanta that the frame names; said again at half of them as long as there is reason to (IEEE 802.1Qbb).
    #[default]
    Quanta,
    /// Until a frame ends it.
    OnOff,
}

/// Priority flow control on all links.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pfc {
    /// Form of a pause.
    #[serde(default)]
    pub form: PauseForm,
    /// Quanta of 512 bit times that a pause frame names [pause_time]. With fewer than 32, frames that say a pause again would
    /// leave no room for anything else.
    #[serde(default = "longest_pause")]
    #[schemars(extend("minimum" = 32))]
    pub pause_quanta: u16,
    /// Quanta between the arrival of a frame and its effect. Left out, what IEEE 802.3 allows at the link's rate.
    #[serde(default)]
    pub reaction_quanta: Option<u16>,
    /// A class of a port that is paused for so long without a break is a storm, and warned of; the default is that of
    /// SONiC's watchdog, pfcwd [T0].
    #[serde(default = "default_detection_time")]
    #[schemars(extend("x-above" = "0s"))]
    pub detection_time: Span,
    /// Watchdog of queues that hold packets and have been paused for `detection_time` [PFC watchdog]. Left out, there
    /// is none.
    #[serde(default)]
    pub watchdog: Option<Watchdog>,
}

/// Watchdog of all switches, which lets a queue go that is paused for too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Watchdog {
    /// Fate of the queue's packets.
    #[serde(default)]
    pub action: WatchdogAction,
    /// Time for which pauses must be over until the queue is as before [T1]. Left out, twice the `detection_time`.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub restoration_time: Option<Span>,
}

impl Watchdog {
    /// Returns the time for which pauses must be over, with the default from the detection time.
    pub fn restoration_after(&self, detection_time: Span) -> Span {
        self.restoration_time.unwrap_or(detection_time * 2)
    }
}

/// Fates of the packets of a queue that is paused for too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogAction {
    /// The switch drops the queue's packets, and those that arrive for the queue.
    #[default]
    Drop,
    /// Packets leave as if nobody paused them. In what is told of pauses, the one that was too long ends with that.
    Forward,
}

fn longest_pause() -> u16 {
    u16::MAX
}

fn default_detection_time() -> Span {
    Span::from_milliseconds(200)
}

impl Default for Pfc {
    fn default() -> Self {
        Self {
            form: PauseForm::default(),
            pause_quanta: longest_pause(),
            reaction_quanta: None,
            detection_time: default_detection_time(),
            watchdog: None,
        }
    }
}

/// Thresholds at which a switch pauses its senders of lossless classes, and the memory for packets that come after
/// that. A key that is left out keeps the value of an earlier table or the default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PausingTable {
    /// Bytes of one class that came in by one port at which its sender pauses, as a policy on the lossless pool [XOFF].
    #[serde(default)]
    #[schemars(extend("default" = Pausing::default().xoff))]
    pub xoff: Option<buffer_policy::Parameters>,
    /// Bytes below that at which the sender resumes [delta]. Left out, two of the largest frames.
    #[serde(default)]
    pub xon_offset: Option<Bytes>,
    /// Memory that is set aside for packets that come after a pause.
    #[serde(default)]
    #[schemars(extend("default" = Pausing::default().headroom))]
    pub headroom: Option<headroom::Parameters>,
    /// Bytes set aside for each lossless class of each port, used before the lossless pool.
    #[serde(default)]
    #[schemars(extend("default" = Pausing::default().reserved))]
    pub reserved: Option<Bytes>,
    /// Memory that lossless classes share. Left out, three quarters of what reserves and headroom leave.
    #[serde(default)]
    pub lossless_pool: Option<Bytes>,
    /// Memory that lossless classes leave to others, instead of `lossless_pool`.
    #[serde(default)]
    pub lossy_pool: Option<Bytes>,
    /// At ports whose link has this rate, key by key; of a link with a rate each way, the one at which the port receives.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, PortPausing>", extend("propertyNames" = { "$ref": "#/$defs/Rate" }))]
    pub at_rate: BTreeMap<Rate, PortPausing>,
}

/// Thresholds at which a switch pauses the senders into the ports of one rate. A key that is left out is as for all
/// ports.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortPausing {
    /// Bytes of one class that came in by one port at which its sender pauses [XOFF].
    #[serde(default)]
    pub xoff: Option<buffer_policy::Parameters>,
    /// Bytes for what comes after a pause, for each lossless class of each of them [Phi], in place of the scheme's `size`.
    #[serde(default)]
    pub headroom: Option<Bytes>,
}

impl PausingTable {
    /// The policies by which senders pause, each with its key.
    pub(super) fn policies(&self) -> impl Iterator<Item = (String, &buffer_policy::Parameters)> {
        let of_all = self.xoff.as_ref().map(|xoff| ("xoff".to_owned(), xoff));
        let at_rates = self.at_rate.iter();
        let at_rates =
            at_rates.filter_map(|(rate, at)| Some((format!("at_rate.{rate}.xoff"), at.xoff.as_ref()?)));
        of_all.into_iter().chain(at_rates)
    }

    /// Whether it says something of a key; of any, if the key is empty.
    pub fn says(&self, key: &str) -> bool {
        match key {
            "xoff" => self.xoff.is_some(),
            "xon_offset" => self.xon_offset.is_some(),
            "headroom" => self.headroom.is_some(),
            "reserved" => self.reserved.is_some(),
            "lossless_pool" => self.lossless_pool.is_some(),
            "lossy_pool" => self.lossy_pool.is_some(),
            "at_rate" => !self.at_rate.is_empty(),
            _ => true,
        }
    }
}

/// Pausing settings of one switch, to which all tables come.
#[derive(Clone, Debug, PartialEq)]
pub struct Pausing {
    /// Threshold at which senders pause.
    pub xoff: buffer_policy::Parameters,
    /// Bytes below the threshold at which senders resume.
    pub xon_offset: Option<Bytes>,
    /// Memory that is set aside for packets that come after a pause.
    pub headroom: headroom::Parameters,
    /// Bytes set aside for each lossless class of each port.
    pub reserved: Bytes,
    /// Memory that lossless classes share.
    pub lossless_pool: Option<Bytes>,
    /// Memory that they leave to others.
    pub lossy_pool: Option<Bytes>,
    /// Exceptions at ports of a rate.
    pub at_rate: BTreeMap<Rate, PortPausing>,
}

impl Default for Pausing {
    fn default() -> Self {
        let alpha = Ratio::new(1, 8);
        let xoff = DynamicThreshold { alpha, ..DynamicThreshold::default() };
        Self {
            xoff: buffer_policy::Parameters::DynamicThreshold(xoff),
            xon_offset: None,
            headroom: headroom::Parameters::default(),
            reserved: Bytes::ZERO,
            lossless_pool: None,
            lossy_pool: None,
            at_rate: BTreeMap::new(),
        }
    }
}

impl Pausing {
    /// Returns the threshold at which the senders into ports of a rate pause.
    pub fn xoff_at(&self, rate: Rate) -> &buffer_policy::Parameters {
        self.at_rate.get(&rate).and_then(|at| at.xoff.as_ref()).unwrap_or(&self.xoff)
    }

    /// A table that says the same.
    pub(super) fn table(self) -> PausingTable {
        let Self { xoff, xon_offset, headroom, reserved, lossless_pool, lossy_pool, at_rate } = self;
        PausingTable {
            xoff: Some(xoff),
            xon_offset,
            headroom: Some(headroom),
            reserved: Some(reserved),
            lossless_pool,
            lossy_pool,
            at_rate,
        }
    }

    /// Puts over it what a table says, key by key. Of the two ways to share memory the later table's is left.
    pub(super) fn apply(&mut self, table: &PausingTable) {
        let PausingTable { xoff, xon_offset, headroom, reserved, lossless_pool, lossy_pool, at_rate } = table;
        if lossless_pool.is_some() || lossy_pool.is_some() {
            (self.lossless_pool, self.lossy_pool) = (*lossless_pool, *lossy_pool);
        }
        self.xon_offset = xon_offset.or(self.xon_offset);
        self.reserved = reserved.unwrap_or(self.reserved);
        if let Some(xoff) = xoff {
            self.xoff = xoff.clone();
        }
        if let Some(headroom) = headroom {
            self.headroom = headroom.clone();
        }
        for (rate, PortPausing { xoff, headroom }) in at_rate {
            let own = self.at_rate.entry(*rate).or_default();
            own.headroom = headroom.or(own.headroom);
            if let Some(xoff) = xoff {
                own.xoff = Some(xoff.clone());
            }
        }
    }
}

impl Scenario {
    /// The lossless ones.
    pub fn lossless_classes(&self) -> Classes {
        let lossless = self.class.iter().filter(|class| class.lossless);
        lossless.map(|class| class.priority).collect()
    }

    /// Whether any port may be paused.
    pub fn has_lossless_class(&self) -> bool {
        !self.lossless_classes().is_empty()
    }
}
