//! The lifetime of sessions by the panel settings. Pure except for reading the settings; it never ends a session.

use std::time::Duration;

use panel_contract::moment::{DAY, Time};
use serde_json::Value;

use crate::auth::store::{self, SessionRow};
use panel_platform::db::{DbResult, Source};
use panel_platform::settings::{self, SESSION_ABSOLUTE_DAYS, SESSION_IDLE_DAYS, SESSION_PRESET};

/// The lifetime of a session: `idle` after its last use, and at the latest `absolute` after the sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLifetime {
    idle: Duration,
    absolute: Duration,
}

impl SessionLifetime {
    /// 12 hours without use, 24 hours after the sign-in.
    const STRICT: Self = Self { idle: Duration::from_hours(12), absolute: DAY };

    /// Reads the current settings.
    pub async fn read(db: &mut impl Source) -> DbResult<Self> {
        let [preset, idle, absolute] = store::lifetime_settings(db).await?;
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
        // The settings editor checks the bounds; any other stored value counts as the default.
        let duration = |days: &Value, fallback: i64| {
            let days = days.as_i64().unwrap_or(fallback).clamp(1, 365);
            DAY.saturating_mul(u32::try_from(days).unwrap_or_default())
        };
        Self { idle: duration(idle_days, 7), absolute: duration(absolute_days, 30) }
    }

    /// Tokens that were last used at or before this time have ended.
    #[must_use]
    pub fn idle_since(self, now: Time) -> Time {
        now.minus(self.idle)
    }

    /// Sessions that began at or before this time have ended.
    #[must_use]
    pub fn signed_in_since(self, now: Time) -> Time {
        now.minus(self.absolute)
    }

    /// The absolute end of a session that began at `signed_in_at`.
    #[must_use]
    pub fn absolute_end(self, signed_in_at: Time) -> Time {
        signed_in_at.plus(self.absolute)
    }

    /// The end of a token whose last use is at `used_at`.
    #[must_use]
    pub fn end(self, signed_in_at: Time, used_at: Time) -> Time {
        used_at.plus(self.idle).min(self.absolute_end(signed_in_at))
    }

    /// The end of a stored session. A longer lifetime in the settings does not extend the stored absolute end.
    #[must_use]
    pub fn end_of(self, session: &SessionRow) -> Time {
        self.end(session.signed_in_at, session.last_used_at).min(session.expires_at)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sessions_end_by_idle_time_or_age_whichever_comes_first() {
        let lifetime = SessionLifetime::from_settings(&json!("custom"), &json!(7), &json!(30));
        let day = |days: u32| Time(0).plus(DAY * days);
        assert_eq!(lifetime.end(day(0), day(2)), day(9));
        assert_eq!(lifetime.end(day(0), day(29)), day(30));
        assert_eq!(lifetime.idle_since(day(9)), day(2));
        assert_eq!(lifetime.signed_in_since(day(31)), day(1));
    }

    #[test]
    fn the_strict_preset_ignores_the_custom_days() {
        let hours = |hours| Time(0).plus(Duration::from_hours(hours));
        let strict = SessionLifetime::from_settings(&json!("strict"), &json!(90), &json!(365));
        assert_eq!(strict.end(Time(0), Time(0)), hours(12));
        assert_eq!(strict.end(Time(0), hours(20)), hours(24));
        let invalid = SessionLifetime::from_settings(&json!("custom"), &json!("x"), &json!(-1));
        assert_eq!(invalid.end(Time(0), Time(0)), hours(24));
    }
}
