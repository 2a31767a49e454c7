//! http: see ARCHITECTURE.md.
pub mod identity;
