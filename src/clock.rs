//! The only reader of the time. Everything else asks a [`Clock`], so that a test can move it; times are UTC
//! instants, and what people call a day or a month is a day or a month of Europe/Rome.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The present moment. Clones share one shift, so that moving one moves all.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// Seconds added to the system's time; zero outside tests and the demo.
    shift_seconds: Arc<AtomicI64>,
}

impl Clock {
    /// A clock that tells the system's time.
    #[must_use]
    pub fn system() -> Self {
        Self::default()
    }

    /// The present instant, in UTC.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let shift = SignedDuration::from_secs(self.shift_seconds.load(Ordering::Relaxed));
        let system = Timestamp::now();
        system.checked_add(shift).unwrap_or(system)
    }

    /// Today's date in Italy.
    #[must_use]
    pub fn today(&self) -> Date {
        day_in_italy(self.now())
    }

    /// Moves this clock and all its clones forward.
    pub fn advance(&self, by: Duration) {
        let seconds = i64::try_from(by.as_secs()).unwrap_or(i64::MAX);
        self.shift_seconds.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// The time zone of every day and month that the product speaks of. It is part of the binary.
#[must_use]
pub fn italy() -> TimeZone {
    // The zone's data is compiled in, so the look-up cannot fail; UTC keeps the type honest all the same.
    TimeZone::get("Europe/Rome").unwrap_or(TimeZone::UTC)
}

/// The date in Italy at an instant.
#[must_use]
pub fn day_in_italy(at: Timestamp) -> Date {
    at.to_zoned(italy()).date()
}

/// The instant at which a date begins in Italy.
#[must_use]
pub fn start_of_day_in_italy(day: Date) -> Timestamp {
    day.to_zoned(italy()).map(|zoned| zoned.timestamp()).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_at_midnight_in_italy_in_summer_and_in_winter() {
        let summer: Timestamp = "2026-07-10T22:30:00Z".parse().expect("a fixed instant");
        let winter: Timestamp = "2026-01-10T22:30:00Z".parse().expect("a fixed instant");
        assert_eq!(day_in_italy(summer).to_string(), "2026-07-11");
        assert_eq!(day_in_italy(winter).to_string(), "2026-01-10");
    }

    #[test]
    fn the_day_of_the_change_to_summer_time_has_twenty_three_hours() {
        let day: Date = "2026-03-29".parse().expect("a fixed date");
        let next = day.tomorrow().expect("a day later");
        let length = start_of_day_in_italy(next).duration_since(start_of_day_in_italy(day));
        assert_eq!(length.as_hours(), 23);
    }

    #[test]
    fn clones_move_together() {
        let clock = Clock::system();
        let other = clock.clone();
        let before = other.now();
        clock.advance(Duration::from_secs(86_400));
        assert!(other.now().duration_since(before).as_hours() >= 24);
    }
}
