//! The demonstration: the product with its real code, and beside it stand-ins that speak the providers' own wire
//! protocols on a second loopback port. The product is configured with their addresses, exactly as it would be with
//! the real ones; nothing outside this folder knows.

mod google;
mod page;
mod people;
mod stripe;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use poem::listener::TcpAcceptor;
use poem::{Route, Server};
use secrecy::ExposeSecret as _;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use url::Url;

pub use google::{GoogleStandIn, RegisteredClient};
pub use people::{DemoPerson, PEOPLE, SUPERUSER};
pub use stripe::{Interval, StandInError, StripePrice, StripeSettings, StripeStandIn, Weather};

use crate::account::{CALLBACK_PATH, Person};
use crate::app::{App, StartError};
use crate::billing::{Order, Plan};
use crate::clock::Clock;
use crate::config::{Config, ConfigError};
use crate::http;
use crate::store::Store;

/// What every page says.
const BANNER: &str = "Questa è una dimostrazione: nessun dato esce da questo computer e non si muove denaro.";

/// Where the stand-in for Stripe keeps its objects, in the directory of the data.
const STRIPE_FILE: &str = "stripe-stand-in.json";

/// How long the stand-in may take to finish its last answers, all of which are ready at once.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Why the demonstration does not start or ends.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The port is taken, most likely.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The demonstration's own configuration does not hold together.
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    /// A part could not be built.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The stand-in for Stripe refuses.
    #[error(transparent)]
    Stripe(#[from] StandInError),
    /// Serving failed.
    #[error(transparent)]
    Serving(#[from] io::Error),
}

impl From<crate::error::Error> for DemoError {
    fn from(error: crate::error::Error) -> Self {
        Self::Start(error.into())
    }
}

/// Two ports that are held, and the configuration that goes with them. Nothing runs yet.
#[derive(Debug)]
pub struct Demo {
    /// What the product will be configured with. May be changed before [`Demo::open`].
    pub config: Config,
    product: TcpListener,
    product_address: String,
    stand_ins: TcpListener,
    stand_ins_address: String,
    client: RegisteredClient,
}

impl Demo {
    /// Takes the product's port (0: any that is free) and one for the stand-ins, both on 127.0.0.1. The data will
    /// live in `directory`. Browsers reach it at `public_url` when something stands in between.
    ///
    /// # Errors
    /// [`DemoError::Listen`] when the port is taken.
    pub async fn bind(port: u16, directory: &Path, public_url: Option<Url>) -> Result<Self, DemoError> {
        let product = listen(port).await?;
        let stand_ins = listen(0).await?;
        let own_address = format!("http://{}", product.local_addr()?);
        let product_address = public_url.map_or(own_address, |url| url.origin().ascii_serialization());
        let stand_ins_address = format!("http://{}", stand_ins.local_addr()?);
        let client = RegisteredClient {
            id: "rimedio-demo.apps.example".into(),
            secret: random_secret()?,
            redirect: format!("{product_address}{CALLBACK_PATH}"),
        };
        let config =
            Config::from_toml(&configuration(&product, &product_address, directory, &stand_ins_address, &client)?)?;
        Ok(Self { config, product, product_address, stand_ins, stand_ins_address, client })
    }

    /// Starts the stand-ins, builds the product on a store, and makes the people known to it with what they hold.
    ///
    /// # Errors
    /// [`DemoError::Start`] when a part cannot be built.
    pub async fn open(self, store: Store, clock: Clock) -> Result<RunningDemo, DemoError> {
        let google = GoogleStandIn::new(self.stand_ins_address.clone(), self.client, clock.clone())?;
        let product = self.product.local_addr()?;
        let settings = stripe_settings(
            &self.config,
            self.stand_ins_address,
            product,
            self.config.store.directory.join(STRIPE_FILE),
        );
        let stripe = StripeStandIn::new(settings, clock.clone())?;
        let app = Arc::new(App::on(store, self.config, clock).await?);
        // Running before anybody is introduced: what the people hold is bought, as everybody buys it.
        let stand_ins = StandIns::start(google, Arc::clone(&stripe), self.stand_ins)?;
        for person in PEOPLE {
            introduce(&app, &stripe, person).await?;
        }
        Ok(RunningDemo { app, address: self.product_address, stripe, stand_ins, product_listener: self.product })
    }
}

/// A demonstration that is ready to answer.
#[derive(Debug)]
pub struct RunningDemo {
    /// The parts of the product.
    pub app: Arc<App>,
    /// Where people open it, such as `http://127.0.0.1:8080`.
    pub address: String,
    /// The stand-in for Stripe, with its levers.
    pub stripe: Arc<StripeStandIn>,
    stand_ins: StandIns,
    product_listener: TcpListener,
}

impl RunningDemo {
    /// Answers until `shutdown` ends, then lets the running requests finish.
    ///
    /// # Errors
    /// When a listener fails for good.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), DemoError> {
        http::serve(self.app, self.product_listener, shutdown).await?;
        Ok(self.stand_ins.stop().await?)
    }
}

