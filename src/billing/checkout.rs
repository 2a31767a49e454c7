//! From a plan to Stripe's payment page. One checkout is open for an account at any time, however often the button or
//! Back is pressed: its idempotency key is in the store before Stripe is asked, and a checkout for something else is
//! closed at Stripe before another is opened.

use jiff::SignedDuration;
use url::Url;
use uuid::Uuid;

use super::record::{AccountByCustomer, OpenCheckout, Payer};
use super::statement::{CheckoutOutcome, StatedStatus, Statement};
use super::stripe::{Opening, Session};
use super::subscription::{Standing, Subscription};
use super::{Billing, Plan, SOON, Wish, look_again};
use crate::account::{Account, AccountId};
use crate::error::{Code, Error, Result};

/// How long a checkout can be paid, and for how long its key finds it again: 24 hours at Stripe, and one to be sure.
pub(super) const LIFETIME: SignedDuration = SignedDuration::from_hours(25);
/// What was asked of Stripe so lately need not be asked again before a payment page is shown a second time.
const FRESH: SignedDuration = SignedDuration::from_secs(5);
/// No address is longer.
const LONGEST_ADDRESS: usize = 2_000;

/// What somebody asks for, as it came in.
#[derive(Clone, Debug)]
pub struct Order {
    /// The plan's name.
    pub plan: String,
    /// Stripe's price, when the page knows it.
    pub price: Option<String>,
    /// Where the browser goes after paying.
    pub success_url: String,
    /// Where it goes otherwise.
    pub cancel_url: String,
    /// The service begins at once by the buyer's own wish.
    pub immediate_start: bool,
}

impl Billing {
    /// The address of the payment page for an order.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for an unknown plan or an address outside of the product, [`Code::InvalidPriceId`],
    /// [`Code::TrialUsed`], [`Code::PlanActive`], [`Code::ProviderFailed`].
    pub async fn checkout(&self, account: &Account, order: Order) -> Result<String> {
        let wish = self.wish(order)?;
        let _gate = self.gate(account.id).await;
        if !self.asked_lately_for(account.id, &wish).await? {
            let statement = self.reconcile_alone(account.id, &[]).await?;
            if let Err(refusal) = self.admit(account, wish.plan, statement.as_deref()).await {
                // A page that is still open somewhere must not be paid either.
                self.settle_open_checkout(account.id, None).await?;
                return Err(refusal);
            }
        }
        if let Some(url) = self.settle_open_checkout(account.id, Some(&wish)).await? {
            return Ok(url);
        }
        // It may have been paid a moment ago.
        self.admit(account, wish.plan, None).await?;
        let mut customer = self.customer_of(account, None).await?;
        for _ in 0..2 {
            let key = self.claim(account.id, &wish).await?;
            match self.inner.stripe.open_checkout(Some(&customer), &wish, &key.to_string()).await? {
                Opening::Opened(session) => return self.opened(account.id, key, session).await,
                Opening::Refused(error) => {
                    self.forget_checkout(account.id).await?;
                    return Err(error);
                }
                Opening::UnknownCustomer => {
                    tracing::warn!(account = %account.id, "Stripe no longer knows this customer; a new one is made");
                    self.forget_customer(account.id, customer.clone()).await?;
                    customer = self.customer_of(account, Some(&customer)).await?;
                }
            }
        }
        Err(Error::new(Code::ProviderFailed).because("Stripe does not know the customer that it has just made"))
    }

    /// Whether the page for this very wish was asked for a moment ago: a second press of the button.
    async fn asked_lately_for(&self, account: AccountId, wish: &Wish) -> Result<bool> {
        let payer = self.inner.store.get::<Payer>(&account).await?.unwrap_or_default();
        let now = self.inner.clock.now();
        Ok(payer.checkout.is_some_and(|checkout| {
            checkout.session.is_some() && checkout.wish == *wish && now.duration_since(checkout.asked_at) < FRESH
        }))
    }

    /// A payment page that belongs to nobody and unlocks nothing, for trying out an installation with a test key.
    ///
    /// # Errors
    /// [`Code::NotFound`] with any other key; otherwise as [`Billing::checkout`].
    pub async fn test_checkout(&self, price: String, success_url: String, cancel_url: String) -> Result<String> {
        if !self.inner.settings.is_test() {
            return Err(Code::NotFound.into());
        }
        let plan = Plan::ALL.into_iter().find(|plan| self.price_id(*plan) == price);
        let plan = plan.ok_or(Error::new(Code::InvalidPriceId))?.to_string();
        let wish = self.wish(Order { plan, price: Some(price), success_url, cancel_url, immediate_start: false })?;
        match self.inner.stripe.open_checkout(None, &wish, &Uuid::new_v4().to_string()).await? {
            Opening::Opened(session) => session.url.ok_or_else(without_address),
            Opening::UnknownCustomer => Err(without_address()),
            Opening::Refused(error) => Err(error),
        }
    }

