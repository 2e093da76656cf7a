//! Schemes from outside of this crate: congestion controls, buffer policies and markers that a caller brings along.
//!
//! A family that is open to them has one variant more at its end, which holds a boxed scheme. A caller lists what it
//! brings in [`Schemes`] and hands the list to the reader of a scenario. The reader holds the scheme's keys against the
//! scheme's own schema, and has the scheme made from them. The other variants pay nothing for that.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::tagged;

/// Families that are open to schemes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Congestion controls of TCP and RoCE: `transport.NAME.congestion_control.algorithm`.
    CongestionControl,
    /// Buffer policies: `switch.buffer.policy`.
    BufferPolicy,
    /// Markers: `switch.marking.queue.kind` and others.
    Marking,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::CongestionControl, Self::BufferPolicy, Self::Marking];

    /// Name of the family, as the schema has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::CongestionControl => "congestion_control",
            Self::BufferPolicy => "buffer_policy",
            Self::Marking => "marking",
        }
    }

    /// Key that names a scheme of the family.
    pub fn tag(self) -> &'static str {
        match self {
            Self::CongestionControl => "algorithm",
            Self::BufferPolicy => "policy",
            Self::Marking => "kind",
        }
    }

    /// Whether a key of this name names schemes.
    pub(crate) fn is_tag(key: &str) -> bool {
        Self::ALL.iter().any(|family| family.tag() == key)
    }

    /// Family of this name, if it is open.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}

/// Reason for which there is no such scheme, or for which it refuses its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The problem.
    pub problem: String,
    /// The remedy.
    pub expected: String,
}

/// Settings of a scheme, complete, and the scheme that was made from them.
pub type Made<S> = (Map<String, Value>, Arc<S>);
/// Makes a scheme of a family from its settings, which conform to the scheme's schema.
type Make<S> = dyn Fn(Map<String, Value>) -> Result<Made<S>, Refusal> + Send + Sync;

/// Scheme from outside, before it has settings.
#[derive(Clone)]
pub struct Scheme {
    family: Family,
    schema: &'static Value,
    /// An `Arc<Make<S>>`, where `S` is the trait object of the family.
    make: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for Scheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scheme").field("family", &self.family).finish_non_exhaustive()
    }
}

impl Scheme {
    /// Scheme of a family whose settings have this JSON Schema. `S` is the trait object of the family.
    ///
    /// The process keeps the schema from then on.
    pub fn new<S: ?Sized + Send + Sync + 'static>(
        family: Family,
        name: &str,
        schema: &Value,
        make: impl Fn(Map<String, Value>) -> Result<Made<S>, Refusal> + Send + Sync + 'static,
    ) -> Self {
        let settings = schema.clone().try_into().unwrap_or_default();
        let mut variant = tagged::variant(family.tag(), name, None, &settings);
        if let Some(definitions) = schema.get("$defs") {
            variant["$defs"] = definitions.clone();
        }
        let make: Arc<Make<S>> = Arc::new(make);
        Self { family, schema: kept(tagged::plain(variant)), make: Arc::new(make) }
    }

    /// Scheme whose settings are a struct, from which `start` makes it.
    pub(crate) fn of<P, S>(
        family: Family,
        name: &str,
        start: impl Fn(P) -> Arc<S> + Send + Sync + 'static,
    ) -> Self
    where
        P: DeserializeOwned + Serialize + JsonSchema,
        S: ?Sized + Send + Sync + 'static,
    {
        let refuse = |error: serde_json::Error| Refusal {
            problem: error.to_string(),
            expected: "expected what its schema says".to_owned(),
        };
        Self::new::<S>(family, name, &schemars::schema_for!(P).to_value(), move |settings| {
            let parameters: P = serde_json::from_value(Value::Object(settings)).map_err(refuse)?;
            match serde_json::to_value(&parameters).map_err(refuse)? {
                Value::Object(complete) => Ok((complete, start(parameters))),
                _ => Ok((Map::new(), start(parameters))),
            }
        })
    }

    /// Family of the scheme.
    pub fn family(&self) -> Family {
        self.family
    }

    /// JSON Schema of its table, the key that names it included.
    pub(crate) fn schema(&self) -> &'static Value {
        self.schema
    }
}

/// Finds schemes that are not listed, by what their names say.
pub trait Finder: Send + Sync {
    /// Returns the scheme of this name, or nothing if names of this kind are not the finder's.
    fn find(&self, family: Family, name: &str) -> Result<Option<Scheme>, Refusal>;
}

/// Schemes from outside that a scenario may name.
#[derive(Clone, Default)]
pub struct Schemes {
    listed: BTreeMap<(Family, String), Scheme>,
    finder: Option<Arc<dyn Finder>>,
    accepts_unknown_files: bool,
}

impl fmt::Debug for Schemes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Schemes").field("listed", &self.listed).finish_non_exhaustive()
    }
}

impl Schemes {
    /// Lists a scheme under its name in scenarios. One of the same family and name makes way.
    pub fn add(&mut self, name: impl Into<String>, scheme: Scheme) {
        self.listed.insert((scheme.family, name.into()), scheme);
    }

