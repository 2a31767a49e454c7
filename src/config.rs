//! Config
