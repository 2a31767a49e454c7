//! What someone pays for: the three plans and the subscription that an account holds.

pub mod api;
pub mod plan;
pub mod subscription;

pub use plan::Plan;
pub use subscription::{Subscription, SubscriptionStatus, Subscriptions};
