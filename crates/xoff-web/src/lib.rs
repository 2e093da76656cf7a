//! xoff in a web page: requests and answers across the border of WebAssembly; no logic.
//!
//! A request is JSON. Its answer is JSON, or a column of numbers of the last run. [`Session::answer`] is all of it;
//! `border.rs` is how JavaScript calls it.

#[cfg(target_arch = "wasm32")]
mod border;
mod columns;
mod session;

pub use session::Session;