/// The servers of the stand-ins at work, both on one port. They stop when this is dropped.
#[derive(Debug)]
struct StandIns {
    stop: watch::Sender<()>,
    work: JoinHandle<io::Result<()>>,
}

impl StandIns {
    fn start(google: Arc<GoogleStandIn>, stripe: Arc<StripeStandIn>, listener: TcpListener) -> io::Result<Self> {
        let (stop, stopped) = watch::channel(());
        // Each ends when the sender is gone.
        let gone = |mut stopped: watch::Receiver<()>| async move { while stopped.changed().await.is_ok() {} };
        let of_stripe = Arc::new(Arc::clone(&stripe).routes());
        let mut routes = Route::new().nest_no_strip("/", google.routes());
        for path in ["/v1", "/c", "/p", "/i", "/dashboard", "/stand-in.css"] {
            routes = routes.nest_no_strip(path, Arc::clone(&of_stripe));
        }
        let server = Server::new_with_acceptor(TcpAcceptor::from_tokio(listener)?);
        let (until, deliver_until) = (gone(stopped.clone()), gone(stopped));
        let work = tokio::spawn(async move {
            let answering = server.run_with_graceful_shutdown(routes, until, Some(LAST_ANSWERS));
            tokio::join!(answering, stripe.deliver(deliver_until)).0
        });
        Ok(Self { stop, work })
    }

    async fn stop(self) -> io::Result<()> {
        drop(self.stop);
        self.work.await.map_err(io::Error::other)?
    }
}

/// The stand-in for Stripe as the product is configured for it.
fn stripe_settings(config: &Config, address: String, product: SocketAddr, file: PathBuf) -> StripeSettings {
    let price = |plan: Plan, id: &str, interval| StripePrice {
        id: id.to_owned(),
        product_name: plan.title().to_owned(),
        unit_amount: i64::try_from(plan.terms(&config.plans).price_cents).unwrap_or(i64::MAX),
        interval,
    };
    let prices = &config.stripe.prices;
    StripeSettings {
        address,
        secret_key: config.stripe.secret_key.expose_secret().to_owned(),
        webhook_secret: config
            .stripe
            .webhook_secrets
            .first()
            .map(|it| it.expose_secret().to_owned())
            .unwrap_or_default(),
        // Not the public address: something that reloads the frontend may stand there.
        webhook_url: Some(format!("http://{product}/api/v1/payment/webhook")),
        file: Some(file),
        prices: vec![
            price(Plan::Trial, &prices.trial, None),
            price(Plan::Monthly, &prices.monthly, Some(Interval::Month)),
            price(Plan::Annual, &prices.annual, Some(Interval::Year)),
        ],
    }
}

async fn listen(port: u16) -> Result<TcpListener, DemoError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address).await.map_err(|source| DemoError::Listen { port, source })
}

fn random_secret() -> io::Result<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

fn configuration(
    product: &TcpListener,
    product_address: &str,
    directory: &Path,
    stand_ins: &str,
    client: &RegisteredClient,
) -> io::Result<String> {
    let listen = product.local_addr()?;
    let directory = directory.to_string_lossy();
    let RegisteredClient { id, secret, .. } = client;
    let superuser = SUPERUSER.email;
    let (key, signing) = (random_secret()?, random_secret()?);
    // A text in quotes of Rust is one in quotes of TOML too, for everything that a path may hold.
    Ok(format!(
        r#"
[server]
listen = "{listen}"
public_url = "{product_address}"

[store]
directory = {directory:?}

[brand]
banner = "{BANNER}"

[google]
issuer = "{stand_ins}"
client_id = "{id}"
client_secret = "{secret}"

[stripe]
base_url = "{stand_ins}"
secret_key = "sk_test_{key}"
webhook_secrets = ["whsec_{signing}"]

[stripe.prices]
trial = "price_trial"
monthly = "price_monthly"
annual = "price_annual"

[admin]
superusers = ["{superuser}"]

# Everybody who tries it comes from the same address.
[limits]
anonymous_per_minute = 1200
account_per_minute = 1200

[marketing]
claims = "sample"
"#
    ))
}

/// Makes a person known before the first sign-in, with what the person holds: bought at the stand-in's till, as
/// everybody buys it. Done at each start: a plan that has ended meanwhile is bought again.
async fn introduce(app: &App, stripe: &StripeStandIn, person: &DemoPerson) -> Result<(), DemoError> {
    let account = app
        .accounts
        .remember(Person {
            subject: person.subject.into(),
            email: person.email.into(),
            full_name: person.full_name.into(),
            picture: None,
        })
        .await?;
    let Some(plan) = person.plan else { return Ok(()) };
    app.billing.sync(&account).await?;
    if app.subscriptions.active(account.id).await?.is_some() {
        return Ok(());
    }
    let back = format!("{}/account/subscription", app.config.server.origin());
    let order = Order {
        plan: plan.to_string(),
        price: None,
        success_url: format!("{back}?success=true"),
        cancel_url: format!("{back}?canceled=true"),
        immediate_start: true,
    };
    let checkout = app.billing.checkout(&account, order).await?;
    stripe.pay(checkout.rsplit('/').next().unwrap_or_default())?;
    app.billing.sync(&account).await?;
    Ok(())
}
