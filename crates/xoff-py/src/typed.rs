//! Settings as Python values: tables as dictionaries, quantities as classes of `xoff.scenario.quantities`, ratios as
//! fractions.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use serde::Serialize;
use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple};
use xoff::units::{Bytes, Rate, Span};

/// Returns a value of the simulator as Python values; keys that are not set are left out of tables.
pub(crate) fn typed<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    value.serialize(Typed { py }).map_err(|Failure(error)| error)
}

/// An error of Python within Serde.
#[derive(Debug)]
struct Failure(PyErr);

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Failure {}

impl ser::Error for Failure {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self(pyo3::exceptions::PyTypeError::new_err(message.to_string()))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

type Made<'py> = Result<Bound<'py, PyAny>, Failure>;

#[derive(Clone, Copy)]
struct Typed<'py> {
    py: Python<'py>,
}

impl<'py> Typed<'py> {
    fn made<T: IntoPyObjectExt<'py>>(self, value: T) -> Made<'py> {
        Ok(value.into_bound_py_any(self.py)?)
    }

    /// Makes a quantity of its number of base units and its spelling in a scenario.
    fn quantity(self, class: &str, number: u64, spelled: String) -> Made<'py> {
        Ok(self.py.import("xoff.scenario.quantities")?.getattr(class)?.call1((number, spelled))?)
    }
}

impl<'py> ser::Serializer for Typed<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;
    type SerializeSeq = Items<'py>;
    type SerializeTuple = Items<'py>;
    type SerializeTupleStruct = Impossible<Self::Ok, Failure>;
    type SerializeTupleVariant = Impossible<Self::Ok, Failure>;
    type SerializeMap = Entries<'py>;
    type SerializeStruct = Entries<'py>;
    type SerializeStructVariant = Impossible<Self::Ok, Failure>;

    fn is_human_readable(&self) -> bool {
        false
    }
    fn serialize_bool(self, value: bool) -> Made<'py> {
        Ok(PyBool::new(self.py, value).to_owned().into_any())
    }
    fn serialize_i8(self, value: i8) -> Made<'py> {
        self.made(value)
    }
    fn serialize_i16(self, value: i16) -> Made<'py> {
        self.made(value)
    }
    fn serialize_i32(self, value: i32) -> Made<'py> {
        self.made(value)
    }
    fn serialize_i64(self, value: i64) -> Made<'py> {
        self.made(value)
    }
    fn serialize_u8(self, value: u8) -> Made<'py> {
        self.made(value)
    }
    fn serialize_u16(self, value: u16) -> Made<'py> {
        self.made(value)
    }
    fn serialize_u32(self, value: u32) -> Made<'py> {
        self.made(value)
    }
    fn serialize_u64(self, value: u64) -> Made<'py> {
        self.made(value)
    }
    fn serialize_f32(self, value: f32) -> Made<'py> {
        self.made(value)
    }
    fn serialize_f64(self, value: f64) -> Made<'py> {
        self.made(value)
    }
    fn serialize_char(self, value: char) -> Made<'py> {
        self.made(value)
    }
    fn serialize_str(self, value: &str) -> Made<'py> {
        Ok(PyString::new(self.py, value).into_any())
    }
    fn serialize_bytes(self, value: &[u8]) -> Made<'py> {
        self.made(value)
    }
    fn serialize_none(self) -> Made<'py> {
        self.serialize_unit()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'py> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Made<'py> {
        Ok(self.py.None().into_bound(self.py))
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Made<'py> {
        self.serialize_unit()
    }
    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Made<'py> {
        self.serialize_str(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Made<'py> {
        let inner = value.serialize(self)?;
        match name {
            "Bytes" => {
                let number = inner.extract()?;
                self.quantity("Size", number, Bytes::new(number).to_string())
            }
            "Rate" => {
                let number = inner.extract()?;
                self.quantity("Rate", number, Rate::new(number).to_string())
            }
            "Span" => {
                let number = inner.extract()?;
                self.quantity("Time", number, Span::new(number).to_string())
            }
            "Ratio" => {
                let [above, below]: [u64; 2] = inner.extract()?;
                Ok(self.py.import("fractions")?.getattr("Fraction")?.call1((above, below))?)
            }
            _ => Ok(inner),
        }
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Made<'py> {
        let mut entries = self.serialize_map(Some(1))?;
        entries.serialize_entry(variant, value)?;
        SerializeMap::end(entries)
    }
    fn serialize_seq(self, _length: Option<usize>) -> Result<Items<'py>, Failure> {
        Ok(Items(self, PyList::empty(self.py)))
    }
    fn serialize_tuple(self, length: usize) -> Result<Items<'py>, Failure> {
        self.serialize_seq(Some(length))
    }
    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleStruct, Failure> {
        Err(ser::Error::custom("no setting is a tuple with a name"))
    }
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeTupleVariant, Failure> {
        Err(ser::Error::custom("no setting is a tuple with a name"))
    }
    fn serialize_map(self, _length: Option<usize>) -> Result<Entries<'py>, Failure> {
        Ok(Entries { typed: self, found: PyDict::new(self.py), key: None })
    }
    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<Entries<'py>, Failure> {
        self.serialize_map(Some(length))
    }
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Self::SerializeStructVariant, Failure> {
        Err(ser::Error::custom("no setting has its kind outside"))
    }
}

/// A list that is being made. Tuples, too, are lists, as in TOML.
struct Items<'py>(Typed<'py>, Bound<'py, PyList>);

impl<'py> SerializeSeq for Items<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        Ok(self.1.append(value.serialize(self.0)?)?)
    }
    fn end(self) -> Made<'py> {
        Ok(self.1.into_any())
    }
}

impl<'py> SerializeTuple for Items<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        SerializeSeq::serialize_element(self, value)
    }
    fn end(self) -> Made<'py> {
        SerializeSeq::end(self)
    }
}

/// A table that is being made.
struct Entries<'py> {
    typed: Typed<'py>,
    found: Bound<'py, PyDict>,
    key: Option<Bound<'py, PyAny>>,
}

impl<'py> SerializeMap for Entries<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        self.key = Some(key.serialize(self.typed)?);
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        let value = value.serialize(self.typed)?;
        match self.key.take() {
            Some(key) if !value.is_none() => Ok(self.found.set_item(key, value)?),
            _ => Ok(()),
        }
    }
    fn end(self) -> Made<'py> {
        Ok(self.found.into_any())
    }
}

impl<'py> SerializeStruct for Entries<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Failure;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        self.serialize_entry(key, value)
    }
    fn end(self) -> Made<'py> {
        SerializeMap::end(self)
    }
}
