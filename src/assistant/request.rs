//! What somebody asks of the assistant, as it arrives, and what of it is accepted.

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

use super::history::{Conversation, Keeping};
use crate::error::{Code, Error, Result};
use crate::handbook::{Question, ResponseFormat};

/// Characters of a problem.
pub(super) const LONGEST_PROBLEM: usize = 8_000;

/// Characters of a follow-up.
pub(super) const LONGEST_FOLLOW_UP: usize = 4_000;

/// Characters read in a screenshot.
pub(super) const LONGEST_IMAGE_TEXT: usize = 8_000;

/// What is asked when there is only a picture.
pub(super) const ABOUT_THE_IMAGE: &str = "Analizza l'immagine caricata e aiutami a risolvere il problema";

/// A question to the assistant.
#[derive(Clone, Debug)]
pub struct Request {
    /// The person's words.
    pub text: String,
    /// The path of a picture that the person uploaded.
    pub image_path: Option<String>,
    /// What was read in the screenshot.
    pub image_text: Option<String>,
    /// The session that it continues.
    pub session: Option<Uuid>,
    /// How the answer is to be written.
    pub format: ResponseFormat,
    /// Whether the session is kept.
    pub keeping: Keeping,
    /// The client's key for retries.
    pub idempotency_key: Option<String>,
    /// The longest text that this call takes, in characters.
    pub longest: usize,
}

impl Request {
    /// The request in the form in which the work goes on: texts composed and trimmed, empty ones gone.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.text = composed(&self.text);
        self.image_text = self.image_text.as_deref().map(composed).filter(|text| !text.is_empty());
        if self.text.is_empty() && self.image_path.is_some() {
            ABOUT_THE_IMAGE.clone_into(&mut self.text);
        }
        if self.text.is_empty() {
            return Err(invalid("Inserisci una descrizione del problema o carica uno screenshot per continuare"));
        }
        if self.text.chars().count() > self.longest {
            let sentence = format!("Il testo è troppo lungo: accorcialo a {} caratteri e riprova.", self.longest);
            return Err(invalid(&sentence));
        }
        if self.image_text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_IMAGE_TEXT) {
            return Err(invalid("Il testo letto nello screenshot è troppo lungo. Ritaglia l'immagine e riprova."));
        }
        Ok(self)
    }

    /// What makes two requests the same.
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        let format = match self.format {
            ResponseFormat::Detailed => "detailed",
            ResponseFormat::Concise => "concise",
            ResponseFormat::Technical => "technical",
        };
        let keeping = match self.keeping {
            Keeping::Saved => "saved",
            Keeping::Unsaved => "unsaved",
        };
        let session = self.session.map(|session| session.to_string());
        let parts = [
            Some(self.text.as_str()),
            self.image_path.as_deref(),
            self.image_text.as_deref(),
            session.as_deref(),
            Some(format),
            Some(keeping),
        ];
        let mut hash = Sha256::new();
        for part in parts {
            // Lengths in front: no two lists of parts are the same bytes. An absent part differs from an empty one.
            hash.update(part.map_or(u64::MAX, |part| u64::try_from(part.len()).unwrap_or(u64::MAX)).to_be_bytes());
            hash.update(part.unwrap_or_default());
        }
        hash.finalize().into()
    }

    pub(super) fn question(&self, conversation: Option<&Conversation>, has_image: bool) -> Question {
        Question {
            text: self.text.clone(),
            image_text: self.image_text.clone(),
            has_image,
            format: self.format,
            earlier: conversation.map(Conversation::earlier).unwrap_or_default(),
        }
    }
}

/// One spelling for what looks the same, without control characters.
fn composed(text: &str) -> String {
    let text: String =
        text.nfc().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect();
    text.trim().to_owned()
}

fn invalid(sentence: &str) -> Error {
    Error::new(Code::InvalidInput).saying(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Request {
        Request {
            text: text.into(),
            image_path: None,
            image_text: None,
            session: None,
            format: ResponseFormat::Detailed,
            keeping: Keeping::Saved,
            idempotency_key: None,
            longest: LONGEST_PROBLEM,
        }
    }

    #[test]
    fn an_empty_question_is_refused_unless_there_is_a_picture() {
        assert_eq!(request(" \n\u{0} ").checked().expect_err("nothing was asked").code(), Code::InvalidInput);
        let with_image = Request { image_path: Some("/api/v1/images/x".into()), ..request("  ") };
        assert_eq!(with_image.checked().expect("a picture asks enough").text, ABOUT_THE_IMAGE);
    }

    #[test]
    fn lengths_count_characters() {
        assert!(request(&"è".repeat(LONGEST_PROBLEM)).checked().is_ok());
        assert!(request(&"è".repeat(LONGEST_PROBLEM + 1)).checked().is_err());
        let wordy = Request { image_text: Some("a".repeat(LONGEST_IMAGE_TEXT + 1)), ..request("aiuto") };
        assert!(wordy.checked().is_err());
    }

    #[test]
    fn different_questions_have_different_fingerprints() {
        let one = request("ab");
        let moved = Request { image_text: Some("b".into()), ..request("a") };
        assert_ne!(one.fingerprint(), moved.fingerprint());
        assert_ne!(one.fingerprint(), Request { keeping: Keeping::Unsaved, ..request("ab") }.fingerprint());
        assert_eq!(one.fingerprint(), request("ab").fingerprint());
    }
}
