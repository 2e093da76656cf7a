//! Prefetching: memory is asked for before it is read or written, so that nothing waits for it then.

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
