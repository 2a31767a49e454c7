//! How many calls are let through: by address for strangers, by account for those who are signed in. And whose
//! address it is: behind a proxy only the proxies that the configuration trusts may say.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;

use crate::account::AccountId;
use crate::config::Limits;
use crate::error::{Code, Error, Result};

/// Keys that are idle are forgotten once in so many calls, so that memory follows the living ones.
const CALLS_BETWEEN_CLEANINGS: u32 = 10_000;

/// The limits of a running server.
#[derive(Debug)]
pub(super) struct CallLimits {
    strangers: DefaultKeyedRateLimiter<IpAddr>,
    accounts: DefaultKeyedRateLimiter<AccountId>,
    calls: AtomicU32,
}

impl CallLimits {
    /// The limits that the configuration sets.
    #[must_use]
    pub(super) fn new(limits: &Limits) -> Self {
        let quota = |calls: u32| Quota::per_minute(NonZeroU32::new(calls).unwrap_or(NonZeroU32::MIN));
        Self {
            strangers: RateLimiter::keyed(quota(limits.anonymous_per_minute)),
            accounts: RateLimiter::keyed(quota(limits.account_per_minute)),
            calls: AtomicU32::new(0),
        }
    }

    /// Lets a call of a stranger through, or says when to come back.
    ///
    /// # Errors
    /// [`Code::RateLimited`].
    pub(super) fn stranger(&self, address: IpAddr) -> Result<()> {
        self.clean_now_and_then();
        admit(self.strangers.check_key(&network_of(address)))
    }

    /// Lets a call of a signed-in account through, or says when to come back.
    ///
    /// # Errors
    /// [`Code::RateLimited`].
    pub(super) fn account(&self, account: AccountId) -> Result<()> {
        self.clean_now_and_then();
        admit(self.accounts.check_key(&account))
    }

    fn clean_now_and_then(&self) {
        if self.calls.fetch_add(1, Ordering::Relaxed) % CALLS_BETWEEN_CLEANINGS == CALLS_BETWEEN_CLEANINGS - 1 {
            self.strangers.retain_recent();
            self.accounts.retain_recent();
            self.strangers.shrink_to_fit();
            self.accounts.shrink_to_fit();
        }
    }
}

type Verdict = std::result::Result<(), governor::NotUntil<governor::clock::QuantaInstant>>;

fn admit(verdict: Verdict) -> Result<()> {
    verdict.map_err(|not_until| {
        let wait = not_until.wait_time_from(DefaultClock::default().now());
        Error::new(Code::RateLimited).retry_after(wait)
    })
}

/// One household has one IPv4 address or one IPv6 network of 64 bits.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// Whose call it is: the peer, or, as long as a trusted proxy speaks, the one that it names. Read from the right,
/// because everything to the left of the first stranger is the stranger's own writing.
#[must_use]
pub(super) fn client_address(peer: IpAddr, forwarded_for: &[&str], trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    let mut client = peer.to_canonical();
    let hops = forwarded_for.iter().flat_map(|line| line.split(',')).map(str::trim);
    for hop in hops.collect::<Vec<_>>().into_iter().rev() {
        if !is_trusted(client) {
            break;
        }
        let Ok(address) = hop.parse::<IpAddr>() else { break };
        client = address.to_canonical();
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn only_a_trusted_proxy_names_the_client() {
        let trusted = ["10.0.0.0/8".parse().expect("a network"), "::1/128".parse().expect("a network")];
        let cases = [
            ("203.0.113.9", vec!["1.2.3.4"], "203.0.113.9"),
            ("10.0.0.1", vec!["1.2.3.4"], "1.2.3.4"),
            ("10.0.0.1", vec!["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
            ("10.0.0.1", vec!["6.6.6.6", "1.2.3.4, 10.9.9.9"], "1.2.3.4"),
            ("10.0.0.1", vec!["not an address"], "10.0.0.1"),
            ("10.0.0.1", vec![], "10.0.0.1"),
            ("::1", vec!["2001:db8::7"], "2001:db8::7"),
            ("::ffff:10.0.0.1", vec!["1.2.3.4"], "1.2.3.4"),
        ];
        for (peer, forwarded, expected) in cases {
            assert_eq!(client_address(address(peer), &forwarded, &trusted), address(expected), "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn a_household_counts_once() {
        assert_eq!(network_of(address("2001:db8::1")), network_of(address("2001:db8::ffff")));
        assert_ne!(network_of(address("2001:db8::1")), network_of(address("2001:db8:0:1::1")));
        assert_ne!(network_of(address("1.2.3.4")), network_of(address("1.2.3.5")));
    }

    #[test]
    fn the_call_above_the_limit_is_told_when_to_come_back() {
        let limits = CallLimits::new(&Limits { anonymous_per_minute: 3, account_per_minute: 3 });
        for _ in 0..3 {
            limits.stranger(address("1.2.3.4")).expect("within the limit");
        }
        let refused = limits.stranger(address("1.2.3.4")).expect_err("above the limit");
        assert_eq!(refused.code(), Code::RateLimited);
        assert!(refused.wait().is_some_and(|wait| wait.as_secs() <= 20));
        limits.stranger(address("4.3.2.1")).expect("another address has a limit of its own");
    }
}
