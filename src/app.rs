//! App
