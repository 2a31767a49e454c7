//! Stripe's objects in our own words.

use jiff::Timestamp;
use miniserde::json::Value;
use stripe_shared::{
    Charge, CheckoutSession, CheckoutSessionMode, CheckoutSessionPaymentStatus, CheckoutSessionStatus, Dispute,
    DisputeStatus, Event, Invoice, InvoiceStatus, RecurringInterval, Refund, Subscription, SubscriptionStatus,
};

use super::super::Plan;
use super::super::statement::{
    CheckoutOutcome, StatedCharge, StatedCheckout, StatedDispute, StatedInvoice, StatedRefund, StatedStatus,
    StatedSubscription,
};
use super::{IMMEDIATE_START, Session, WITHDRAWAL};

/// More days than a month has, fewer than a year: what lies between them was paid by the year.
const BETWEEN_MONTH_AND_YEAR: i64 = 45 * 86_400;

fn instant(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}

fn says_true(metadata: Option<&std::collections::HashMap<String, String>>, key: &str) -> bool {
    metadata.and_then(|metadata| metadata.get(key)).is_some_and(|value| value == "true")
}

fn outcome(session: &CheckoutSession) -> CheckoutOutcome {
    match (&session.status, &session.payment_status) {
        (Some(CheckoutSessionStatus::Complete), CheckoutSessionPaymentStatus::Unpaid) => CheckoutOutcome::Confirming,
        (Some(CheckoutSessionStatus::Complete), _) => CheckoutOutcome::Paid,
        (Some(CheckoutSessionStatus::Expired), _) => CheckoutOutcome::Expired,
        _ => CheckoutOutcome::Open,
    }
}

pub(super) fn session(session: &CheckoutSession) -> Session {
    Session { id: session.id.to_string(), url: session.url.clone(), outcome: outcome(session) }
}

pub(super) fn checkout(session: &CheckoutSession) -> StatedCheckout {
    let payment = session.payment_intent.as_ref().map(|payment| payment.id().to_string());
    StatedCheckout {
        id: session.id.to_string(),
        outcome: outcome(session),
        trial_payment: payment.filter(|_| session.mode == CheckoutSessionMode::Payment),
        created: instant(session.created),
        immediate_start: says_true(session.metadata.as_ref(), IMMEDIATE_START),
    }
}

/// `None` for a subscription without an item, of which there is nothing to say.
pub(super) fn subscription(subscription: &Subscription) -> Option<StatedSubscription> {
    let item = subscription.items.data.first()?;
    let yearly = item.price.recurring.as_ref().is_some_and(|recurring| recurring.interval == RecurringInterval::Year);
    let at_period_end = subscription.cancel_at_period_end.then_some(item.current_period_end);
    Some(StatedSubscription {
        id: subscription.id.to_string(),
        plan: if yearly { Plan::Annual } else { Plan::Monthly },
        status: match subscription.status {
            SubscriptionStatus::Active | SubscriptionStatus::Trialing => StatedStatus::Active,
            SubscriptionStatus::PastDue => StatedStatus::PastDue,
            SubscriptionStatus::Unpaid | SubscriptionStatus::Paused => StatedStatus::Unpaid,
            SubscriptionStatus::Incomplete => StatedStatus::Incomplete,
            SubscriptionStatus::Canceled | SubscriptionStatus::IncompleteExpired => StatedStatus::Over,
            SubscriptionStatus::Unknown(_) => StatedStatus::Unknown,
            _ => StatedStatus::Unknown,
        },
        created: instant(subscription.created),
        period_start: instant(item.current_period_start),
        period_end: instant(item.current_period_end),
        cancel_at: subscription.cancel_at.or(at_period_end).map(instant),
        ended_at: subscription.ended_at.map(instant),
        immediate_start: says_true(Some(&subscription.metadata), IMMEDIATE_START),
    })
}

pub(super) fn invoice(invoice: &Invoice) -> StatedInvoice {
    let parent = invoice.parent.as_ref().and_then(|parent| parent.subscription_details.as_ref());
    let payments = invoice.payments.iter().flat_map(|payments| &payments.data);
    let payments = payments.filter_map(|payment| payment.payment.payment_intent.as_ref());
    let longest = invoice.lines.data.iter().map(|line| line.period.end - line.period.start).max();
    StatedInvoice {
        subscription: parent.map(|details| details.subscription.id().to_string()),
        plan: longest.map(|long| if long > BETWEEN_MONTH_AND_YEAR { Plan::Annual } else { Plan::Monthly }),
        created: instant(invoice.created),
        paid: invoice.status == Some(InvoiceStatus::Paid),
        open: invoice.status == Some(InvoiceStatus::Open),
        needs_bank: false,
        pay_url: invoice.hosted_invoice_url.clone(),
        payments: payments.map(|payment| payment.id().to_string()).collect(),
    }
}

pub(super) fn charge(charge: &Charge) -> StatedCharge {
    StatedCharge {
        id: charge.id.to_string(),
        payment: charge.payment_intent.as_ref().map(|payment| payment.id().to_string()),
        cents: charge.amount_captured,
        at: instant(charge.created),
        refunds: Vec::new(),
        disputes: Vec::new(),
    }
}

pub(super) fn refund(refund: &Refund) -> StatedRefund {
    let came_back = matches!(refund.status.as_deref(), Some("failed" | "canceled"));
    StatedRefund {
        id: refund.id.to_string(),
        cents: if came_back { 0 } else { refund.amount },
        at: instant(refund.created),
        withdrawal: refund.metadata.as_ref().and_then(|metadata| metadata.get(WITHDRAWAL).cloned()),
    }
}

pub(super) fn dispute(dispute: &Dispute) -> StatedDispute {
    // An inquiry ('warning') moves no money; a won dispute gives it back.
    let holds_money =
        matches!(dispute.status, DisputeStatus::NeedsResponse | DisputeStatus::UnderReview | DisputeStatus::Lost);
    StatedDispute {
        id: dispute.id.to_string(),
        cents: if holds_money { dispute.amount } else { 0 },
        at: instant(dispute.created),
        lost: dispute.status == DisputeStatus::Lost,
    }
}

pub(super) fn event(event: &Event) -> super::Event {
    let text = |key: &str| match &event.data.object {
        Value::Object(object) => match object.get(key) {
            Some(Value::String(text)) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    };
    super::Event { id: event.id.to_string(), customer: text("customer"), charge: text("charge") }
}
