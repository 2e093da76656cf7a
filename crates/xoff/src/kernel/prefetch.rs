//! Prefetching: memory is asked for before it is read or written, so that nothing waits for it then.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Prefetches the cache line at an address, which may be any: a prefetch is a hint and never faults.
#[inline]
#[allow(unsafe_code)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address is a hint and touches nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
}

/// Prefetches all cache lines of a value that begins a cache line.
#[inline]
pub fn prefetch_all<T>(value: &T) {
    let first = std::ptr::from_ref(value).cast::<u8>();
    (0..size_of::<T>()).step_by(LINE).for_each(|offset| prefetch(first.wrapping_add(offset)));
}
