//! A column of results that Python reads where it stands, by the buffer protocol.

use std::ffi::c_int;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Numbers of one type, in the machine's byte order.
#[pyclass(frozen, module = "xoff._xoff")]
pub(crate) struct Column(Numbers);

enum Numbers {
    Bool(Vec<bool>),
    U8(Vec<u8>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F64(Vec<f64>),
}

macro_rules! from_vec {
    ($($type:ty => $variant:ident),*) => {
        $(impl From<Vec<$type>> for Column {
            fn from(numbers: Vec<$type>) -> Self {
                Self(Numbers::$variant(numbers))
            }
        })*
    };
}
from_vec!(bool => Bool, u8 => U8, u32 => U32, u64 => U64, f64 => F64);

impl Column {
    /// Returns the address of the bytes, their number, and the number of values.
    fn extent(&self) -> (*const u8, usize, usize) {
        fn of<T>(numbers: &[T]) -> (*const u8, usize, usize) {
            (numbers.as_ptr().cast(), size_of_val(numbers), numbers.len())
        }
        match &self.0 {
            Numbers::Bool(numbers) => of(numbers),
            Numbers::U8(numbers) => of(numbers),
            Numbers::U32(numbers) => of(numbers),
            Numbers::U64(numbers) => of(numbers),
            Numbers::F64(numbers) => of(numbers),
        }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.extent().2
    }

    /// Fills a read-only view of bytes, which keeps this object alive.
    #[allow(unsafe_code)] // the buffer protocol is a C interface; the column never changes nor moves
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (start, bytes, _) = slf.get().extent();
        let length = isize::try_from(bytes).map_err(|_| PyBufferError::new_err("column too large"))?;
        // SAFETY: Python passes a valid `view`; the memory belongs to `slf`, which the view holds.
        let status =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast_mut().cast(), length, 1, flags) };
        if status == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
