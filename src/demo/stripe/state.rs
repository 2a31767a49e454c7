//! What the stand-in remembers: objects in the very form in which Stripe sends them, by kind and name, what was
//! answered under which idempotency key, and the events that are still to be delivered. All of it is kept in one
//! file of JSON, written aside and moved over the old one, so that a stop at any moment leaves a whole file.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::refusal::Refusal;

/// The version of Stripe's interface that the objects follow.
pub(super) const API_VERSION: &str = "2026-09-30.endive";

/// Everything, as it stands at [`State::now`].
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Where the stand-in was reached when this was written; addresses of pages begin with it.
    pub(super) address: String,
    /// How far the clock was moved through the stand-in.
    pub(super) shift_seconds: u64,
    /// How many names were given.
    sequence: u64,
    /// Kind ("customer", "checkout.session") to name to object.
    objects: BTreeMap<String, BTreeMap<String, Value>>,
    /// Answers by idempotency key.
    pub(super) answers: BTreeMap<String, Answer>,
    /// Events on their way, oldest first.
    pub(super) outbox: Vec<Delivery>,
    /// The moment at which things happen, in seconds; what was due earlier happens at its own moment.
    #[serde(skip)]
    pub(super) now: i64,
    /// Something changed that is not yet in the file.
    #[serde(skip)]
    pub(super) changed: bool,
    /// Events are written down but never delivered.
    #[serde(skip)]
    pub(super) lose_webhooks: bool,
}

/// An answer that was given under an idempotency key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) request: String,
    pub(super) at: i64,
    pub(super) status: u16,
    pub(super) body: Value,
}

/// An event that is still to be delivered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Delivery {
    pub(super) event: String,
    pub(super) attempts: u32,
    /// Not before this instant of real time; after a restart at once.
    #[serde(skip)]
    pub(super) not_before: Option<std::time::Instant>,
}

impl State {
    /// What the file holds, with addresses that lead to where the stand-in is reached now; nothing when there is no
    /// file.
    pub(super) fn load(file: Option<&Path>, address: &str) -> io::Result<Self> {
        let text = match file.map(fs::read_to_string) {
            None => String::new(),
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Some(text) => text?,
        };
        if text.is_empty() {
            return Ok(Self { address: address.into(), ..Self::default() });
        }
        let mut state: Self = serde_json::from_str(&text)?;
        if state.address != address {
            let (old, new) = (format!("{}/", state.address), format!("{address}/"));
            state = Self { address: address.into(), ..serde_json::from_str(&text.replace(&old, &new))? };
        }
        Ok(state)
    }

    /// Writes everything to the file.
    pub(super) fn save(&self, file: &Path) -> io::Result<()> {
        let aside = file.with_extension("new");
        fs::write(&aside, serde_json::to_vec(self)?)?;
        fs::rename(aside, file)
    }

    /// A new name. Names of one kind sort as they were given; the end cannot be guessed.
    pub(super) fn name(&mut self, prefix: &str) -> String {
        let mut bytes = [0; 8];
        // The system's randomness does not fail once a program runs, and nothing real hangs on these names.
        let _ = getrandom::fill(&mut bytes);
        self.sequence += 1;
        format!("{prefix}_{:08}{:016x}", self.sequence, u64::from_be_bytes(bytes))
    }

    /// One object.
    pub(super) fn get(&self, kind: &str, id: &str) -> Option<&Value> {
        self.objects.get(kind)?.get(id)
    }

    /// One object, or Stripe's answer that there is none.
    pub(super) fn need(&self, kind: &str, id: &str) -> Result<Value, Refusal> {
        self.get(kind, id).cloned().ok_or_else(|| Refusal::missing(kind, id))
    }

    /// The object with this name, whatever it is.
    pub(super) fn any(&self, id: &str) -> Option<&Value> {
        self.objects.values().find_map(|kind| kind.get(id))
    }

    /// Forgets all objects of a kind.
    pub(super) fn forget(&mut self, kind: &str) {
        self.objects.remove(kind);
        self.changed = true;
    }

    /// All objects of a kind, oldest first.
    pub(super) fn all(&self, kind: &str) -> impl DoubleEndedIterator<Item = &Value> {
        self.objects.get(kind).into_iter().flat_map(BTreeMap::values)
    }

    /// Keeps an object under its own kind and name.
    pub(super) fn put(&mut self, object: Value) {
        let (kind, id) = (text(&object, "/object").to_owned(), text(&object, "/id").to_owned());
        self.objects.entry(kind).or_default().insert(id, object);
        self.changed = true;
    }

    /// Takes an object away.
    pub(super) fn remove(&mut self, kind: &str, id: &str) {
        self.objects.get_mut(kind).and_then(|objects| objects.remove(id));
        self.changed = true;
    }

    /// Sets fields of an object, named by their pointers (`/items/data/0/price`), and gives it back as it is now.
    pub(super) fn set(&mut self, kind: &str, id: &str, fields: &[(&str, Value)]) -> Value {
        let Some(object) = self.objects.get_mut(kind).and_then(|objects| objects.get_mut(id)) else {
            return Value::Null;
        };
        for (pointer, value) in fields {
            place(object, pointer, value.clone());
        }
        self.changed = true;
        object.clone()
    }

    /// The same with an event that tells what the fields were before.
    pub(super) fn update(&mut self, kind: &str, id: &str, event: &str, fields: &[(&str, Value)]) -> Value {
        let before = self.get(kind, id).cloned().unwrap_or_default();
        let after = self.set(kind, id, fields);
        let mut previous = Map::new();
        for (name, value) in before.as_object().into_iter().flatten() {
            if after.get(name) != Some(value) {
                previous.insert(name.clone(), value.clone());
            }
        }
        if !previous.is_empty() {
            self.announce(event, json!({ "object": after, "previous_attributes": previous }));
        }
        after
    }

    /// Writes down that something happened, and puts it on its way.
    pub(super) fn emit(&mut self, event: &str, object: &Value) {
        self.announce(event, json!({ "object": object }));
    }

    fn announce(&mut self, event: &str, data: Value) {
        let id = self.name("evt");
        self.put(json!({
            "id": id,
            "object": "event",
            "api_version": API_VERSION,
            "created": self.now,
            "data": data,
            "livemode": false,
            "pending_webhooks": 1,
            "request": { "id": null, "idempotency_key": null },
            "type": event,
        }));
        if !self.lose_webhooks {
            self.outbox.push(Delivery { event: id, attempts: 0, not_before: None });
        }
    }
}

/// A text in an object; empty when there is none.
pub(super) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A number in an object; zero when there is none.
pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

fn place(object: &mut Value, pointer: &str, value: Value) {
    if let Some(held) = object.pointer_mut(pointer) {
        *held = value;
    } else if let Some((parent, name)) = pointer.rsplit_once('/')
        && let Some(Value::Object(fields)) = object.pointer_mut(parent)
    {
        fields.insert(name.to_owned(), value);
    }
}
