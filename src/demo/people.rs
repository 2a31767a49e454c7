//! The three people of the demonstration: one for each way in which somebody meets the product.

use crate::billing::Plan;

/// Somebody whom the stand-in for Google knows.
#[derive(Debug)]
pub struct DemoPerson {
    /// The short name in addresses and tests.
    pub key: &'static str,
    /// What identifies the person at Google: 21 digits, as there.
    pub subject: &'static str,
    /// The full name.
    pub full_name: &'static str,
    /// The address, of a domain that nobody can own.
    pub email: &'static str,
    /// What the chooser says about the person.
    pub description: &'static str,
    /// What the person holds from the beginning.
    pub plan: Option<Plan>,
}

impl DemoPerson {
    /// The letters of the round badge.
    #[must_use]
    pub fn initials(&self) -> String {
        self.full_name.split(' ').filter_map(|word| word.chars().next()).collect()
    }
}

/// Who is in the configuration of the demonstration as a superuser.
pub const SUPERUSER: &DemoPerson = &PEOPLE[2];

/// Everybody, in the order of the chooser.
pub const PEOPLE: &[DemoPerson] = &[
    DemoPerson {
        key: "anna",
        subject: "100000000000000000001",
        full_name: "Anna Bianchi",
        email: "anna.bianchi@posta.example",
        description: "78 anni, ha il Piano Mensile",
        plan: Some(Plan::Monthly),
    },
    DemoPerson {
        key: "bruno",
        subject: "100000000000000000002",
        full_name: "Bruno Conti",
        email: "bruno.conti@posta.example",
        description: "non ha ancora un piano",
        plan: None,
    },
    DemoPerson {
        key: "carla",
        subject: "100000000000000000003",
        full_name: "Carla Ferri",
        email: "carla.ferri@posta.example",
        description: "amministra il servizio, ha il Piano Annuale",
        plan: Some(Plan::Annual),
    },
];
