//! The product: from a problem in a person's words, or a screenshot, to checked steps.
//!
//! [`Assistant::ask`] is the way in, and [`Assistant::solve`] tells the story once: claim, reserve, answer, one commit
//! that stores the turn, settles the allowance and fulfils the claim. The work runs in a task of its own, so it goes
//! on when whoever asked goes away; the answer then waits in the session.

pub mod answer;
pub mod api;
mod claims;
mod contact;
pub mod draft;
pub mod engine;
pub mod history;
pub mod image;
pub mod model;
pub mod prompt;
pub mod redaction;
mod request;
pub mod safety;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::mpsc;
use uuid::Uuid;

use answer::{Answer, Content};
use claims::{Claimed, Claims, Held};
use engine::{Engine, Progress, Stage};
use history::{Conversation, History, Keeping, Turn};
use image::Images;
pub use request::Request;

use crate::account::AccountId;
use crate::clock::Clock;
use crate::error::{Code, Error, Result};
use crate::quota::{Quotas, Reservation};
use crate::store::Store;

/// What whoever asked is told. After [`Event::Finished`] nothing comes.
#[derive(Debug)]
pub enum Event {
    /// The request was let through; its answer will stand in this session.
    Started(Uuid),
    /// The work goes on.
    Progress(Progress),
    /// The answer, or why there is none.
    Finished(Result<Box<Answer>>),
}

/// The assistant of an installation. Clones share everything.
#[derive(Clone, Debug)]
pub struct Assistant {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    quotas: Quotas,
    engine: Engine,
    images: Images,
    history: History,
    claims: Claims,
    /// Answers being written, by session; a session may have several.
    pending: Mutex<HashMap<(AccountId, Uuid), Vec<Turn>>>,
}

