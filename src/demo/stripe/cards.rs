//! The test cards, with the numbers and the behaviour that Stripe documents. Which card someone uses is told by the
//! last four digits, which are all that is kept of a number.

/// A day in seconds.
pub(super) const DAY: i64 = 86_400;

/// A test card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Card {
    /// Pays.
    Works,
    /// Pays when its owner confirms, each time.
    AsksToConfirm,
    /// Is declined.
    Declined,
    /// Has too little money.
    Empty,
    /// Pays now, is declined when nobody is there.
    FailsLater,
}

/// Who is there when a card is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Its owner is buying.
    Present,
    /// Its owner has just confirmed the payment.
    Confirmed,
    /// Nobody; or it is a card that is already known.
    Absent,
}

/// What the bank says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    NeedsConfirmation,
    Refused(Decline),
}

/// Why a bank refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decline {
    /// Stripe's `decline_code`.
    pub(super) code: &'static str,
    /// Stripe's sentence, for developers.
    pub(super) message: &'static str,
    /// What the person reads.
    pub(super) sentence: &'static str,
}

const DECLINED: Decline = Decline {
    code: "generic_decline",
    message: "Your card was declined.",
    sentence: "La carta è stata rifiutata. Non hai pagato nulla. Prova con un'altra carta.",
};

const EMPTY: Decline = Decline {
    code: "insufficient_funds",
    message: "Your card has insufficient funds.",
    sentence: "Sulla carta non ci sono abbastanza soldi. Non hai pagato nulla. Prova con un'altra carta.",
};

/// The owner did not confirm.
pub(super) const NOT_CONFIRMED: Decline = Decline {
    code: "authentication_required",
    message: "The payment was not authenticated.",
    sentence: "Il pagamento non è stato confermato. Non hai pagato nulla. Riprova, o usa un'altra carta.",
};

impl Card {
    /// All of them, in the order in which pages offer them.
    pub(super) const ALL: [Self; 5] = [Self::Works, Self::AsksToConfirm, Self::Declined, Self::Empty, Self::FailsLater];

    /// The number, as it is printed on a card.
    pub(super) const fn number(self) -> &'static str {
        match self {
            Self::Works => "4242 4242 4242 4242",
            Self::AsksToConfirm => "4000 0025 0000 3155",
            Self::Declined => "4000 0000 0000 0002",
            Self::Empty => "4000 0000 0000 9995",
            Self::FailsLater => "4000 0000 0000 0341",
        }
    }

    /// What it does, in words for whoever tries the demonstration.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Works => "Paga subito",
            Self::AsksToConfirm => "La banca chiede conferma",
            Self::Declined => "Viene rifiutata",
            Self::Empty => "Non ha abbastanza soldi",
            Self::FailsLater => "Paga oggi, non al rinnovo",
        }
    }

    /// The last four digits.
    pub(super) fn last4(self) -> &'static str {
        &self.number()[15..]
    }

    /// The card with this number, however it is spaced.
    pub(super) fn with_number(number: &str) -> Option<Self> {
        let digits: String = number.chars().filter(|character| !character.is_whitespace()).collect();
        Self::ALL.into_iter().find(|card| card.number().replace(' ', "") == digits)
    }

    /// The card that ends with these digits.
    pub(super) fn ending(last4: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|card| card.last4() == last4)
    }

    /// What the bank says when it is charged.
    pub(super) fn judge(self, moment: Moment) -> Verdict {
        match self {
            Self::Works => Verdict::Accepted,
            Self::AsksToConfirm if moment == Moment::Confirmed => Verdict::Accepted,
            Self::AsksToConfirm => Verdict::NeedsConfirmation,
            Self::FailsLater if moment == Moment::Present => Verdict::Accepted,
            Self::FailsLater | Self::Declined => Verdict::Refused(DECLINED),
            Self::Empty => Verdict::Refused(EMPTY),
        }
    }

    /// Whether it can be kept for later payments, and what the bank says otherwise.
    pub(super) fn judge_for_later(self, moment: Moment) -> Verdict {
        if self == Self::FailsLater { Verdict::Accepted } else { self.judge(moment) }
    }
}
