//! How long sessions last, by the panel settings. Pure but for reading them; it never ends a session itself.

use panel_contract::moment::Time;
use serde_json::Value;

use crate::auth::store::SessionRow;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::settings::{self, SESSION_ABSOLUTE_DAYS, SESSION_IDLE_DAYS, SESSION_PRESET};

const HOUR_MICROS: i64 = 3_600_000_000;
const DAY_MICROS: i64 = 24 * HOUR_MICROS;

/// When sessions end: a while after their last use, and a while after the sign-in in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLifetime {
    idle_micros: i64,
    absolute_micros: i64,
}

impl SessionLifetime {
    /// 12 hours without use, 24 hours in all.
    const STRICT: Self = Self { idle_micros: 12 * HOUR_MICROS, absolute_micros: 24 * HOUR_MICROS };

    /// As the settings are now.
    pub async fn read(db: &mut impl Source) -> DbResult<Self> {
        let sql = Sql::new(
            "SELECT (SELECT value FROM settings WHERE key = ?), (SELECT value FROM settings WHERE key = ?),
               (SELECT value FROM settings WHERE key = ?)",
        );
        let sql = sql.bind(SESSION_PRESET).bind(SESSION_IDLE_DAYS).bind(SESSION_ABSOLUTE_DAYS);
        let (preset, idle, absolute): (Option<String>, Option<String>, Option<String>) = db.one(sql).await?;
        Ok(Self::of(
            &settings::stored(SESSION_PRESET, preset.as_deref()),
            &settings::stored(SESSION_IDLE_DAYS, idle.as_deref()),
            &settings::stored(SESSION_ABSOLUTE_DAYS, absolute.as_deref()),
        ))
    }

    fn of(preset: &Value, idle_days: &Value, absolute_days: &Value) -> Self {
        if preset == "strict" {
            return Self::STRICT;
        }
        // The editor of settings has checked the bounds; a value that it did not write counts as the default.
        let micros =
            |days: &Value, fallback: i64| days.as_i64().unwrap_or(fallback).clamp(1, 365) * DAY_MICROS;
        Self { idle_micros: micros(idle_days, 7), absolute_micros: micros(absolute_days, 30) }
    }

    /// Tokens that were last used at this moment, or before it, have ended.
    #[must_use]
    pub const fn idle_since(self, now: Time) -> Time {
        Time(now.0 - self.idle_micros)
    }

    /// Sessions that began at this moment, or before it, have ended.
    #[must_use]
    pub const fn signed_in_since(self, now: Time) -> Time {
        Time(now.0 - self.absolute_micros)
    }

    /// The absolute end of a session that began at `signed_in_at`.
    #[must_use]
    pub const fn absolute_end(self, signed_in_at: Time) -> Time {
        Time(signed_in_at.0 + self.absolute_micros)
    }

    /// When a token ends that is used at `used_at` and never again.
    #[must_use]
    pub fn end(self, signed_in_at: Time, used_at: Time) -> Time {
        Time(used_at.0 + self.idle_micros).min(self.absolute_end(signed_in_at))
    }

    /// When a stored session ends. Settings that have become more generous give an old session no more time than it had.
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
    fn sessions_end_by_idleness_or_age_whichever_is_first() {
        let lifetime = SessionLifetime::of(&json!("custom"), &json!(7), &json!(30));
        let day = |days: i64| Time(days * DAY_MICROS);
        assert_eq!(lifetime.end(day(0), day(2)), day(9));
        assert_eq!(lifetime.end(day(0), day(29)), day(30));
        assert_eq!(lifetime.idle_since(day(9)), day(2));
        assert_eq!(lifetime.signed_in_since(day(31)), day(1));
    }

    #[test]
    fn the_strict_preset_does_not_read_the_days() {
        let strict = SessionLifetime::of(&json!("strict"), &json!(90), &json!(365));
        assert_eq!(strict.end(Time(0), Time(0)), Time(12 * HOUR_MICROS));
        assert_eq!(strict.end(Time(0), Time(20 * HOUR_MICROS)), Time(DAY_MICROS));
        let odd = SessionLifetime::of(&json!("custom"), &json!("x"), &json!(-1));
        assert_eq!(odd.end(Time(0), Time(0)), Time(DAY_MICROS));
    }
}
