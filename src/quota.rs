//! What someone may still use.
