//! cli: see ARCHITECTURE.md.
