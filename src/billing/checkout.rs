//! From a plan to Stripe's payment page. One checkout is open for an account at any time, however often the button or
//! Back is pressed: its idempotency key is in the store before Stripe is asked, and a checkout for something else is
//! closed at Stripe before another is opened.

use jiff::SignedDuration;
use url::Url;
use uuid::Uuid;

use super::record::{AccountByCustomer, OpenCheckout, Payer};
use super::statement::CheckoutOutcome;
use super::stripe::Session;
use super::subscription::{Standing, Subscription};
use super::{Billing, Plan, SOON, Wish, look_again};
use crate::account::{Account, AccountId};
use crate::error::{Code, Error, Result};

/// How long an unanswered request for a checkout can be asked again: Stripe forgets its key after 24 hours.
const KEY_LIFETIME: SignedDuration = SignedDuration::from_hours(23);
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
        if let Some(url) = self.settle_open_checkout(account.id, &wish).await? {
            return Ok(url);
        }
        self.admit(account, wish.plan).await?;
        self.end_leftovers(account.id).await?;
        let mut customer = self.customer_of(account, None).await?;
        for _ in 0..2 {
            let key = self.claim(account.id, &wish).await?;
            if let Some(session) = self.inner.stripe.open_checkout(Some(&customer), &wish, &key.to_string()).await? {
                return self.opened(account.id, key, session).await;
            }
            tracing::warn!(account = %account.id, "Stripe no longer knows this customer; a new one is made");
            self.forget_customer(account.id, customer.clone()).await?;
            customer = self.customer_of(account, Some(&customer)).await?;
        }
        Err(Error::new(Code::ProviderFailed).because("Stripe does not know the customer that it has just made"))
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
        let session = self.inner.stripe.open_checkout(None, &wish, &Uuid::new_v4().to_string()).await?;
        session.and_then(|session| session.url).ok_or_else(without_address)
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
    /// is for another, and takes over what was bought when it was paid meanwhile.
    async fn settle_open_checkout(&self, account: AccountId, wish: &Wish) -> Result<Option<String>> {
        let payer = self.inner.store.get::<Payer>(&account).await?.unwrap_or_default();
        let Payer { checkout: Some(checkout), customer: Some(customer), .. } = payer else { return Ok(None) };
        let session = match &checkout.session {
            Some(session) => self.inner.stripe.checkout(session).await?,
            // A crash came between the question and the answer: the same question gives the same session.
            None if self.inner.clock.now().duration_since(checkout.asked_at) < KEY_LIFETIME => {
                let key = checkout.key.to_string();
                match self.inner.stripe.open_checkout(Some(&customer), &checkout.wish, &key).await? {
                    Some(session) => session,
                    None => return self.forget_checkout(account).await.map(|()| None),
                }
            }
            None => return self.forget_checkout(account).await.map(|()| None),
        };
        match session.outcome {
            CheckoutOutcome::Open if checkout.wish == *wish => {
                self.opened(account, checkout.key, session).await.map(Some)
            }
            CheckoutOutcome::Open if self.inner.stripe.expire_checkout(&session.id).await? => {
                self.forget_checkout(account).await?;
                Ok(None)
            }
            CheckoutOutcome::Expired => self.forget_checkout(account).await.map(|()| None),
            CheckoutOutcome::Confirming => {
                self.reconcile_alone(account, &[]).await?;
                Err(Error::new(Code::PlanActive).saying(
                    "Il tuo pagamento è in corso: la banca lo sta confermando. Aspetta qualche minuto, non serve pagare di nuovo.",
                ))
            }
            CheckoutOutcome::Open | CheckoutOutcome::Paid => {
                self.reconcile_alone(account, &[]).await?;
                Ok(None)
            }
        }
    }

    /// Refuses what would be bought twice.
    async fn admit(&self, account: &Account, plan: Plan) -> Result<()> {
        let now = self.inner.clock.now();
        let held = self.inner.subscriptions.of(account.id).await?;
        if let Some(held) = held.filter(Subscription::renews) {
            let sentence = if held.standing == Standing::PastDue {
                "Il tuo piano aspetta un pagamento. Completa quello, invece di comprarne un altro: lo trovi in «Il tuo abbonamento»."
            } else if plan == Plan::Trial {
                "Hai già un piano attivo: la prova non ti serve."
            } else if held.plan == plan {
                "Hai già questo piano ed è attivo. Non serve comprarlo di nuovo."
            } else {
                "Hai già un piano attivo. Per passare a un altro vai in «Il tuo abbonamento» e premi «Gestisci pagamenti»: paghi solo la differenza."
            };
            // One that is over by its own time, while Stripe has not told of its end yet, keeps nobody from buying.
            if held.grants(now) || held.standing == Standing::PastDue {
                return Err(Error::new(Code::PlanActive).saying(sentence));
            }
        }
        if plan == Plan::Trial && self.trial_used(account).await? {
            return Err(Code::TrialUsed.into());
        }
        Ok(())
    }

    /// Ends at Stripe what nobody pays any more and what Stripe would go on charging beside a new plan.
    async fn end_leftovers(&self, account: AccountId) -> Result<()> {
        let held = self.inner.subscriptions.of(account).await?;
        let unpaid = held.filter(|held| held.standing == Standing::Unpaid).and_then(|held| held.contract);
        match unpaid {
            Some(subscription) => self.inner.stripe.end(&subscription).await,
            None => Ok(()),
        }
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
