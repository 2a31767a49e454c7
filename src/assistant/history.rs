//! What people asked and were told, by session. Every key begins with the account, so nobody reaches another's
//! session by knowing its id.
//!
//! A session that is not to be kept (`save: false`) lives in this process's memory alone, for two hours after its
//! last question, so that follow-ups and outcomes work; the store sees nothing of it but counters. A restart ends it.

mod unsaved;

use jiff::Timestamp;
use uuid::Uuid;

use super::answer::Answer;
use crate::account::AccountId;
use crate::clock::Clock;
use crate::error::{Code, Error, Result};
use crate::handbook::{Earlier, StepOutcome};
use crate::store::{Page, Record, Store, StoreError, Table, Transaction};
use unsaved::Unsaved;

/// Sessions in one page of the list, at most.
pub const LARGEST_PAGE: usize = 100;

/// Answers of a session that are read at most: nobody follows up more often.
const LONGEST_SESSION: usize = 500;

/// Characters of a title.
const LONGEST_TITLE: usize = 80;

/// A session: one problem, from the first question on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Session {
    /// The beginning of the first question.
    pub title: String,
    /// The first question.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub created_at: Timestamp,
    /// The last answer.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub updated_at: Timestamp,
    /// Answers so far.
    pub interactions: u32,
    /// 'Risolto'.
    pub resolved: bool,
}

impl Record for Session {
    const TABLE: Table = Table { prefix: 0x44, name: "sessions_of_help" };
    const VERSION: u8 = 1;
    type Key = (AccountId, Uuid);
}

/// What somebody thinks of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// It helped.
    Positive,
    /// It did not.
    Negative,
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interaction {
    /// The person's words.
    pub question: String,
    /// What was read in the screenshot.
    pub image_text: Option<String>,
    /// The picture that came with it.
    pub image: Option<Uuid>,
    /// When it was asked.
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    pub created_at: Timestamp,
    /// The answer.
    pub answer: Answer,
    /// What the person thinks of it.
    pub feedback: Option<Feedback>,
    /// What came of each step.
    pub outcomes: Vec<Option<StepOutcome>>,
}

impl Record for Interaction {
    const TABLE: Table = Table { prefix: 0x45, name: "interactions" };
    const VERSION: u8 = 1;
    type Key = (AccountId, Uuid, u32);
}

/// Orders an account's sessions by their last answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct SessionByTime;

impl Record for SessionByTime {
    const TABLE: Table = Table { prefix: 0x46, name: "sessions_by_time" };
    const VERSION: u8 = 1;
    type Key = (AccountId, Timestamp, Uuid);
}

/// A session with all that was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// The session.
    pub session: Session,
    /// Its questions and answers, oldest first.
    pub interactions: Vec<Interaction>,
}

impl Conversation {
    /// What the next answer has to know.
    #[must_use]
    pub fn earlier(&self) -> Vec<Earlier> {
        let told = self.interactions.iter().map(|interaction| {
            let steps = interaction.answer.content.steps.iter().map(|step| step.text.clone());
            let outcomes = interaction.outcomes.iter().copied().chain(std::iter::repeat(None));
            Earlier { family: interaction.answer.content.family.clone(), steps: steps.zip(outcomes).collect() }
        });
        told.collect()
    }
}

/// Whether a session is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// In the store, until the person or the retention removes it.
    Saved,
    /// In memory, for a while.
    Unsaved,
}

/// A page of an account's sessions, the latest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<(Uuid, Session)>,
    /// Where the next page begins; nothing at the end.
    pub next: Option<String>,
}

/// The sessions of all accounts.
#[derive(Clone, Debug)]
pub struct History {
    store: Store,
    clock: Clock,
    unsaved: Unsaved,
}

