//! How a free trial begins: its customer asks for one of the quests. Staff never begin one.

use serde_json::json;

use crate::audit::{self, Change};
use crate::configuration::settings;
use crate::db::{Source as _, Sql};
use crate::http::error::{ApiError, Result};
use crate::work::Work;

/// Writes the request; its id.
pub async fn request(work: &mut Work, user: i64, quest: i64, url: &str) -> Result<i64> {
    settings::unless_off(work, settings::FREE_TRIALS, "free_trials_off", "Free trials").await?;
    let now = work.now;
    let sql = Sql::new(
        "INSERT INTO free_trials (free_trial_quest_id, user_id, name, url, quantity, created_at)
         SELECT q.id, u.id, q.name, ?, q.quantity, ? FROM free_trial_quests q JOIN users u ON u.id = ? AND u.status = 'active' WHERE q.id = ? AND NOT q.is_archived RETURNING id",
    );
    let made = work.opt::<(i64,)>(sql.bind(url.trim()).bind(now).bind(user).bind(quest)).await?;
    let (id,) = made.ok_or_else(|| {
        let message = format!("There is no quest {quest} for user {user}; choose another.");
        ApiError::invalid("free_trial_quest_id", "quest_unknown", message)
    })?;
    let new = json!({ "status": "pending", "user_id": user, "free_trial_quest_id": quest });
    audit::record(work, "free_trial.requested", "free_trial", Change { id, old: json!({}), new }).await?;
    Ok(id)
}
