//! Stripe, and nothing beyond: the calls that billing makes, in Stripe's own protocol, against whatever address the
//! configuration names. Stripe's types end here; [`objects`] turns them into ours.
//!
//! The version of the API is pinned by the library (2026-09-30.endive) and sent with every call, so what is fetched
//! has the shape that is read here, whatever version the webhook endpoint or the account was made with.

mod objects;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use stripe::{Client, ClientBuilder, StripeError};
use stripe_billing::billing_portal_session::CreateBillingPortalSession;
use stripe_billing::invoice::ListInvoice;
use stripe_billing::subscription::{CancelSubscription, ListSubscription, ListSubscriptionStatus, UpdateSubscription};
use stripe_checkout::checkout_session::{
    CreateCheckoutSession, CreateCheckoutSessionAllowedPaymentMethodTypes, CreateCheckoutSessionLineItems,
    CreateCheckoutSessionPaymentIntentData, CreateCheckoutSessionSubscriptionData, ExpireCheckoutSession,
    ListCheckoutSession, RetrieveCheckoutSession,
};
use stripe_client_core::{CustomizableStripeRequest, IdempotencyKey, RequestStrategy, StripeRequest};
use stripe_core::charge::ListCharge;
use stripe_core::customer::{CreateCustomer, SearchCustomer};
use stripe_core::dispute::ListDispute;
use stripe_core::event::ListEvent;
use stripe_core::payment_intent::RetrievePaymentIntent;
use stripe_core::refund::{CreateRefund, ListRefund};
use stripe_product::price::RetrievePrice;
use stripe_shared::{CheckoutSessionLocale, CheckoutSessionMode};
use stripe_types::RangeQueryTs;

use super::Plan;
use super::record::Wish;
use super::statement::{CheckoutOutcome, StatedCharge, StatedInvoice, Statement};
use crate::account::AccountId;
use crate::config;
use crate::error::{Code, Error, Result};

/// How long one call may take. A person waits for some of them.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// The most that Stripe gives in one page of a list.
const LARGEST_PAGE: i64 = 100;
/// Whose customer it is, in the metadata of a customer: only to find again one that was made a moment before a crash.
const ACCOUNT: &str = "rimedio_account";
/// The plan, in the metadata of a checkout and of what comes of it.
const PLAN: &str = "rimedio_plan";
/// The buyer's wish that the service begin at once, in the same places.
const IMMEDIATE_START: &str = "rimedio_immediate_start";
/// The withdrawal that a refund carries out, in the metadata of the refund.
const WITHDRAWAL: &str = "rimedio_withdrawal";

/// What changes what somebody holds. Other events are none of ours.
const EVENTS: [&str; 17] = [
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "invoice.paid",
    "invoice.payment_failed",
    "invoice.payment_action_required",
    "charge.succeeded",
    "charge.refunded",
    "charge.refund.updated",
    "refund.updated",
    "refund.failed",
    "charge.dispute.created",
    "charge.dispute.closed",
];

/// A session of Stripe's hosted checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) id: String,
    /// Where it is paid; none once it is over.
    pub(crate) url: Option<String>,
    pub(crate) outcome: CheckoutOutcome,
}

/// What came of asking for a checkout.
#[derive(Debug)]
pub(crate) enum Opening {
    /// The session.
    Opened(Session),
    /// Stripe knows no such customer: it was deleted there, or belongs to the other of Stripe's two modes.
    UnknownCustomer,
    /// Stripe answered, and there is no session that anybody could pay.
    Refused(Error),
}

/// Something that happened, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) customer: Option<String>,
    /// What a dispute is about: it names no customer.
    pub(crate) charge: Option<String>,
}

/// Stripe, reached at one address with one key. Clones share connections.
#[derive(Clone, Debug)]
pub(crate) struct Stripe {
    client: Client,
}

