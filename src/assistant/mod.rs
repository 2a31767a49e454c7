//! The product: from a problem in a person's words, or a screenshot, to checked steps.

pub(crate) mod contact;
pub mod draft;
pub(crate) mod folding;
pub mod image;
pub mod model;
pub mod redaction;
pub mod safety;
