//! Runs requested erasures in batches. One transaction writes a batch and the progress, so that another process can continue after
//! a crash, and only one of two processes writes the same batch. The declaration of the tables decides what is erased.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use crate::app::App;
use crate::operations::personal_data::store::{self, PendingErasure};
use crate::operations::personal_data::table_batch::{Cursor, TableBatch};
use crate::operations::personal_data::tables::{self, PERSONAL_TABLES, PersonalTable, RowOwner, Treatment};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::jobs::job::Job;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::scope::Scope;

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The tables that the worker processes, in this order. The request itself closes the account, and webhook deliveries are deleted
/// with their events.
pub fn erasure_steps() -> impl Iterator<Item = &'static PersonalTable> {
    PERSONAL_TABLES.iter().filter(|table| {
        let is_erased_by_worker = matches!(table.erasure, Treatment::Removed | Treatment::Overwritten(_));
        is_erased_by_worker && table.owner != RowOwner::Address && table.table != "webhook_deliveries"
    })
}

#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("erasure", POLL_INTERVAL, |app: App| async move { run_batches(&app).await })
        .repoll_while_found()
}

/// Runs one poll and returns the number of batches.
pub async fn run_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

/// Runs a batch of each erasure, the oldest first. An erasure that fails, for example because a file cannot be removed, keeps its
/// progress and does not block the others.
async fn run_batches(app: &App) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for pending in store::load_pending_erasures(&mut &app.db).await? {
        match run_batch(app, &pending).await {
            Ok(()) => summary.done += 1,
            Err(error) => {
                summary.failed += 1;
                tracing::warn!(
                    ?error,
                    user_id = pending.user_id.get(),
                    table = pending.step,
                    "failed to erase a batch of records"
                );
            }
        }
    }
    Ok(summary)
}

async fn run_batch(app: &App, pending: &PendingErasure) -> Result<()> {
    let Some(table) = tables::by_name(&pending.step) else { return complete_erasure(app, pending).await };
    let batch = match table.owner {
        RowOwner::Contents => load_batch_of_mentions(app, table, pending).await?,
        _ => TableBatch::load(&mut &app.db, table, pending.user_id, pending.cursor()).await?,
    };
    if table.table == "verification_documents" {
        // Files are deleted first, because after a failure the remaining record still names its file.
        for (_, file) in batch.load_files(&mut &app.db).await? {
            app.uploads.delete_private(&file).await?;
        }
    }
    let mut work = Scope::system(app, "erasure").begin().await?;
    let next_step =
        erasure_steps().skip_while(|step| step.table != table.table).nth(1).map_or("", |step| step.table);
    let (step_after_batch, next_cursor) = match batch.next {
        Some(next) => (table.table, next),
        None => (next_step, Cursor::default()),
    };
    if !store::advance(&mut work, pending, step_after_batch, next_cursor).await? {
        return Ok(());
    }
    let erased_count = batch.erase(&mut work, table).await?;
    work.finish(()).await?;
    if erased_count > 0 {
        tracing::info!(
            user_id = pending.user_id.get(),
            table = table.table,
            records = erased_count,
            "erased records of a customer"
        );
    }
    Ok(())
}

async fn complete_erasure(app: &App, pending: &PendingErasure) -> Result<()> {
    let mut work = Scope::system(app, "erasure").begin().await?;
    if !store::complete(&mut work, pending).await? {
        return Ok(());
    }
    let new = json!({ "erased_at": work.now });
    let change = AuditChange { id: pending.user_id.as_record_id(), old: json!({}), new };
    audit::record(&mut work, "user.erased", "user", change).await?;
    work.finish(()).await?;
    tracing::info!(user_id = pending.user_id.get(), "erased the personal data of a customer");
    Ok(())
}

/// Loads a page of records, and returns those that mention the customer.
async fn load_batch_of_mentions(
    app: &App,
    table: &PersonalTable,
    pending: &PendingErasure,
) -> Result<TableBatch> {
    let page = store::load_contents_page(&mut &app.db, table.table, pending.cursor().id).await?;
    let next = page.last().map(|(id, _)| Cursor::after(*id));
    let mentions_customer = |content: &str| match table.table {
        "jobs" => is_mail_to(content, &pending.email),
        _ => is_event_of(content, pending.user_id),
    };
    let ids = page.into_iter().filter(|(_, content)| mentions_customer(content)).map(|(id, _)| id).collect();
    Ok(TableBatch::of_ids(ids, next))
}

/// Whether a job sends an email to the customer, or a message with the customer's address to staff.
fn is_mail_to(payload: &str, email: &str) -> bool {
    match serde_json::from_str::<Job>(payload) {
        Ok(Job::Mail(mail)) => mail.email.to_lowercase() == email || mail.text.contains(email),
        Ok(Job::Telegram { text }) => text.contains(email),
        Ok(Job::PasswordReset { email: address, .. }) => address == email,
        _ => false,
    }
}

/// Whether a webhook event is about the customer or a record of theirs.
fn is_event_of(body: &str, user_id: UserId) -> bool {
    let Ok(event) = serde_json::from_str::<Value>(body) else { return false };
    let data = &event["data"];
    let is_user_event = event["type"].as_str().is_some_and(|kind| kind.starts_with("user."));
    let user_ids = [&data["user"]["id"], &data["user_id"]];
    (is_user_event && data["id"] == json!(user_id)) || user_ids.iter().any(|id| **id == json!(user_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_platform::mail::Email;

    #[test]
    fn finds_an_email_by_its_address() {
        let mail_job = |address: &str, text: &str| {
            let email =
                Email { name: "O".into(), email: address.into(), subject: "S".into(), text: text.into() };
            serde_json::to_string(&Job::Mail(email)).unwrap()
        };
        assert!(is_mail_to(&mail_job("Olga@panel.test", ""), "olga@panel.test"));
        assert!(is_mail_to(&mail_job("staff@panel.test", "From olga@panel.test"), "olga@panel.test"));
        assert!(!is_mail_to(&mail_job("other@panel.test", "Hello"), "olga@panel.test"));
        assert!(!is_mail_to(r#"{"kind":"webhook","delivery_id":7}"#, "olga@panel.test"));
    }

    #[test]
    fn finds_an_event_by_its_user() {
        let user_id = UserId::new(7);
        assert!(is_event_of(r#"{"type":"user.updated","data":{"id":7}}"#, user_id));
        assert!(is_event_of(r#"{"type":"order.created","data":{"id":1,"user":{"id":7}}}"#, user_id));
        assert!(!is_event_of(r#"{"type":"order.created","data":{"id":7,"user":{"id":1}}}"#, user_id));
        assert!(!is_event_of("nonsense", user_id));
    }

    #[test]
    fn the_worker_erases_the_tables_that_the_request_does_not_erase_or_keep() {
        let erasure_steps: Vec<&str> = erasure_steps().map(|table| table.table).collect();
        for table in ["sessions", "verification_documents", "orders", "webhook_events", "jobs"] {
            assert!(erasure_steps.contains(&table), "{table}");
        }
        for table in ["users", "login_throttle", "invoices", "ledger_entries", "audits", "webhook_deliveries"]
        {
            assert!(!erasure_steps.contains(&table), "{table}");
        }
    }
}
