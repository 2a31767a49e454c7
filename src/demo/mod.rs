//! The demonstration: the product with its real code, and beside it stand-ins that speak the providers' own wire
//! protocols on a second loopback port. The product is configured with their addresses, exactly as it would be with
//! the real ones; nothing outside this folder knows.

mod google;
mod page;
mod people;

pub use google::{GoogleStandIn, RegisteredClient};
pub use people::{DemoPerson, PEOPLE, SUPERUSER};
