//! account: see ARCHITECTURE.md.