    fn wish(&self, order: Order) -> Result<Wish> {
        let plan: Plan = order.plan.parse().map_err(|error| Error::new(Code::InvalidInput).because(error))?;
        let price = self.price_id(plan).to_owned();
        if order.price.is_some_and(|asked| asked != price) {
            return Err(Code::InvalidPriceId.into());
        }
        for address in [&order.success_url, &order.cancel_url] {
            self.own_address(address)?;
        }
        let Order { success_url, cancel_url, immediate_start, .. } = order;
        Ok(Wish { plan, price, success_url, cancel_url, immediate_start })
    }

    /// Refuses an address to which a browser must not be sent: anything but a page of the product.
    fn own_address(&self, address: &str) -> Result<()> {
        let parsed = Url::parse(address).ok().filter(|_| address.len() <= LONGEST_ADDRESS);
        let is_own = parsed.is_some_and(|url| {
            url.origin().ascii_serialization() == self.inner.origin
                && url.username().is_empty()
                && url.password().is_none()
        });
        if is_own { Ok(()) } else { Err(Error::new(Code::InvalidInput).because("a return address of another origin")) }
    }

    /// Deals with the checkout that is open already: gives its address when it is for the same wish, closes it when it
    /// is for another or for none, and takes over what was bought when it was paid meanwhile.
    async fn settle_open_checkout(&self, account: AccountId, wish: Option<&Wish>) -> Result<Option<String>> {
        let payer = self.inner.store.get::<Payer>(&account).await?.unwrap_or_default();
        let Payer { checkout: Some(checkout), customer: Some(customer), .. } = payer else { return Ok(None) };
        let Some(session) = self.session_of(&checkout, &customer).await? else {
            return self.forget_checkout(account).await.map(|()| None);
        };
        if session.outcome == CheckoutOutcome::Open && wish == Some(&checkout.wish) {
            return self.opened(account, checkout.key, session).await.map(Some);
        }
        let closed = if session.outcome == CheckoutOutcome::Open {
            self.inner.stripe.expire_checkout(&session.id).await?.map_or(CheckoutOutcome::Expired, |it| it.outcome)
        } else {
            session.outcome
        };
        match closed {
            CheckoutOutcome::Expired => self.forget_checkout(account).await?,
            CheckoutOutcome::Paid => {
                self.reconcile_alone(account, &[]).await?;
            }
            CheckoutOutcome::Confirming => {
                self.reconcile_alone(account, &[]).await?;
                return Err(Error::new(Code::PlanActive).saying(
                    "Il tuo pagamento è in corso: la banca lo sta confermando. Aspetta qualche minuto, non serve pagare di nuovo.",
                ));
            }
            // Two pages that can be paid are one too many.
            CheckoutOutcome::Open => {
                return Err(Error::new(Code::ProviderFailed).because("a checkout could not be closed"));
            }
        }
        Ok(None)
    }

    /// Stripe's session of a checkout; `None` when there is none that anybody could pay.
    async fn session_of(&self, checkout: &OpenCheckout, customer: &str) -> Result<Option<Session>> {
        if let Some(session) = &checkout.session {
            return self.inner.stripe.checkout(session).await;
        }
        if self.inner.clock.now().duration_since(checkout.asked_at) > LIFETIME {
            return Ok(None);
        }
        // A crash came between the question and the answer: the same question gives the same session.
        let key = checkout.key.to_string();
        match self.inner.stripe.open_checkout(Some(customer), &checkout.wish, &key).await? {
            Opening::Opened(session) => Ok(Some(session)),
            Opening::UnknownCustomer | Opening::Refused(_) => Ok(None),
        }
    }

