//! assistant: see ARCHITECTURE.md.
