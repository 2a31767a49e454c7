//! The name of the request that is being served: in its answer, in its log lines, in its failure. A name that a
//! client sends is not taken over, so that nobody writes into the log.

use uuid::Uuid;

tokio::task_local! {
    static CURRENT: String;
}

/// The present request's name; empty outside a request.
#[must_use]
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// A new name.
pub(super) fn new() -> String {
    Uuid::new_v4().simple().to_string()
}

/// Runs `work` under a name. Work that goes on in another task takes the name along with this.
pub async fn within<F: Future>(name: String, work: F) -> F::Output {
    CURRENT.scope(name, work).await
}
