//! billing: see ARCHITECTURE.md.
