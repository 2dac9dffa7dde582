//! Sends what happened to whom it concerns: letters and a message of the panel's Telegram bot, through the outbox, in the
//! transaction of what happened. Who may not see a record hears nothing of it.

use panel_contract::ids::RecordId;
use panel_contract::notifications::NotificationKind;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::configuration::notifications::telegram;
use panel_domain::notifications::{self, News};
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source as _, Sql};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::mail::Email;
use panel_platform::settings;
use panel_platform::work::Work;

/// Whatever of an event is news goes out.
pub async fn of_event(work: &mut Work, event: &str, changes: &[Change]) -> Result<()> {
    let pairs: Vec<(RecordId, &Value)> = changes.iter().map(|change| (change.id, &change.new)).collect();
    for news in notifications::news(event, &pairs) {
        tell(work, &news).await?;
    }
    Ok(())
}

async fn tell(work: &mut Work, news: &News) -> Result<()> {
    if is_off(work, news.kind).await? {
        return Ok(());
    }
    let people = recipients(work, news.kind).await?;
    let bot = telegram::is_set(work).await?;
    if people.is_empty() && !bot {
        return Ok(());
    }
    let panel = settings::text(work, settings::PANEL_NAME).await?.unwrap_or_default();
    let address = work.scope().platform.config.address();
    let (subject, text) = (notifications::subject(&panel, news), notifications::text(&address, news, true));
    let mut sent: Vec<Job> = people
        .into_iter()
        .map(|(name, email)| Job::Mail(Email { name, email, subject: subject.clone(), text: text.clone() }))
        .collect();
    if bot {
        // Who reads along in the chat is not known here: no amounts.
        let text = format!("{subject}\n{}", notifications::text(&address, news, false));
        sent.push(Job::Telegram { text });
    }
    let now = work.now;
    jobs::enqueue(work, &sent, now).await
}

async fn is_off(work: &mut Work, kind: NotificationKind) -> DbResult<bool> {
    let sql = Sql::new("SELECT kind FROM notification_switches WHERE kind = ? AND is_enabled = FALSE");
    Ok(work.opt::<(String,)>(sql.bind(kind.as_str())).await?.is_some())
}

/// Names and addresses of those on the list who may know.
async fn recipients(work: &mut Work, kind: NotificationKind) -> DbResult<Vec<(String, String)>> {
    let sql = Sql::new(
        "SELECT u.name, u.email FROM notification_recipients n JOIN users u ON u.id = n.user_id WHERE n.audience = ? AND u.status = 'active'
           AND (EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id AND p.permission = ?)
             OR EXISTS (SELECT 1 FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id AND p.permission = ?))
         ORDER BY u.id",
    );
    let permission = notifications::permission(kind).as_str();
    work.all(sql.bind(notifications::audience(kind).as_str()).bind(permission).bind(permission)).await
}