    /// Refuses what would be bought twice, by what Stripe says where it has just been asked, else by what is held.
    /// Ends at Stripe what nobody pays any more and what Stripe might go on charging beside a new plan.
    async fn admit(&self, account: &Account, plan: Plan, statement: Option<&Statement>) -> Result<()> {
        let held = self.inner.subscriptions.of(account.id).await?;
        let held = held.filter(Subscription::renews).filter(|held| held.grants(self.inner.clock.now()));
        let mut runs = held.map(|held| (held.plan, held.standing == Standing::PastDue));
        for stated in statement.into_iter().flat_map(|statement| &statement.subscriptions) {
            match stated.status {
                StatedStatus::Active => runs = runs.or(Some((stated.plan, false))),
                StatedStatus::PastDue => runs = Some((stated.plan, true)),
                StatedStatus::Unpaid | StatedStatus::Incomplete => self.inner.stripe.end(&stated.id).await?,
                StatedStatus::Over | StatedStatus::Unknown => {}
            }
        }
        if let Some((running, late)) = runs {
            let sentence = if late {
                "Il tuo piano aspetta un pagamento. Completa quello, invece di comprarne un altro: lo trovi in «Il tuo abbonamento»."
            } else if plan == Plan::Trial {
                "Hai già un piano attivo: la prova non ti serve."
            } else if running == plan {
                "Hai già questo piano ed è attivo. Non serve comprarlo di nuovo."
            } else {
                "Hai già un piano attivo. Per passare a un altro vai in «Il tuo abbonamento» e premi «Gestisci pagamenti»: paghi solo la differenza."
            };
            return Err(Error::new(Code::PlanActive).saying(sentence));
        }
        if plan == Plan::Trial && self.trial_used(account).await? {
            return Err(Code::TrialUsed.into());
        }
        Ok(())
    }

    /// The customer at Stripe, made when there is none.
    async fn customer_of(&self, account: &Account, lost: Option<&str>) -> Result<String> {
        let payer = self.inner.store.get::<Payer>(&account.id).await?.unwrap_or_default();
        if let Some(customer) = payer.customer {
            return Ok(customer);
        }
        let made = self.inner.stripe.customer(account.id, &account.email, &account.full_name, lost).await?;
        let account = account.id;
        self.inner
            .store
            .update(move |transaction| -> Result<_> {
                let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
                if let Some(customer) = payer.customer {
                    return Ok(customer);
                }
                payer.customer = Some(made.clone());
                transaction.put(&account, &payer)?;
                transaction.put(&made, &AccountByCustomer { account })?;
                Ok(made.clone())
            })
            .await
    }

    async fn forget_customer(&self, account: AccountId, customer: String) -> Result<()> {
        self.inner
            .store
            .update(move |transaction| -> Result<_> {
                let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
                payer.customer = payer.customer.filter(|held| *held != customer);
                payer.checkout = None;
                transaction.put(&account, &payer)?;
                transaction.delete::<AccountByCustomer>(&customer);
                Ok(())
            })
            .await
    }

    /// Notes that a checkout is about to be asked for, and under which key.
    async fn claim(&self, account: AccountId, wish: &Wish) -> Result<Uuid> {
        let (key, asked_at) = (Uuid::new_v4(), self.inner.clock.now());
        let checkout = OpenCheckout { key, wish: wish.clone(), asked_at, session: None, url: None, confirming: false };
        self.inner
            .store
            .update(move |transaction| -> Result<_> {
                let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
                if let Some(other) = &payer.checkout {
                    // Another process was faster: with its key both of us get one session.
                    if other.wish == checkout.wish {
                        return Ok(other.key);
                    }
                }
                payer.checkout = Some(checkout.clone());
                let soon = asked_at.saturating_add(SOON).unwrap_or(jiff::Timestamp::MAX);
                let due_at = payer.due_at.map_or(soon, |earlier| earlier.min(soon));
                look_again(transaction, account, &mut payer, Some(due_at))?;
                transaction.put(&account, &payer)?;
                Ok(key)
            })
            .await
    }

    /// Notes what Stripe answered, and gives the address of the payment page.
    async fn opened(&self, account: AccountId, key: Uuid, session: Session) -> Result<String> {
        let url = session.url.clone();
        self.inner
            .store
            .update(move |transaction| -> Result<_> {
                let mut payer = transaction.get::<Payer>(&account)?.unwrap_or_default();
                if let Some(checkout) = payer.checkout.as_mut().filter(|checkout| checkout.key == key)
                    && checkout.session.as_ref() != Some(&session.id)
                {
                    checkout.session = Some(session.id.clone());
                    checkout.url.clone_from(&session.url);
                    transaction.put(&account, &payer)?;
                }
                Ok(())
            })
            .await?;
        url.ok_or_else(without_address)
    }

    async fn forget_checkout(&self, account: AccountId) -> Result<()> {
        self.inner
            .store
            .update(move |transaction| -> Result<_> {
                if let Some(mut payer) = transaction.get::<Payer>(&account)? {
                    payer.checkout = None;
                    transaction.put(&account, &payer)?;
                }
                Ok(())
            })
            .await
    }
}

fn without_address() -> Error {
    Error::new(Code::ProviderFailed).because("Stripe's session has no address")
}