impl Assistant {
    /// The assistant on a store, with an engine.
    #[must_use]
    pub fn new(store: Store, clock: Clock, quotas: Quotas, engine: Engine) -> Self {
        let inner = Inner {
            images: Images::new(store.clone(), clock.clone()),
            history: History::new(store.clone(), clock.clone()),
            claims: Claims::new(store.clone(), clock.clone()),
            pending: Mutex::default(),
            store,
            clock,
            quotas,
            engine,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The pictures.
    #[must_use]
    pub fn images(&self) -> &Images {
        &self.inner.images
    }

    /// The sessions.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.inner.history
    }

    /// The engines.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Begins to answer. The work does not depend on anybody listening to the events.
    #[must_use]
    pub fn ask(&self, account: AccountId, request: Request) -> mpsc::UnboundedReceiver<Event> {
        let (tell, events) = mpsc::unbounded_channel();
        let assistant = self.clone();
        tokio::spawn(async move {
            let solved = assistant.solve(account, request, &tell).await;
            // Nobody listens any more: the answer waits in the session.
            let _ = tell.send(Event::Finished(solved.map(Box::new)));
        });
        events
    }

    async fn solve(&self, account: AccountId, request: Request, tell: &mpsc::UnboundedSender<Event>) -> Result<Answer> {
        let began = Instant::now();
        let request = request.checked()?;
        let claim = match self.claim(account, &request).await? {
            None => None,
            Some(Claimed::Yours(held)) => Some(held),
            Some(Claimed::Answered(session, number)) => return self.answered(account, session, number).await,
        };
        let (turn, conversation, keeping) = match self.open(account, &request).await {
            Ok(opened) => opened,
            Err(error) => return Err(abandoned(claim, error).await),
        };
        let reservation = match self.inner.quotas.reserve(account).await {
            Ok(reservation) => reservation,
            Err(error) => return Err(abandoned(claim, error).await),
        };
        let _pending = self.pending(account, &turn);
        let told = |event| drop(tell.send(event));
        told(Event::Started(turn.session));
        told(Event::Progress(Progress::Stage(Stage::Received)));
        let picture = match turn.image {
            Some(id) => self.inner.images.jpeg(account, id).await.ok(),
            None => None,
        };
        let question = request.question(conversation.as_ref(), picture.is_some());
        let content = self.inner.engine.answer(question, picture, |progress| told(Event::Progress(progress))).await;
        self.store(Done { account, turn, keeping, reservation, claim, content, began }).await
    }

    async fn claim(&self, account: AccountId, request: &Request) -> Result<Option<Claimed>> {
        match &request.idempotency_key {
            Some(key) => self.inner.claims.claim(account, key, request.fingerprint()).await.map(Some),
            None => Ok(None),
        }
    }

    async fn answered(&self, account: AccountId, session: Uuid, number: u32) -> Result<Answer> {
        match self.inner.history.interaction(account, session, number).await {
            Ok(interaction) => Ok(interaction.answer),
            Err(error) if error.code() == Code::NotFound => Err(claims::answer_gone()),
            Err(error) => Err(error),
        }
    }

    /// Where the question belongs: its picture and its session must be the caller's own.
    async fn open(&self, account: AccountId, request: &Request) -> Result<(Turn, Option<Conversation>, Keeping)> {
        let image = match &request.image_path {
            Some(path) => Some(self.inner.images.at_path(account, path).await?),
            None => None,
        };
        let continued = match request.session {
            Some(session) => Some((session, self.conversation(account, session).await?)),
            None => None,
        };
        let turn = Turn {
            session: request.session.unwrap_or_else(Uuid::new_v4),
            continues: continued.is_some(),
            question: request.text.clone(),
            image_text: request.image_text.clone(),
            image,
            asked_at: self.inner.clock.now(),
        };
        let (conversation, held) = match continued {
            Some((_, (conversation, keeping))) => (Some(conversation), keeping),
            None => (None, Keeping::Saved),
        };
        // What was once not to be kept stays so.
        let keeping = if held == Keeping::Unsaved { Keeping::Unsaved } else { request.keeping };
        Ok((turn, conversation, keeping))
    }

    async fn conversation(&self, account: AccountId, session: Uuid) -> Result<(Conversation, Keeping)> {
        match self.inner.history.conversation(account, session).await {
            Err(error) if error.code() == Code::NotFound => {
                // The first answer of the session is still being written.
                let pending = self.inner.pending.lock().unwrap_or_else(PoisonError::into_inner);
                let turn = pending.get(&(account, session)).and_then(|turns| turns.first());
                let turn = turn.ok_or_else(history::no_such_session)?;
                Ok((Conversation { session: turn.new_session(), interactions: Vec::new() }, Keeping::Saved))
            }
            found => found,
        }
    }

    /// A session for its owner, and whether an answer is still being written in it.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none, or it is another's.
    pub async fn session(&self, account: AccountId, id: Uuid) -> Result<(Conversation, bool)> {
        // Asked first: an answer that is finished in between is then shown as pending once, never lost.
        let is_pending = || {
            let pending = self.inner.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.contains_key(&(account, id))
        };
        let pending = is_pending();
        let (conversation, _) = match self.conversation(account, id).await {
            // Its first answer was stored between the two look-ups.
            Err(error) if error.code() == Code::NotFound && pending => {
                self.inner.history.conversation(account, id).await?
            }
            found => found?,
        };
        Ok((conversation, pending))
    }

    fn pending(&self, account: AccountId, turn: &Turn) -> Pending {
        let key = (account, turn.session);
        let mut pending = self.inner.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.entry(key).or_default().push(turn.clone());
        Pending { assistant: self.clone(), key }
    }

    /// One commit: the turn, the allowance, the claim.
    async fn store(&self, done: Done) -> Result<Answer> {
        let now = self.inner.clock.now();
        let response_time_ms = u32::try_from(done.began.elapsed().as_millis()).unwrap_or(u32::MAX);
        let session_id = done.turn.session;
        let content = done.content.clone();
        let counted = content.costs_a_request();
        let answer = move |interaction_id| Answer {
            session_id,
            interaction_id,
            counted,
            response_time_ms,
            content: content.clone(),
        };
        let in_memory = match done.keeping {
            Keeping::Saved => None,
            Keeping::Unsaved => Some(self.inner.history.remember_unsaved(done.account, &done.turn, &answer).await?),
        };
        self.inner
            .store
            .update(move |transaction| {
                if done.content.costs_a_request() {
                    done.reservation.settle(transaction, now, done.content.tokens)?;
                } else {
                    done.reservation.release(transaction, now)?;
                }
                let stored = match &in_memory {
                    Some(answer) => Some(answer.clone()),
                    None => History::append(transaction, done.account, &done.turn, now, &answer)?,
                };
                if let (Some(claim), Some(answer)) = (&done.claim, &stored) {
                    claim.settle(transaction, session_id, answer.interaction_id)?;
                }
                // Without a place to stand (the person removed the session meanwhile) it is still theirs to read.
                Ok(stored.unwrap_or_else(|| answer(1)))
            })
            .await
    }

    /// Removes what nobody needs any more: pictures past their 30 days and old claims. For the daily sweep.
    ///
    /// # Errors
    /// What the store says.
    pub async fn sweep(&self) -> Result<Swept> {
        const AT_ONCE: usize = 500;
        let mut swept = Swept::default();
        loop {
            let images = self.inner.images.remove_expired(AT_ONCE).await?;
            let claims = self.inner.claims.forget_old(AT_ONCE).await?;
            swept.images += images;
            swept.claims += claims;
            if images < AT_ONCE && claims < AT_ONCE {
                return Ok(swept);
            }
        }
    }
}

/// What a sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Pictures past their time.
    pub images: usize,
    /// Claims that nobody will retry.
    pub claims: usize,
}

/// An answer and everything that its commit needs.
struct Done {
    account: AccountId,
    turn: Turn,
    keeping: Keeping,
    reservation: Reservation,
    claim: Option<Held>,
    content: Content,
    began: Instant,
}

/// Says that an answer is being written for as long as it lives.
struct Pending {
    assistant: Assistant,
    key: (AccountId, Uuid),
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut pending = self.assistant.inner.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = pending.get_mut(&self.key) {
            turns.pop();
            if turns.is_empty() {
                pending.remove(&self.key);
            }
        }
    }
}

/// Gives a claim free that came to nothing.
async fn abandoned(claim: Option<Held>, error: Error) -> Error {
    if let Some(claim) = claim {
        claim.abandon().await;
    }
    error
}
