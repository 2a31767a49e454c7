//! The pictures that people send: taken in with suspicion, kept small, shown to nobody but their owner, gone after
//! 30 days. The original bytes are never kept: what is stored was decoded and encoded anew, without metadata.
//!
//! Decoding runs on threads of its own behind a semaphore, because a large photograph takes some 160 MB for a
//! moment and must not be multiplied by whoever uploads in parallel.

mod picture;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;
use uuid::Uuid;

pub use picture::{MAX_BYTES, MAX_SIDE, Picture};

use crate::account::AccountId;
use crate::clock::Clock;
use crate::error::{Code, Error, Result};
use crate::store::{Page, Record, Store, StoreError, Table};

/// How long a picture is kept.
pub const LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Pictures decoded at the same moment.
const DECODED_AT_ONCE: usize = 2;

/// How long an upload waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// Values beyond this size make the store's files grow.
const PIECE_BYTES: usize = 64 * 1024;

/// What the paths of pictures begin with.
pub const PATH_PREFIX: &str = "/api/v1/images/";

/// What is known of a stored picture.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct StoredImage {
    owner: AccountId,
    width: u32,
    height: u32,
    pieces: u16,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::microsecond::required")]
    expires_at: Timestamp,
}

impl Record for StoredImage {
    const TABLE: Table = Table { prefix: 0x40, name: "images" };
    const VERSION: u8 = 1;
    type Key = Uuid;
}

/// A part of a picture's bytes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct ImagePiece {
    bytes: Vec<u8>,
}

impl Record for ImagePiece {
    const TABLE: Table = Table { prefix: 0x41, name: "image_pieces" };
    const VERSION: u8 = 1;
    type Key = (Uuid, u16);
}

/// Finds the pictures of an account without looking at those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct ImageOfAccount;

impl Record for ImageOfAccount {
    const TABLE: Table = Table { prefix: 0x42, name: "images_of_accounts" };
    const VERSION: u8 = 1;
    type Key = (AccountId, Uuid);
}

/// Finds the pictures whose time is over without looking at the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct ImageByExpiry;

impl Record for ImageByExpiry {
    const TABLE: Table = Table { prefix: 0x43, name: "images_by_expiry" };
    const VERSION: u8 = 1;
    type Key = (Timestamp, Uuid);
}

/// The pictures of all accounts.
#[derive(Clone, Debug)]
pub struct Images {
    store: Store,
    clock: Clock,
    turns: Arc<Semaphore>,
}

