//! Conversations that are not to be kept: in memory, for two hours after the last question.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::Conversation;
use crate::account::AccountId;
use crate::clock::Clock;

/// How long after its last question a conversation is forgotten.
const LIFETIME: SignedDuration = SignedDuration::from_hours(2);

/// Conversations of one account at a time; the oldest gives way.
const MOST_OF_ONE_ACCOUNT: usize = 10;

type Conversations = HashMap<(AccountId, Uuid), Conversation>;

#[derive(Clone, Debug)]
pub(super) struct Unsaved {
    clock: Clock,
    conversations: Arc<Mutex<Conversations>>,
}

impl Unsaved {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, conversations: Arc::default() }
    }

    pub(super) fn get(&self, account: AccountId, id: Uuid) -> Option<Conversation> {
        self.alive().get(&(account, id)).cloned()
    }

    pub(super) fn put(&self, account: AccountId, id: Uuid, conversation: Conversation) {
        let mut conversations = self.alive();
        conversations.insert((account, id), conversation);
        let own = |conversations: &Conversations| {
            let mut own: Vec<(Timestamp, Uuid)> = conversations
                .iter()
                .filter(|((owner, _), _)| *owner == account)
                .map(|((_, id), conversation)| (conversation.session.updated_at, *id))
                .collect();
            own.sort_unstable();
            own
        };
        let own = own(&conversations);
        for (_, oldest) in own.iter().take(own.len().saturating_sub(MOST_OF_ONE_ACCOUNT)) {
            conversations.remove(&(account, *oldest));
        }
    }

    pub(super) fn change<T>(
        &self,
        account: AccountId,
        id: Uuid,
        change: impl FnOnce(&mut Conversation) -> T,
    ) -> Option<T> {
        self.alive().get_mut(&(account, id)).map(change)
    }

    /// Whether there was one.
    pub(super) fn remove(&self, account: AccountId, id: Uuid) -> bool {
        self.alive().remove(&(account, id)).is_some()
    }

    /// What is not forgotten yet.
    fn alive(&self) -> MutexGuard<'_, Conversations> {
        let now = self.clock.now();
        // A panic elsewhere leaves whole conversations behind: each change is one assignment.
        let mut conversations = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        conversations.retain(|_, conversation| now.duration_since(conversation.session.updated_at) < LIFETIME);
        conversations
    }
}