    /// Returns the schemes with another place to look for those that are not listed.
    #[must_use]
    pub fn with_finder(self, finder: Arc<dyn Finder>) -> Self {
        Self { finder: Some(finder), ..self }
    }

    /// Returns the schemes for readers of a scenario that nobody will run: names of files pass, with whatever keys.
    #[must_use]
    pub fn with_unknown_files(self) -> Self {
        Self { accepts_unknown_files: true, ..self }
    }

    fn find(&self, family: Family, name: &str) -> Result<Found, Refusal> {
        if let Some(scheme) = self.listed.get(&(family, name.to_owned())) {
            return Ok(Found::Scheme(scheme.clone()));
        }
        if let Some(finder) = &self.finder
            && let Some(scheme) = finder.find(family, name)?
        {
            return Ok(Found::Scheme(scheme));
        }
        Ok(if self.accepts_unknown_files && file_of(name).is_some() {
            Found::Unknown
        } else {
            Found::Nothing
        })
    }

    /// Reads something with these schemes at hand. Serde hands no context on, so they lie in a thread-local meanwhile.
    pub(crate) fn at_hand<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = AT_HAND.replace(self.clone());
        let result = read();
        AT_HAND.set(before);
        result
    }

    /// Names that are listed for a family.
    pub(crate) fn names_at_hand(family: Family) -> Vec<String> {
        AT_HAND.with_borrow(|schemes| {
            let of_family = schemes.listed.keys().filter(|(other, _)| *other == family);
            of_family.map(|(_, name)| name.clone()).collect()
        })
    }
}

thread_local! {
    static AT_HAND: RefCell<Schemes> = RefCell::default();
}

/// Result of a search among the schemes at hand.
#[derive(Debug)]
pub(crate) enum Found {
    /// There is none of this name.
    Nothing,
    /// There may be one, in a file that nobody has looked into.
    Unknown,
    /// There is one.
    Scheme(Scheme),
}

/// Returns the scheme of a name among those at hand.
pub(crate) fn find(family: Family, name: &str) -> Result<Found, Refusal> {
    let schemes = AT_HAND.with_borrow(Schemes::clone);
    schemes.find(family, name)
}

/// Returns the file in a name such as `my_control.py:MyControl`.
pub(crate) fn file_of(name: &str) -> Option<&str> {
    name.rsplit_once(':').map(|(file, _)| file).filter(|file| file.contains('.'))
}

/// A scheme from outside with its settings, as a variant of its family.
pub struct Outside<S: ?Sized> {
    name: &'static str,
    tag: &'static str,
    settings: Map<String, Value>,
    made: Option<Arc<S>>,
}

impl<S: ?Sized + 'static> Outside<S> {
    /// Reads a table whose tag key is taken out. Returns nothing if no scheme of this name is at hand.
    pub(crate) fn read(
        family: &str,
        name: &str,
        settings: &Map<String, Value>,
    ) -> Result<Option<Self>, String> {
        let Some(family) = Family::named(family) else { return Ok(None) };
        let said = |refusal: Refusal| format!("{}; {}", refusal.problem, refusal.expected);
        let new = |settings, made| {
            let (name, tag) = (interned(name), family.tag());
            Self { name, tag, settings, made }
        };
        match find(family, name).map_err(said)? {
            Found::Nothing => Ok(None),
            Found::Unknown => Ok(Some(new(settings.clone(), None))),
            Found::Scheme(scheme) => {
                let make = scheme.make.downcast_ref::<Arc<Make<S>>>().ok_or("is of another family")?;
                let (settings, made) = make(settings.clone()).map_err(said)?;
                Ok(Some(new(settings, Some(made))))
            }
        }
    }
}

impl<S: ?Sized> Outside<S> {
    /// Name of the scheme in scenarios.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The scheme, unless its file is unknown.
    pub(crate) fn made(&self) -> Option<&S> {
        self.made.as_deref()
    }

    /// The scheme of a scenario that may run.
    pub(crate) fn scheme(&self) -> &S {
        self.made().expect("a scenario with schemes that nobody has looked for is not run")
    }
}

impl<S: ?Sized> Clone for Outside<S> {
    fn clone(&self) -> Self {
        let &Self { name, tag, ref settings, ref made } = self;
        Self { name, tag, settings: settings.clone(), made: made.clone() }
    }
}

impl<S: ?Sized> fmt::Debug for Outside<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:?}", self.name, self.settings)
    }
}

impl<S: ?Sized> PartialEq for Outside<S> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.settings) == (other.name, &other.settings)
    }
}

impl<S: ?Sized> Serialize for Outside<S> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        let mut table = serializer.serialize_map(Some(1 + self.settings.len()))?;
        table.serialize_entry(self.tag, self.name)?;
        for (key, value) in &self.settings {
            table.serialize_entry(key, value)?;
        }
        table.end()
    }
}

/// Returns a schema that the process keeps, once for each.
fn kept(schema: Value) -> &'static Value {
    static KEPT: Mutex<BTreeMap<String, &'static Value>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(schema.to_string()).or_insert_with(|| Box::leak(Box::new(schema)))
}

/// Returns a text that the process keeps, once for each.
fn interned(text: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(text) {
        return known;
    }
    let new = &*Box::leak(text.to_owned().into_boxed_str());
    kept.insert(new);
    new
}
