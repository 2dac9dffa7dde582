//! Computes when sessions expire, from the settings of the panel. This module reads the settings, but does not end sessions.

use std::time::Duration;

use panel_contract::moment::{DAY, Time};
use serde_json::Value;

use crate::auth::store::{self, SessionRow};
use panel_platform::db::{DbResult, SqlExecutor};
use panel_platform::settings::{self, SESSION_ABSOLUTE_DAYS, SESSION_IDLE_DAYS, SESSION_PRESET};

/// The lifetime of a session. A session expires `idle` after its last use, and at the latest `absolute` after the sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLifetime {
    idle: Duration,
    absolute: Duration,
}

impl SessionLifetime {
    /// The preset `strict`: sessions expire after 12 hours without use, and 24 hours after the sign-in.
    const STRICT: Self = Self { idle: Duration::from_hours(12), absolute: DAY };

    /// Reads the current settings.
    pub async fn read(db: &mut impl SqlExecutor) -> DbResult<Self> {
        let [preset, idle, absolute] = store::load_lifetime_settings(db).await?;
        Ok(Self::from_settings(
            &settings::parse_stored(SESSION_PRESET, preset.as_deref()),
            &settings::parse_stored(SESSION_IDLE_DAYS, idle.as_deref()),
            &settings::parse_stored(SESSION_ABSOLUTE_DAYS, absolute.as_deref()),
        ))
    }

    fn from_settings(preset: &Value, idle_days: &Value, absolute_days: &Value) -> Self {
        if preset == "strict" {
            return Self::STRICT;
        }
        // The settings editor accepts only valid values, so an invalid stored value is replaced by the default.
        let duration = |days: &Value, fallback: i64| {
            let days = days.as_i64().unwrap_or(fallback).clamp(1, 365);
            DAY.saturating_mul(u32::try_from(days).unwrap_or_default())
        };
        Self { idle: duration(idle_days, 7), absolute: duration(absolute_days, 30) }
    }

    /// Sessions that were last used at or before this time have expired.
    #[must_use]
    pub fn idle_cutoff(self, now: Time) -> Time {
        now.minus(self.idle)
    }

    /// Sessions whose sign-in was at or before this time have expired.
    #[must_use]
    pub fn sign_in_cutoff(self, now: Time) -> Time {
        now.minus(self.absolute)
    }

    /// When a session expires even if it is used.
    #[must_use]
    pub fn absolute_expires_at(self, signed_in_at: Time) -> Time {
        signed_in_at.plus(self.absolute)
    }

    /// When a session expires that was last used at `used_at`.
    #[must_use]
    pub fn expires_at(self, signed_in_at: Time, used_at: Time) -> Time {
        used_at.plus(self.idle).min(self.absolute_expires_at(signed_in_at))
    }

    /// When a stored session expires. A longer lifetime in the settings does not extend the stored absolute expiry.
    #[must_use]
    pub fn session_expires_at(self, session: &SessionRow) -> Time {
        self.expires_at(session.signed_in_at, session.last_used_at).min(session.expires_at)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_expires_after_the_idle_time_or_at_the_absolute_expiry() {
        let lifetime = SessionLifetime::from_settings(&json!("custom"), &json!(7), &json!(30));
        let day = |days: u32| Time(0).plus(DAY * days);
        assert_eq!(lifetime.expires_at(day(0), day(2)), day(9));
        assert_eq!(lifetime.expires_at(day(0), day(29)), day(30));
        assert_eq!(lifetime.idle_cutoff(day(9)), day(2));
        assert_eq!(lifetime.sign_in_cutoff(day(31)), day(1));
    }

    #[test]
    fn the_strict_preset_ignores_the_custom_days() {
        let hours = |hours| Time(0).plus(Duration::from_hours(hours));
        let strict = SessionLifetime::from_settings(&json!("strict"), &json!(90), &json!(365));
        assert_eq!(strict.expires_at(Time(0), Time(0)), hours(12));
        assert_eq!(strict.expires_at(Time(0), hours(20)), hours(24));
        let invalid = SessionLifetime::from_settings(&json!("custom"), &json!("x"), &json!(-1));
        assert_eq!(invalid.expires_at(Time(0), Time(0)), hours(24));
    }
}