impl Stripe {
    /// Stripe as the configuration names it.
    ///
    /// # Errors
    /// [`Code::Internal`] when address or key cannot stand in a request; the configuration was checked before.
    pub(crate) fn new(settings: &config::Stripe) -> Result<Self> {
        // The address ends in '/', as that of every URL without a path does.
        let client = ClientBuilder::new(settings.secret_key.expose_secret())
            .url(settings.base_url.as_str())
            .timeout(CALL_TIMEOUT)
            .app_info("Rimedio", Some(env!("CARGO_PKG_VERSION").into()), None)
            .build()
            .map_err(Error::internal)?;
        Ok(Self { client })
    }

    /// The customer of an account: the one that was made before, or a new one. `lost` is one that Stripe no longer
    /// knows, whose place it takes.
    pub(crate) async fn customer(
        &self,
        account: AccountId,
        email: &str,
        name: &str,
        lost: Option<&str>,
    ) -> Result<String> {
        let query = format!("metadata['{ACCOUNT}']:'{account}'");
        let found = SearchCustomer::new(query).limit(1).send(&self.client).await.map_err(refused)?;
        if let Some(customer) = found.data.first() {
            return Ok(customer.id.to_string());
        }
        let mut create = CreateCustomer::new()
            .email(email)
            .preferred_locales(vec!["it".to_owned()])
            .metadata(HashMap::from([(ACCOUNT.to_owned(), account.to_string())]));
        if !name.is_empty() {
            create = create.name(name);
        }
        // The search lags behind by up to a minute; the key covers that time.
        let key = format!("customer-{account}-{}", lost.unwrap_or("first"));
        let made = once(&create, &key)?.send(&self.client).await.map_err(refused)?;
        Ok(made.id.to_string())
    }

    /// Opens a checkout, to be paid by card: other ways to pay take days to be confirmed. The same `key` gives the same
    /// session.
    ///
    /// # Errors
    /// Only when Stripe did not answer: there may or may not be a session then.
    pub(crate) async fn open_checkout(&self, customer: Option<&str>, wish: &Wish, key: &str) -> Result<Opening> {
        let metadata = HashMap::from([
            (PLAN.to_owned(), wish.plan.to_string()),
            (IMMEDIATE_START.to_owned(), wish.immediate_start.to_string()),
        ]);
        let mut item = CreateCheckoutSessionLineItems::new();
        item.price = Some(wish.price.clone());
        item.quantity = Some(1);
        let mut create = CreateCheckoutSession::new()
            .line_items(vec![item])
            .allowed_payment_method_types(vec![CreateCheckoutSessionAllowedPaymentMethodTypes::Card])
            .locale(CheckoutSessionLocale::It)
            .success_url(&wish.success_url)
            .cancel_url(&wish.cancel_url)
            .metadata(metadata.clone());
        if let Some(customer) = customer {
            create = create.customer(customer);
        }
        create = if wish.plan == Plan::Trial {
            let mut data = CreateCheckoutSessionPaymentIntentData::new();
            data.metadata = Some(metadata);
            create.mode(CheckoutSessionMode::Payment).payment_intent_data(data)
        } else {
            let mut data = CreateCheckoutSessionSubscriptionData::new();
            data.metadata = Some(metadata);
            create.mode(CheckoutSessionMode::Subscription).subscription_data(data)
        };
        match once(&create, key)?.send(&self.client).await {
            Ok(session) => Ok(Opening::Opened(objects::session(&session))),
            Err(StripeError::Stripe(error, _)) if is_unknown_customer(&error) => Ok(Opening::UnknownCustomer),
            Err(error @ StripeError::Stripe(..)) => Ok(Opening::Refused(refused(error))),
            Err(error) => Err(refused(error)),
        }
    }

    /// How a checkout stands; `None` when Stripe knows no such session.
    pub(crate) async fn checkout(&self, session: &str) -> Result<Option<Session>> {
        match RetrieveCheckoutSession::new(session).send(&self.client).await {
            Ok(session) => Ok(Some(objects::session(&session))),
            Err(StripeError::Stripe(error, _)) if is_missing(&error) => Ok(None),
            Err(error) => Err(refused(error)),
        }
    }

