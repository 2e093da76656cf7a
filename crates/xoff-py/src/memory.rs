//! Allocator that says in one line that there is no memory left, and ends the process.
//!
//! Rust cannot go on once an allocation has failed, and would abort without a word of what to do. Where memory can run
//! out step by step, `xoff.runs.memory` looks ahead and ends the run alone.

#![allow(unsafe_code)] // an allocator is no other way

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::io::Write;

/// System's allocator, which ends the process where that has no memory.
struct OrEnd;

#[global_allocator]
static ALLOCATOR: OrEnd = OrEnd;

// SAFETY: every call goes on to the system's allocator, with what its caller promises, and its answer comes back.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given(unsafe { System.realloc(block, layout, size) }, size)
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn given(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        end(size);
    }
    block
}

/// Ends the process as a failed run does, at once: nothing else may need memory.
#[cold]
fn end(size: usize) -> ! {
    unsafe extern "C" {
        fn _exit(status: c_int) -> !;
    }
    let _ = writeln!(
        std::io::stderr(),
        "out of memory: the system refuses another {size} B; let fewer packets or flows be under way at once, record less \
         (observe), or find a machine with more memory"
    );
    // SAFETY: it may be called at any time, and does not return.
    unsafe { _exit(1) }
}
