//! Notifies staff of an audited event: it queues emails and a Telegram message in the event's transaction. A staff member without
//! the permission to see the record gets no email.

use panel_contract::ids::RecordId;
use panel_contract::notifications::NotificationKind;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::configuration::notifications::telegram;
use panel_domain::notifications::{self, StaffNotification};
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::mail::Email;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Queues the notifications of an event.
pub async fn notify_of_event(work: &mut UnitOfWork, event: &str, changes: &[AuditChange]) -> Result<()> {
    let new_values_by_id: Vec<(RecordId, &Value)> =
        changes.iter().map(|change| (change.id, &change.new)).collect();
    for notification in notifications::notifications_for_event(event, &new_values_by_id) {
        queue_notification(work, &notification).await?;
    }
    Ok(())
}

async fn queue_notification(work: &mut UnitOfWork, notification: &StaffNotification) -> Result<()> {
    if is_disabled(work, notification.kind).await? {
        return Ok(());
    }
    let recipients = load_recipients(work, notification.kind).await?;
    let has_telegram_bot = telegram::is_configured(work).await?;
    if recipients.is_empty() && !has_telegram_bot {
        return Ok(());
    }
    let panel_name = settings::read_text(work, settings::PANEL_NAME).await?.unwrap_or_default();
    let address = work.scope().platform.config.address();
    let (subject, text) = (
        notifications::email_subject(&panel_name, notification),
        notifications::email_text(&address, notification, true),
    );
    let mut jobs_to_queue: Vec<Job> = recipients
        .into_iter()
        .map(|(name, email)| Job::Mail(Email { name, email, subject: subject.clone(), text: text.clone() }))
        .collect();
    if has_telegram_bot {
        // The members of the chat are unknown, so the message has no amounts.
        let text = format!("{subject}\n{}", notifications::email_text(&address, notification, false));
        jobs_to_queue.push(Job::Telegram { text });
    }
    let now = work.now;
    jobs::enqueue(work, &jobs_to_queue, now).await
}

async fn is_disabled(work: &mut UnitOfWork, kind: NotificationKind) -> DbResult<bool> {
    let sql = Sql::new("SELECT kind FROM notification_switches WHERE kind = ? AND is_enabled = FALSE");
    Ok(work.fetch_optional::<(String,)>(sql.bind(kind.as_str())).await?.is_some())
}

/// Loads names and email addresses of the active recipients who have the permission for this kind.
async fn load_recipients(work: &mut UnitOfWork, kind: NotificationKind) -> DbResult<Vec<(String, String)>> {
    let sql = Sql::new(
        "SELECT u.name, u.email FROM notification_recipients n JOIN users u ON u.id = n.user_id WHERE n.audience = ? AND u.status = 'active'
           AND (EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = u.id AND p.permission = ?)
             OR EXISTS (SELECT 1 FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id AND p.permission = ?))
         ORDER BY u.id",
    );
    let permission = notifications::permission(kind).as_str();
    work.fetch_all(sql.bind(notifications::audience(kind).as_str()).bind(permission).bind(permission)).await
}
