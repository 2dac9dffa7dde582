//! Erasures that were requested, batch by batch: each batch and how far it came are one transaction, so a process that ends
//! leaves nothing half done, the next one goes on, and of two that do the same batch one writes nothing. It erases what is
//! declared and decides nothing.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use crate::app::App;
use crate::operations::personal_data::declared::{self, Owner, PERSONAL, PersonalTable, Treatment};
use crate::operations::personal_data::part::{Cursor, Part};
use crate::operations::personal_data::store::{self, Pending};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::jobs::job::Job;
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::scope::Scope;

/// Between two looks for erasures.
const EVERY: Duration = Duration::from_secs(1);

/// The tables that a worker goes through, in their order. The request itself ended the account; deliveries go with their
/// events.
pub fn steps() -> impl Iterator<Item = &'static PersonalTable> {
    PERSONAL.iter().filter(|of| {
        let is_done_here = matches!(of.erasure, Treatment::Removed | Treatment::Overwritten(_));
        is_done_here && of.owner != Owner::Address && of.table != "webhook_deliveries"
    })
}

/// Does batch after batch.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::task("erasure", EVERY, |app: App| async move { work(&app).await }).again_while_found()
}

/// One poll; how many batches were done.
pub async fn run_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

/// Does a batch of each erasure that goes on, the oldest first. One that cannot go on, as its files cannot be removed now, keeps
/// its place and holds up no other.
async fn work(app: &App) -> Result<Worked> {
    let mut worked = Worked::default();
    for pending in store::pending(&mut &app.db).await? {
        match run_batch(app, &pending).await {
            Ok(()) => worked.done += 1,
            Err(error) => {
                worked.failed += 1;
                tracing::warn!(
                    ?error,
                    user_id = pending.user_id.get(),
                    table = pending.step,
                    "failed to erase a batch of records"
                );
            }
        }
    }
    Ok(worked)
}

async fn run_batch(app: &App, pending: &Pending) -> Result<()> {
    let Some(of) = declared::by_name(&pending.step) else { return end(app, pending).await };
    let part = match of.owner {
        Owner::Contents => mentions(app, of, pending).await?,
        _ => Part::of(&mut &app.db, of, pending.user_id, pending.cursor()).await?,
    };
    if of.table == "verification_documents" {
        // The files first: a record without its file is found again, a file without its record is not.
        for (_, file) in part.files(&mut &app.db).await? {
            app.uploads.remove_private(&file).await?;
        }
    }
    let mut work = Scope::system(app, "erasure").begin().await?;
    let next_step = steps().skip_while(|step| step.table != of.table).nth(1).map_or("", |step| step.table);
    let (step, to) = match part.next {
        Some(next) => (of.table, next),
        None => (next_step, Cursor::default()),
    };
    if !store::advance(&mut work, pending, step, to).await? {
        return Ok(());
    }
    let records = part.erase(&mut work, of).await?;
    work.finish(()).await?;
    if records > 0 {
        tracing::info!(
            user_id = pending.user_id.get(),
            table = of.table,
            records,
            "erased records of a customer"
        );
    }
    Ok(())
}

async fn end(app: &App, pending: &Pending) -> Result<()> {
    let mut work = Scope::system(app, "erasure").begin().await?;
    if !store::end(&mut work, pending).await? {
        return Ok(());
    }
    let new = json!({ "erased_at": work.now });
    let change = Change { id: pending.user_id.record(), old: json!({}), new };
    audit::record(&mut work, "user.erased", "user", change).await?;
    work.finish(()).await?;
    tracing::info!(user_id = pending.user_id.get(), "erased the personal data of a customer");
    Ok(())
}

/// Records of a page that are about the customer.
async fn mentions(app: &App, of: &PersonalTable, pending: &Pending) -> Result<Part> {
    let page = store::contents(&mut &app.db, of.table, pending.cursor().id).await?;
    let next = page.last().map(|(id, _)| Cursor::behind(*id));
    let is_about = |content: &str| match of.table {
        "jobs" => is_mail_to(content, &pending.email),
        _ => is_event_of(content, pending.user_id),
    };
    let found = page.into_iter().filter(|(_, content)| is_about(content)).map(|(id, _)| id).collect();
    Ok(Part::found(found, next))
}

/// Whether a job mails the customer, or writes their address to staff.
fn is_mail_to(payload: &str, email: &str) -> bool {
    match serde_json::from_str::<Job>(payload) {
        Ok(Job::Mail(mail)) => mail.email.to_lowercase() == email || mail.text.contains(email),
        Ok(Job::Telegram { text }) => text.contains(email),
        Ok(Job::PasswordReset { email: asked, .. }) => asked == email,
        _ => false,
    }
}

/// Whether an event of a webhook is about the customer or one of their records.
fn is_event_of(body: &str, user: UserId) -> bool {
    let Ok(event) = serde_json::from_str::<Value>(body) else { return false };
    let data = &event["data"];
    let is_of_users = event["type"].as_str().is_some_and(|kind| kind.starts_with("user."));
    let named = [&data["user"]["id"], &data["user_id"]];
    (is_of_users && data["id"] == json!(user)) || named.iter().any(|id| **id == json!(user))
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_platform::mail::Email;

    #[test]
    fn a_mail_is_found_by_its_address() {
        let job = |address: &str, text: &str| {
            let email =
                Email { name: "O".into(), email: address.into(), subject: "S".into(), text: text.into() };
            serde_json::to_string(&Job::Mail(email)).unwrap()
        };
        assert!(is_mail_to(&job("Olga@panel.test", ""), "olga@panel.test"));
        assert!(is_mail_to(&job("staff@panel.test", "From olga@panel.test"), "olga@panel.test"));
        assert!(!is_mail_to(&job("other@panel.test", "Hello"), "olga@panel.test"));
        assert!(!is_mail_to(r#"{"kind":"webhook","delivery_id":7}"#, "olga@panel.test"));
    }

    #[test]
    fn an_event_is_found_by_its_user() {
        let user = UserId::new(7);
        assert!(is_event_of(r#"{"type":"user.updated","data":{"id":7}}"#, user));
        assert!(is_event_of(r#"{"type":"order.created","data":{"id":1,"user":{"id":7}}}"#, user));
        assert!(!is_event_of(r#"{"type":"order.created","data":{"id":7,"user":{"id":1}}}"#, user));
        assert!(!is_event_of("nonsense", user));
    }

    #[test]
    fn the_worker_goes_through_every_table_that_is_not_kept_or_done_before() {
        let steps: Vec<&str> = steps().map(|of| of.table).collect();
        for table in ["sessions", "verification_documents", "orders", "webhook_events", "jobs"] {
            assert!(steps.contains(&table), "{table}");
        }
        for table in ["users", "login_throttle", "invoices", "ledger_entries", "audits", "webhook_deliveries"]
        {
            assert!(!steps.contains(&table), "{table}");
        }
    }
}
