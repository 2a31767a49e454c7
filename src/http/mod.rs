//! http: see ARCHITECTURE.md.