    /// Closes a checkout, so that nobody can pay it any more, and gives how it stands then: it may have been paid a
    /// moment before, or Stripe may have had no time.
    pub(crate) async fn expire_checkout(&self, session: &str) -> Result<Option<Session>> {
        match ExpireCheckoutSession::new(session).send(&self.client).await {
            Ok(session) => Ok(Some(objects::session(&session))),
            Err(StripeError::Stripe(..)) => self.checkout(session).await,
            Err(error) => Err(refused(error)),
        }
    }

    /// The page on which a customer manages cards and plan.
    pub(crate) async fn portal(&self, customer: &str, return_url: &str) -> Result<String> {
        let create = CreateBillingPortalSession::new()
            .customer(customer)
            .locale(stripe_billing::BillingPortalSessionLocale::It)
            .return_url(return_url);
        Ok(create.send(&self.client).await.map_err(refused)?.url)
    }

    /// Lets a subscription end with its present period.
    pub(crate) async fn cancel_at_period_end(&self, subscription: &str) -> Result<()> {
        let update = UpdateSubscription::new(subscription).cancel_at_period_end(true);
        update.send(&self.client).await.map_err(refused)?;
        Ok(())
    }

    /// Ends a subscription now. One that has ended already is no error.
    pub(crate) async fn end(&self, subscription: &str) -> Result<()> {
        match CancelSubscription::new(subscription).invoice_now(false).prorate(false).send(&self.client).await {
            Ok(_) => Ok(()),
            Err(StripeError::Stripe(error, _)) if is_missing(&error) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }

    /// Pays back some of a charge, once for each `key`.
    pub(crate) async fn refund(&self, charge: &str, cents: i64, withdrawal: &str, key: &str) -> Result<()> {
        let create = CreateRefund::new()
            .charge(charge)
            .amount(cents)
            .metadata(HashMap::from([(WITHDRAWAL.to_owned(), withdrawal.to_owned())]));
        once(&create, key)?.send(&self.client).await.map_err(refused)?;
        Ok(())
    }

    /// What a price amounts to, in cents, when it is in euro.
    pub(crate) async fn price_cents(&self, price: &str) -> Result<Option<u64>> {
        let price = RetrievePrice::new(price).send(&self.client).await.map_err(refused)?;
        let in_euro = price.currency == stripe_types::Currency::EUR;
        Ok(price.unit_amount.filter(|_| in_euro).and_then(|cents| u64::try_from(cents).ok()))
    }

    /// What happened since an instant (inclusive) that may matter, oldest first.
    pub(crate) async fn events_since(&self, since: Timestamp) -> Result<Vec<Event>> {
        let list = ListEvent::new()
            .created(RangeQueryTs::gte(since.as_second()))
            .types(EVENTS.map(ToOwned::to_owned))
            .limit(LARGEST_PAGE);
        let events: Vec<_> = list.paginate().stream(&self.client).try_collect().await.map_err(refused)?;
        Ok(events.iter().rev().map(objects::event).collect())
    }

    /// Everything that Stripe says of a customer; `None` when Stripe knows no such customer. Refunds are asked for
    /// where a charge says that there are some, and of the `refunded` charges, whose refunds may have failed since.
    pub(crate) async fn statement(&self, customer: &str, refunded: &HashSet<String>) -> Result<Option<Statement>> {
        let subscriptions =
            ListSubscription::new().customer(customer).status(ListSubscriptionStatus::All).limit(LARGEST_PAGE);
        let checkouts = ListCheckoutSession::new().customer(customer).limit(LARGEST_PAGE);
        let invoices =
            ListInvoice::new().customer(customer).expand(vec!["data.payments".to_owned()]).limit(LARGEST_PAGE);
        let charges = ListCharge::new().customer(customer).limit(LARGEST_PAGE);
        let asked: Result<(Vec<_>, Vec<_>, Vec<_>, Vec<_>), StripeError> = tokio::try_join!(
            subscriptions.paginate().stream(&self.client).try_collect(),
            checkouts.paginate().stream(&self.client).try_collect(),
            invoices.paginate().stream(&self.client).try_collect(),
            charges.paginate().stream(&self.client).try_collect(),
        );
        let (subscriptions, checkouts, invoices, charges) = match asked {
            Ok(lists) => lists,
            Err(StripeError::Stripe(error, _)) if is_unknown_customer(&error) => return Ok(None),
            Err(error) => return Err(refused(error)),
        };
        let mut statement = Statement {
            subscriptions: subscriptions.iter().filter_map(objects::subscription).collect(),
            checkouts: checkouts.iter().map(objects::checkout).collect(),
            invoices: Vec::with_capacity(invoices.len()),
            charges: Vec::with_capacity(charges.len()),
        };
        for invoice in &invoices {
            let mut stated = objects::invoice(invoice);
            stated.needs_bank = self.needs_bank(&stated).await?;
            statement.invoices.push(stated);
        }
        for charge in charges.iter().filter(|charge| charge.paid) {
            let refunded = charge.amount_refunded > 0 || refunded.contains(charge.id.as_str());
            statement.charges.push(self.with_reversals(charge, refunded).await?);
        }
        Ok(Some(statement))
    }

    /// Whether the payment of an open invoice waits for the holder's bank.
    async fn needs_bank(&self, invoice: &StatedInvoice) -> Result<bool> {
        let Some(payment) = invoice.payments.last().filter(|_| invoice.open) else { return Ok(false) };
        let intent = RetrievePaymentIntent::new(payment.as_str()).send(&self.client).await.map_err(refused)?;
        Ok(intent.status == stripe_shared::PaymentIntentStatus::RequiresAction)
    }

    async fn with_reversals(&self, charge: &stripe_shared::Charge, refunded: bool) -> Result<StatedCharge> {
        let mut stated = objects::charge(charge);
        if refunded {
            let list = ListRefund::new().charge(charge.id.as_str()).limit(LARGEST_PAGE);
            let refunds: Vec<_> = list.paginate().stream(&self.client).try_collect().await.map_err(refused)?;
            stated.refunds = refunds.iter().map(objects::refund).collect();
        }
        if charge.disputed {
            let list = ListDispute::new().charge(charge.id.as_str()).limit(LARGEST_PAGE);
            let disputes: Vec<_> = list.paginate().stream(&self.client).try_collect().await.map_err(refused)?;
            stated.disputes = disputes.iter().map(objects::dispute).collect();
        }
        Ok(stated)
    }
}

/// A call that Stripe carries out once for each key.
fn once<R: StripeRequest>(request: &R, key: &str) -> Result<CustomizableStripeRequest<R::Output>> {
    let key = IdempotencyKey::new(key).map_err(Error::internal)?;
    Ok(request.customize().request_strategy(RequestStrategy::Idempotent(key)))
}

fn is_missing(error: &stripe_shared::ApiErrors) -> bool {
    error.code == Some(stripe_shared::ApiErrorsCode::ResourceMissing)
}

fn is_unknown_customer(error: &stripe_shared::ApiErrors) -> bool {
    is_missing(error) && error.param.as_deref() == Some("customer")
}

/// What a failed call means for the caller. Stripe's own words go to the log, without the objects that its errors
/// carry: there are names and cards in them.
fn refused(error: StripeError) -> Error {
    let cause = match &error {
        StripeError::Stripe(error, status) => {
            let code = error.code.as_ref().map_or("no code", |code| code.as_str());
            let message = error.message.as_deref().unwrap_or_default();
            format!("Stripe answered {status}, {code}: {message}")
        }
        other => format!("Stripe: {other}"),
    };
    let detail = "Il servizio dei pagamenti non risponde in questo momento. Non ti è stato addebitato nulla. Riprova tra qualche minuto.";
    Error::new(Code::ProviderFailed).saying(detail).because(cause)
}