impl History {
    /// The sessions kept in a store.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { unsaved: Unsaved::new(clock.clone()), store, clock }
    }

    /// A session and how it is kept.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none, or it is another's.
    pub async fn conversation(&self, account: AccountId, id: Uuid) -> Result<(Conversation, Keeping)> {
        if let Some(conversation) = self.unsaved.get(account, id) {
            return Ok((conversation, Keeping::Unsaved));
        }
        let session = self.store.get::<Session>(&(account, id)).await?.ok_or_else(no_such_session)?;
        let found = self.store.list::<Interaction>(&(account, id), Page::first(LONGEST_SESSION)).await?;
        let interactions = found.into_iter().map(|(_, interaction)| interaction).collect();
        Ok((Conversation { session, interactions }, Keeping::Saved))
    }

    /// One question and its answer.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none, or it is another's.
    pub async fn interaction(&self, account: AccountId, session: Uuid, number: u32) -> Result<Interaction> {
        if let Some(conversation) = self.unsaved.get(account, session) {
            let found = conversation.interactions.into_iter().find(|one| one.answer.interaction_id == number);
            return found.ok_or_else(no_such_session);
        }
        self.store.get::<Interaction>(&(account, session, number)).await?.ok_or_else(no_such_session)
    }

    /// An account's sessions, the latest first. `before` is the `next` of the page before.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] when `before` is none of ours.
    pub async fn page(&self, account: AccountId, limit: usize, before: Option<&str>) -> Result<SessionPage> {
        let limit = limit.clamp(1, LARGEST_PAGE);
        let after = before.map(|cursor| read_cursor(account, cursor)).transpose()?;
        let page = Page { after, limit: limit + 1, newest_first: true };
        let mut keys: Vec<_> =
            self.store.list::<SessionByTime>(&account, page).await?.into_iter().map(|(key, _)| key).collect();
        let more = keys.len() > limit;
        keys.truncate(limit);
        let next = keys.last().filter(|_| more).map(|(_, at, id)| format!("{}-{id}", at.as_microsecond()));
        let mut sessions = Vec::with_capacity(keys.len());
        for (_, _, id) in keys {
            // Removed between the two readings: it is not there any more.
            if let Some(session) = self.store.get::<Session>(&(account, id)).await? {
                sessions.push((id, session));
            }
        }
        Ok(SessionPage { sessions, next })
    }

    /// Removes a session and all that was said in it.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none, or it is another's.
    pub async fn remove(&self, account: AccountId, id: Uuid) -> Result<()> {
        let unsaved = self.unsaved.remove(account, id);
        self.store
            .update(move |transaction| {
                let Some(session) = transaction.get::<Session>(&(account, id))? else {
                    return if unsaved { Ok(()) } else { Err(no_such_session()) };
                };
                transaction.delete::<Session>(&(account, id));
                transaction.delete::<SessionByTime>(&(account, session.updated_at, id));
                for number in 1..=session.interactions {
                    transaction.delete::<Interaction>(&(account, id, number));
                }
                Ok(())
            })
            .await
    }

    /// Keeps what somebody thinks of an answer.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such answer, or it is another's.
    pub async fn give_feedback(
        &self,
        account: AccountId,
        session: Uuid,
        number: u32,
        feedback: Feedback,
    ) -> Result<()> {
        let change = move |interaction: &mut Interaction| {
            interaction.feedback = Some(feedback);
            Ok(())
        };
        self.change_interaction(account, session, number, change).await.map(drop)
    }

    /// Keeps what came of a step, and gives the outcomes of all steps of that answer.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such step, or it is another's.
    pub async fn set_outcome(
        &self,
        account: AccountId,
        session: Uuid,
        number: u32,
        step: usize,
        outcome: Option<StepOutcome>,
    ) -> Result<Vec<Option<StepOutcome>>> {
        let change = move |interaction: &mut Interaction| {
            *interaction.outcomes.get_mut(step).ok_or_else(no_such_session)? = outcome;
            Ok(())
        };
        Ok(self.change_interaction(account, session, number, change).await?.outcomes)
    }

    /// Says whether the problem is solved.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such session, or it is another's.
    pub async fn set_resolved(&self, account: AccountId, id: Uuid, resolved: bool) -> Result<()> {
        let changed = self.unsaved.change(account, id, |conversation| conversation.session.resolved = resolved);
        if changed.is_some() {
            return Ok(());
        }
        self.store
            .update(move |transaction| {
                let mut session = transaction.get::<Session>(&(account, id))?.ok_or_else(no_such_session)?;
                session.resolved = resolved;
                Ok(transaction.put(&(account, id), &session)?)
            })
            .await
    }

    async fn change_interaction(
        &self,
        account: AccountId,
        session: Uuid,
        number: u32,
        change: impl Fn(&mut Interaction) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Interaction> {
        let in_memory = self.unsaved.change(account, session, |conversation| {
            let found = conversation.interactions.iter_mut().find(|one| one.answer.interaction_id == number);
            let interaction = found.ok_or_else(no_such_session)?;
            change(interaction)?;
            Ok(interaction.clone())
        });
        if let Some(changed) = in_memory {
            return changed;
        }
        self.store
            .update(move |transaction| {
                let key = (account, session, number);
                let mut interaction = transaction.get::<Interaction>(&key)?.ok_or_else(no_such_session)?;
                change(&mut interaction)?;
                transaction.put(&key, &interaction)?;
                Ok(interaction)
            })
            .await
    }

    /// Stores a question and its answer within a transaction; `answer` makes the answer from its number. Gives the
    /// answer, or nothing when the session was removed while the answer was being written.
    pub(super) fn append(
        transaction: &mut Transaction<'_>,
        account: AccountId,
        turn: &Turn,
        now: Timestamp,
        answer: impl Fn(u32) -> Answer,
    ) -> Result<Option<Answer>, StoreError> {
        let held = transaction.get::<Session>(&(account, turn.session))?;
        if held.is_none() && turn.continues {
            return Ok(None);
        }
        let mut session = held.unwrap_or_else(|| turn.new_session());
        transaction.delete::<SessionByTime>(&(account, session.updated_at, turn.session));
        session.interactions += 1;
        session.updated_at = now;
        let interaction = turn.interaction(answer(session.interactions));
        transaction.put(&(account, turn.session, session.interactions), &interaction)?;
        transaction.put(&(account, turn.session), &session)?;
        transaction.put(&(account, now, turn.session), &SessionByTime)?;
        Ok(Some(interaction.answer))
    }

    /// Keeps a question and its answer in memory only. A saved session that goes on unsaved is taken along.
    pub(super) async fn remember_unsaved(
        &self,
        account: AccountId,
        turn: &Turn,
        answer: impl Fn(u32) -> Answer,
    ) -> Result<Answer> {
        let mut conversation = match self.conversation(account, turn.session).await {
            Ok((conversation, _)) => conversation,
            Err(error) if error.code() == Code::NotFound => {
                Conversation { session: turn.new_session(), interactions: Vec::new() }
            }
            Err(error) => return Err(error),
        };
        conversation.session.interactions += 1;
        conversation.session.updated_at = self.clock.now();
        let interaction = turn.interaction(answer(conversation.session.interactions));
        let answer = interaction.answer.clone();
        conversation.interactions.push(interaction);
        self.unsaved.put(account, turn.session, conversation);
        Ok(answer)
    }
}

