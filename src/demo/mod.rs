//! The demonstration: the product with its real code, and beside it stand-ins that speak the providers' own wire
//! protocols on a second loopback port. The product is configured with their addresses, exactly as it would be with
//! the real ones; nothing outside this folder knows.

mod google;
mod page;
mod people;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use poem::Server;
use poem::listener::TcpAcceptor;
use tokio::net::TcpListener;
use tokio::sync::watch;
use url::Url;

pub use google::{GoogleStandIn, RegisteredClient};
pub use people::{DemoPerson, PEOPLE, SUPERUSER};

use crate::account::{CALLBACK_PATH, Person};
use crate::app::{App, StartError};
use crate::billing::Plan;
use crate::clock::Clock;
use crate::config::{Config, ConfigError};
use crate::http;
use crate::store::Store;

/// What every page says.
const BANNER: &str = "Questa è una dimostrazione: nessun dato esce da questo computer e non si muove denaro.";

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
    google: TcpListener,
    google_address: String,
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
        let google = listen(0).await?;
        let own_address = format!("http://{}", product.local_addr()?);
        let product_address = public_url.map_or(own_address, |url| url.origin().ascii_serialization());
        let google_address = format!("http://{}", google.local_addr()?);
        let client = RegisteredClient {
            id: "rimedio-demo.apps.example".into(),
            secret: random_secret()?,
            redirect: format!("{product_address}{CALLBACK_PATH}"),
        };
        let config =
            Config::from_toml(&configuration(&product, &product_address, directory, &google_address, &client)?)?;
        Ok(Self { config, product, product_address, google, google_address, client })
    }

    /// Builds the product on a store, and makes the people known to it with what they hold.
    ///
    /// # Errors
    /// [`DemoError::Start`] when a part cannot be built.
    pub async fn open(self, store: Store, clock: Clock) -> Result<RunningDemo, DemoError> {
        let google = GoogleStandIn::new(self.google_address, self.client, clock.clone())?;
        let app = Arc::new(App::on(store, self.config, clock).await?);
        for person in PEOPLE {
            introduce(&app, person).await?;
        }
        Ok(RunningDemo {
            app,
            address: self.product_address,
            google,
            product_listener: self.product,
            google_listener: self.google,
        })
    }
}

/// A demonstration that is ready to answer.
#[derive(Debug)]
pub struct RunningDemo {
    /// The parts of the product.
    pub app: Arc<App>,
    /// Where people open it, such as `http://127.0.0.1:8080`.
    pub address: String,
    google: Arc<GoogleStandIn>,
    product_listener: TcpListener,
    google_listener: TcpListener,
}

impl RunningDemo {
    /// Answers until `shutdown` ends, then lets the running requests finish.
    ///
    /// # Errors
    /// When a listener fails for good.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), DemoError> {
        let (stop, mut stopped) = watch::channel(());
        let stand_in = Server::new_with_acceptor(TcpAcceptor::from_tokio(self.google_listener)?)
            .run_with_graceful_shutdown(
                self.google.routes(),
                async move {
                    // Ends when the product has ended and its side of the channel is gone.
                    let _ = stopped.changed().await;
                },
                Some(LAST_ANSWERS),
            );
        let product = async move {
            let result = http::serve(self.app, self.product_listener, shutdown).await;
            drop(stop);
            result
        };
        let (product, stand_in) = tokio::join!(product, stand_in);
        product?;
        Ok(stand_in?)
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
    google_address: &str,
    client: &RegisteredClient,
) -> io::Result<String> {
    let listen = product.local_addr()?;
    let directory = directory.to_string_lossy();
    let RegisteredClient { id, secret, .. } = client;
    let superuser = SUPERUSER.email;
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
issuer = "{google_address}"
client_id = "{id}"
client_secret = "{secret}"

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

/// Makes a person known before the first sign-in, with what the person holds. Done at each start: a plan that has
/// run out meanwhile is granted again.
async fn introduce(app: &App, person: &DemoPerson) -> crate::error::Result<()> {
    let account = app
        .accounts
        .remember(Person {
            subject: person.subject.into(),
            email: person.email.into(),
            full_name: person.full_name.into(),
            picture: None,
        })
        .await?;
    if let Some(plan) = person.plan
        && app.subscriptions.active(account.id).await?.is_none()
    {
        let days = match plan {
            Plan::Trial => app.config.plans.trial_days,
            Plan::Monthly => 30,
            Plan::Annual => 365,
        };
        app.subscriptions.grant(account.id, plan, days).await?;
    }
    Ok(())
}
