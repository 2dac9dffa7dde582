//! What is done for each kind of job.

use crate::app::App;
use crate::auth::account_links;
use crate::configuration::notifications::telegram;
use crate::configuration::webhooks;
use crate::supply::imports;
use panel_platform::jobs::failure::Failure;
use panel_platform::jobs::job::Job;
use panel_platform::jobs::store::Leased;
use panel_platform::mail;

/// Does a job.
pub async fn run(job: Job, app: &App, as_leased: &Leased) -> Result<(), Failure> {
    match job {
        Job::Mail(email) => {
            let logo = mail::panel_logo::of_panel(app).await;
            app.mail.send(email, &as_leased.mark(), logo.as_ref()).await
        }
        Job::PasswordReset { email, ip, asked_at } => {
            account_links::mail_reset(app, &email, &ip, asked_at, &as_leased.mark()).await
        }
        Job::Invitation { user_id, invited_at } => {
            account_links::mail_invitation(app, user_id, invited_at, &as_leased.mark()).await
        }
        Job::Webhook { delivery_id } => webhooks::deliver::attempt(app, delivery_id).await,
        Job::Telegram { text } => telegram::send(app, &text).await,
        Job::Sync { external_panel_id } => {
            let done = imports::sync::run(app, external_panel_id).await;
            done.map_err(|error| Failure::Later(error.report("sync").message))
        }
    }
}