/// A question on its way into its session.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) session: Uuid,
    /// Whether the session was there before.
    pub(super) continues: bool,
    pub(super) question: String,
    pub(super) image_text: Option<String>,
    pub(super) image: Option<Uuid>,
    pub(super) asked_at: Timestamp,
}

impl Turn {
    pub(super) fn new_session(&self) -> Session {
        let line = self.question.trim().lines().next().unwrap_or_default();
        let mut title: String = line.chars().take(LONGEST_TITLE).collect();
        if title.len() < line.len() {
            title.push('…');
        }
        Session { title, created_at: self.asked_at, updated_at: self.asked_at, interactions: 0, resolved: false }
    }

    fn interaction(&self, answer: Answer) -> Interaction {
        Interaction {
            question: self.question.clone(),
            image_text: self.image_text.clone(),
            image: self.image,
            created_at: self.asked_at,
            outcomes: vec![None; answer.content.steps.len()],
            answer,
            feedback: None,
        }
    }
}

fn read_cursor(account: AccountId, cursor: &str) -> Result<(AccountId, Timestamp, Uuid)> {
    let parsed = cursor
        .split_once('-')
        .and_then(|(at, id)| Some((account, Timestamp::from_microsecond(at.parse().ok()?).ok()?, id.parse().ok()?)));
    parsed.ok_or_else(|| Error::new(Code::InvalidInput))
}

pub(super) fn no_such_session() -> Error {
    Error::new(Code::NotFound).saying("Questa richiesta non c'è più. Torna alle tue richieste o iniziane una nuova.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::answer::{AnsweredBy, Content, Sent};
    use crate::handbook::{RecognisedCode, Source, Step, StepClass};
    use crate::store::fixture::holds;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let (account, id) = (AccountId(Uuid::from_u128(1)), Uuid::from_u128(6));
        let (then, later) = (Timestamp::constant(1_795_000_000, 0), Timestamp::constant(1_795_000_900, 500_000));
        let title = "Schermata blu".to_owned();
        let session = Session { title, created_at: then, updated_at: later, interactions: 1, resolved: true };
        let step = |text: &str, class| Step { text: text.into(), class };
        let content = Content {
            problem_analysis: "Windows si ferma con una schermata blu.".into(),
            diagnosis: "Non legge il disco.".into(),
            confidence: 0.75,
            steps: vec![
                step("Stacca le chiavette.", StepClass::Safe),
                step("Cambia una voce.", StepClass::Careful),
                step("Porta il computer da un tecnico.", StepClass::Technician),
            ],
            additional_tips: "Fai una copia.".into(),
            warnings: vec!["Non formattare.".into()],
            family: Some("bsod-boot-device".into()),
            codes: vec![RecognisedCode { code: "0x0000007B".into(), name: "INACCESSIBLE_BOOT_DEVICE".into() }],
            sources: vec![Source { id: "bsod-boot-device".into(), title: "Il disco di avvio".into() }],
            engine: AnsweredBy::Model,
            model_used: "vendor/model".into(),
            generated_by: "Risposta scritta da un'intelligenza artificiale".into(),
            fell_back: false,
            off_topic: false,
            sent: Some(Sent {
                provider: "OpenRouter".into(),
                text: "Scrivimi a [EMAIL-1]".into(),
                image: true,
                hidden: vec![("email".into(), 1)],
            }),
            tokens: 1_234,
        };
        let answer = Answer { session_id: id, interaction_id: 1, counted: true, response_time_ms: 2_500, content };
        let interaction = Interaction {
            question: "Scrivimi a anna@example.it".into(),
            image_text: Some("0x0000007B".into()),
            image: Some(Uuid::from_u128(4)),
            created_at: then,
            answer,
            feedback: Some(Feedback::Positive),
            outcomes: vec![Some(StepOutcome::Done), None, Some(StepOutcome::NotFound)],
        };
        holds(&(account, id), &session);
        holds(&(account, id, 1), &interaction);
        holds(&(account, later, id), &SessionByTime);
    }
}
