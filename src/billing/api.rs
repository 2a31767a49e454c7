//! The routes of plans and payments.

mod wire;
mod withdrawal;

use poem_openapi::param::Header;
use poem_openapi::payload::Json;
use poem_openapi::{OpenApi, Tags};

use super::{Billing, Heard, Order, Plan};
use crate::http::identity::{Consented, SignedIn};
use crate::http::problem::Failure;
use wire::{
    CheckoutRequest, CheckoutResponse, HeardResponse, PortalResponse, Prices, SignedMessage, StatusResponse,
    TestCheckoutRequest,
};
use withdrawal::{ReceiptBody, WithdrawalRequest, WithdrawalsResponse};

#[derive(Tags)]
enum Tag {
    /// Plans, payments and the subscription.
    Payment,
}

/// The routes of payment.
#[derive(Clone, Debug)]
pub struct PaymentApi {
    billing: Billing,
    trial_days: u32,
}

impl PaymentApi {
    /// The routes on this money; a trial lasts `trial_days`.
    #[must_use]
    pub const fn new(billing: Billing, trial_days: u32) -> Self {
        Self { billing, trial_days }
    }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Payment")]
impl PaymentApi {
    /// What the plans cost
    ///
    /// The payment provider's prices; the configured ones while it does not answer. Needs no sign-in.
    #[oai(path = "/payment/prices", method = "get", operation_id = "prices")]
    async fn prices(&self) -> Result<Json<Prices>, Failure> {
        let ids = Plan::ALL.map(|plan| self.billing.price_id(plan));
        Ok(Json(Prices::new(self.billing.prices().await, ids, self.trial_days)))
    }

    /// What the caller holds
    ///
    /// A subscription that has ended is told too, with `is_active` false.
    #[oai(path = "/payment/subscription-status", method = "get", operation_id = "subscription_status")]
    async fn subscription_status(&self, who: SignedIn) -> Result<Json<StatusResponse>, Failure> {
        Ok(Json(self.billing.status(&who.account).await?.into()))
    }

    /// Opens the payment page for a plan
    ///
    /// One at a time for each account: asked again, it gives the same page. 409 `trial_used` or `plan_active` for what
    /// would be bought twice; 422 for a price that is not the plan's own, or a return address outside of the product.
    #[oai(path = "/payment/create-checkout", method = "post", operation_id = "create_checkout")]
    async fn create_checkout(
        &self,
        who: Consented,
        body: Json<CheckoutRequest>,
    ) -> Result<Json<CheckoutResponse>, Failure> {
        let CheckoutRequest { plan_type, price_id, success_url, cancel_url, immediate_start } = body.0;
        let order = Order { plan: plan_type, price: price_id, success_url, cancel_url, immediate_start };
        let checkout_url = self.billing.checkout(&who.account, order).await?;
        Ok(Json(CheckoutResponse { checkout_url }))
    }

    /// Opens a payment page that unlocks nothing
    ///
    /// Only while the payment provider's key is a test key; 404 otherwise. Needs no sign-in.
    #[oai(path = "/payment/create-checkout-test", method = "post", operation_id = "create_checkout_test")]
    async fn create_checkout_test(&self, body: Json<TestCheckoutRequest>) -> Result<Json<CheckoutResponse>, Failure> {
        let TestCheckoutRequest { price_id, success_url, cancel_url } = body.0;
        let checkout_url = self.billing.test_checkout(price_id, success_url, cancel_url).await?;
        Ok(Json(CheckoutResponse { checkout_url }))
    }

    /// Opens the page on which cards and plan are managed
    ///
    /// 409 `no_subscription` for who never bought anything.
    #[oai(path = "/payment/create-portal", method = "post", operation_id = "create_portal")]
    async fn create_portal(&self, who: SignedIn) -> Result<Json<PortalResponse>, Failure> {
        Ok(Json(PortalResponse { portal_url: self.billing.portal(&who.account).await? }))
    }

    /// Asks the payment provider about the caller at once
    #[oai(path = "/payment/sync-subscription", method = "post", operation_id = "sync_subscription")]
    async fn sync_subscription(&self, who: SignedIn) -> Result<Json<StatusResponse>, Failure> {
        Ok(Json(self.billing.sync(&who.account).await?.into()))
    }

    /// Lets the caller's subscription end with its present period
    ///
    /// 409 `no_subscription` when nothing renews itself.
    #[oai(path = "/payment/cancel-subscription", method = "post", operation_id = "cancel_subscription")]
    async fn cancel_subscription(&self, who: SignedIn) -> Result<Json<StatusResponse>, Failure> {
        Ok(Json(self.billing.cancel(&who.account).await?.into()))
    }

    /// What the caller may withdraw from, and what was withdrawn from
    #[oai(path = "/payment/withdrawal", method = "get", operation_id = "withdrawals")]
    async fn withdrawals(&self, who: SignedIn) -> Result<Json<WithdrawalsResponse>, Failure> {
        let contracts = self.billing.withdrawal_offers(who.account.id).await?;
        let receipts = self.billing.withdrawals(who.account.id).await?;
        Ok(Json(WithdrawalsResponse {
            contracts: contracts.into_iter().map(Into::into).collect(),
            receipts: receipts.into_iter().map(|(id, withdrawal)| ReceiptBody::new(id, withdrawal)).collect(),
        }))
    }

    /// Withdraws from a contract
    ///
    /// Ends what it granted at once and pays back what was not used. Declared twice, the first receipt is given again.
    /// 409 `withdrawal_over` when it is too late.
    #[oai(path = "/payment/withdrawal", method = "post", operation_id = "withdraw")]
    async fn withdraw(&self, who: SignedIn, body: Json<WithdrawalRequest>) -> Result<Json<ReceiptBody>, Failure> {
        let WithdrawalRequest { contract, name, address } = body.0;
        let withdrawal = self.billing.withdraw(who.account.id, &contract, &name, &address).await?;
        Ok(Json(ReceiptBody::new(contract, withdrawal)))
    }

    /// Hears a message of the payment provider
    ///
    /// 200 when its effect is durable, was so before, or it is about nobody here; 400 for a wrong, old or missing
    /// signature; 5xx when it should be sent again.
    #[oai(path = "/payment/webhook", method = "post", operation_id = "webhook")]
    async fn webhook(
        &self,
        #[oai(name = "Stripe-Signature")] signature: Header<Option<String>>,
        body: SignedMessage,
    ) -> Result<HeardResponse, Failure> {
        let (SignedMessage::Utf8(body) | SignedMessage::Plain(body)) = body;
        let heard = self.billing.hear(signature.0.as_deref().unwrap_or_default(), &body.0).await?;
        if heard == Heard::NotOurs {
            tracing::debug!("a message about nobody here");
        }
        Ok(HeardResponse::Heard)
    }
}
