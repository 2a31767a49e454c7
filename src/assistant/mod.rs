//! The product: from a problem in a person's words, or a screenshot, to checked steps.

pub(crate) mod contact;
pub(crate) mod folding;
pub mod redaction;
