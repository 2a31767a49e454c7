//! The one client for calls to providers: TLS by rustls, trust from the certificates compiled into the binary *and*
//! those of the system where there are any. The first make it work in an empty root, the second behind a proxy that
//! inspects TLS. It follows no redirects: an answer that sends a call with a secret in it elsewhere is not obeyed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::{Client, ClientBuilder, Response, redirect};
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The TLS library refused its own settings.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// The HTTP library refused its own settings.
    #[error("the HTTP client cannot be set up: {0}")]
    Http(#[from] reqwest::Error),
}

/// A client for calls to providers. It has a limit for connecting and none for the whole call: each call sets its own.
///
/// # Errors
/// [`ClientError`], which no configuration of ours should bring about.
pub fn http_client() -> Result<Client, ClientError> {
    Ok(builder()?.build()?)
}

/// A client whose every call goes to a Unix socket, whatever host its address names.
///
/// # Errors
/// As [`http_client`].
pub fn socket_client(path: &Path) -> Result<Client, ClientError> {
    Ok(builder()?.unix_socket(path).build()?)
}

fn builder() -> Result<ClientBuilder, ClientError> {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    // A system without certificates, or with some that nobody can read, is no reason to stop: the compiled ones stand.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("rimedio/", env!("CARGO_PKG_VERSION"))))
}

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection broke or was too slow.
    #[error("the answer broke off: {0}")]
    Broken(#[from] reqwest::Error),
    /// It is longer than the caller takes.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
}

/// The whole body of an answer, when it is not longer than `limit` bytes. What a provider sends is not trusted to end.
///
/// # Errors
/// [`BodyError`].
pub async fn read_body(response: Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        if body.len() + piece.len() > limit {
            return Err(BodyError::TooLong(limit));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_client_can_be_made_whatever_certificates_the_system_has() {
        super::http_client().expect("our own settings are accepted");
    }
}