impl Images {
    /// The pictures kept in a store.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, turns: Arc::new(Semaphore::new(DECODED_AT_ONCE)) }
    }

    /// Takes a picture in and says under which path its owner finds it.
    ///
    /// # Errors
    /// [`Code::TooLarge`], [`Code::UnsupportedImage`], [`Code::UnreadableImage`], [`Code::Unavailable`] when too many
    /// wait, and what the store says.
    pub async fn take_in(&self, owner: AccountId, bytes: impl AsRef<[u8]> + Send + 'static) -> Result<String> {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned());
        let turn = turn.await.map_err(|_| Error::new(Code::Unavailable).retry_after(PATIENCE))?;
        let turn = turn.map_err(Error::internal)?;
        let picture = tokio::task::spawn_blocking(move || {
            let picture = Picture::read(bytes.as_ref());
            drop(turn);
            picture
        })
        .await
        // A decoder that panics on a crafted file ends its own thread, not the server.
        .map_err(|panic| Error::new(Code::UnreadableImage).because(panic))??;
        self.store(owner, picture).await
    }

    async fn store(&self, owner: AccountId, picture: Picture) -> Result<String> {
        let id = Uuid::new_v4();
        let created_at = self.clock.now();
        let expires_at = created_at.saturating_add(LIFETIME).unwrap_or(Timestamp::MAX);
        let pieces: Vec<ImagePiece> =
            picture.jpeg().chunks(PIECE_BYTES).map(|piece| ImagePiece { bytes: piece.to_vec() }).collect();
        let count = u16::try_from(pieces.len()).map_err(Error::internal)?;
        let (width, height) = picture.size();
        let stored = StoredImage { owner, width, height, pieces: count, created_at, expires_at };
        self.store
            .update(move |transaction| -> Result<(), StoreError> {
                transaction.put(&id, &stored)?;
                for (number, piece) in (0..count).zip(&pieces) {
                    transaction.put(&(id, number), piece)?;
                }
                transaction.put(&(owner, id), &ImageOfAccount)?;
                transaction.put(&(expires_at, id), &ImageByExpiry)
            })
            .await?;
        Ok(format!("{PATH_PREFIX}{id}"))
    }

    /// The JPEG of a picture, for its owner.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none, when it is another's, and when its time is over.
    pub async fn jpeg(&self, reader: AccountId, id: Uuid) -> Result<Vec<u8>> {
        self.found(reader, id).await?;
        let mut jpeg = Vec::new();
        for (_, piece) in self.store.list::<ImagePiece>(&id, Page::first(usize::from(u16::MAX))).await? {
            jpeg.extend_from_slice(&piece.bytes);
        }
        Ok(jpeg)
    }

    /// The id in the path of a picture, when there is one and it is the reader's own.
    ///
    /// # Errors
    /// [`Code::NotFound`] otherwise, whatever the reason: whether a picture exists is nobody else's business.
    pub async fn at_path(&self, reader: AccountId, path: &str) -> Result<Uuid> {
        let id = path.strip_prefix(PATH_PREFIX).and_then(|id| id.parse().ok());
        let id = id.ok_or_else(no_such_image)?;
        self.found(reader, id).await?;
        Ok(id)
    }

    async fn found(&self, reader: AccountId, id: Uuid) -> Result<StoredImage> {
        let now = self.clock.now();
        let found = self.store.get::<StoredImage>(&id).await?;
        found.filter(|image| image.owner == reader && now < image.expires_at).ok_or_else(no_such_image)
    }

    /// Removes the pictures whose time is over, at most `limit`, and says how many went.
    ///
    /// # Errors
    /// What the store says.
    pub async fn remove_expired(&self, limit: usize) -> Result<usize> {
        let now = self.clock.now();
        let due: Vec<_> = self.store.list::<ImageByExpiry>(&(), Page::first(limit)).await?;
        let due: Vec<_> =
            due.into_iter().map(|(key, _)| key).take_while(|(expires_at, _)| *expires_at <= now).collect();
        for (expires_at, id) in &due {
            self.remove(*id, *expires_at).await?;
        }
        Ok(due.len())
    }

    async fn remove(&self, id: Uuid, expires_at: Timestamp) -> Result<()> {
        self.store
            .update(move |transaction| -> Result<(), StoreError> {
                transaction.delete::<ImageByExpiry>(&(expires_at, id));
                if let Some(image) = transaction.get::<StoredImage>(&id)? {
                    transaction.delete::<StoredImage>(&id);
                    transaction.delete::<ImageOfAccount>(&(image.owner, id));
                    for number in 0..image.pieces {
                        transaction.delete::<ImagePiece>(&(id, number));
                    }
                }
                Ok(())
            })
            .await?;
        Ok(())
    }
}

fn no_such_image() -> Error {
    Error::new(Code::NotFound).saying("Questa immagine non c'è più. Caricala di nuovo.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::fixture::holds;

    #[test]
    fn what_is_on_disk_is_read_for_ever() {
        let (owner, id) = (AccountId(Uuid::from_u128(1)), Uuid::from_u128(4));
        let created_at = Timestamp::constant(1_795_000_000, 0);
        let expires_at = Timestamp::constant(1_797_592_000, 0);
        holds(&id, &StoredImage { owner, width: 1568, height: 882, pieces: 2, created_at, expires_at });
        holds(&(id, 1), &ImagePiece { bytes: vec![0xFF, 0xD8, 0xFF, 0xE0] });
        holds(&(owner, id), &ImageOfAccount);
        holds(&(expires_at, id), &ImageByExpiry);
    }
}
