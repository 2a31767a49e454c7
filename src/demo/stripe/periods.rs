//! How long a subscription's periods are.

use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

use super::cards::DAY;
use super::state::text;

/// The end of the period after the one that ends at `end`, counted from the first day, so that a month that begins
/// on the 31st ends on the last day of shorter months and on the 31st again in longer ones.
pub(super) fn next_period(price: &Value, anchor: i64, end: i64) -> i64 {
    let first = Timestamp::from_second(anchor).unwrap_or_default().to_zoned(jiff::tz::TimeZone::UTC);
    let yearly = text(price, "/recurring/interval") == "year";
    (1..2400_i32)
        .filter_map(|count| first.checked_add(if yearly { count.years() } else { count.months() }).ok())
        .map(|next| next.timestamp().as_second())
        .find(|next| *next > end)
        .unwrap_or(end + 30 * DAY)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Timestamp, next_period};

    fn periods(interval: &str, from: &str, count: usize) -> Vec<String> {
        let price = json!({ "recurring": { "interval": interval } });
        let anchor = from.parse::<Timestamp>().expect("a fixed instant").as_second();
        let following = |end: &i64| Some(next_period(&price, anchor, *end));
        let ends = std::iter::successors(Some(anchor), following).skip(1).take(count);
        ends.map(|end| Timestamp::from_second(end).expect("an instant").strftime("%F").to_string()).collect()
    }

    #[test]
    fn a_month_that_begins_on_the_31st_ends_on_the_last_day_of_shorter_ones() {
        assert_eq!(periods("month", "2026-01-31T10:00:00Z", 3), ["2026-02-28", "2026-03-31", "2026-04-30"]);
    }

    #[test]
    fn a_year_that_begins_on_the_29th_of_february_ends_on_the_28th() {
        assert_eq!(
            periods("year", "2028-02-29T10:00:00Z", 4),
            ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]
        );
    }
}
