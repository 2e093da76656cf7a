//! Border between JavaScript and this module: four functions one way, two the other.
//!
//! JavaScript asks for room, writes a request there, calls `ask`, and reads the answer where `answer` says. A module that
//! has failed cannot go on; JavaScript makes another.

#![allow(unsafe_code)] // addresses are all that crosses the border

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;

use xoff::Progress;

use crate::Session;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Tells how far a run is: time and end of the run in ns, NaN for an unknown end; flows started and finished.
    fn progress(now_ns: f64, end_ns: f64, started: f64, finished: f64);
    /// Tells in one line why this module fails. Throws an exception, and does not return.
    fn fail(text: *const u8, length: usize) -> !;
}

/// Told where no memory is left.
const OUT_OF_MEMORY: &str = "out of memory";

#[derive(Default)]
struct Border {
    session: Session,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static BORDER: RefCell<Border> = RefCell::default();
}

/// Prepares the module. Called once, first.
#[unsafe(no_mangle)]
extern "C" fn prepare() {
    std::panic::set_hook(Box::new(|panic| {
        let told = panic.to_string().replace('\n', " ");
        // A list longer than what addresses reach.
        if told.contains("capacity overflow") {
            fails(OUT_OF_MEMORY);
        }
        fails(&format!("internal error: {told}"));
    }));
}

/// Makes room for a request, and returns its address.
#[unsafe(no_mangle)]
extern "C" fn room(length: usize) -> *mut u8 {
    BORDER.with_borrow_mut(|border| {
        border.request = vec![0; length];
        border.request.as_mut_ptr()
    })
}

/// Answers the request, and returns the length of the answer.
#[unsafe(no_mangle)]
extern "C" fn ask() -> usize {
    BORDER.with_borrow_mut(|border| {
        border.answer = Vec::new();
        border.answer = border.session.answer(&border.request, &mut tell);
        border.answer.len()
    })
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    BORDER.with_borrow(|border| border.answer.as_ptr())
}

fn tell(state: &Progress) -> bool {
    let nanoseconds = |time: xoff::units::Time| time.get() as f64 / 1000.0;
    let end = state.end.map_or(f64::NAN, nanoseconds);
    // SAFETY: it takes numbers.
    unsafe { progress(nanoseconds(state.now), end, state.started as f64, state.finished as f64) };
    true
}

fn fails(told: &str) -> ! {
    // SAFETY: the address and the length are those of a text that lives until JavaScript has read it.
    unsafe { fail(told.as_ptr(), told.len()) }
}

/// System's allocator, which fails in one line where there is no memory left.
struct OrFail;

#[global_allocator]
static ALLOCATOR: OrFail = OrFail;

// SAFETY: every call goes on to the system's allocator, with what its caller promises, and its answer comes back.
unsafe impl GlobalAlloc for OrFail {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc(layout) })
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc_zeroed(layout) })
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given(unsafe { System.realloc(block, layout, size) })
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn given(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        fails(OUT_OF_MEMORY);
    }
    block
}
