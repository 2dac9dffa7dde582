//! Maps each kind of job to the function that runs it.

use crate::app::App;
use crate::auth::account_links;
use crate::configuration::notifications::telegram;
use crate::configuration::webhooks;
use crate::supply::imports;
use panel_platform::jobs::failure::JobFailure;
use panel_platform::jobs::job::Job;
use panel_platform::jobs::store::LeasedJob;
use panel_platform::mail;

pub async fn run_job(job: Job, app: &App, leased_job: &LeasedJob) -> Result<(), JobFailure> {
    match job {
        Job::Mail(email) => {
            let logo = mail::panel_logo::load(app).await;
            app.mail.send(email, &leased_job.idempotency_key(), logo.as_ref()).await
        }
        Job::PasswordReset { email, ip, sent_at } => {
            account_links::send_reset_email(app, &email, &ip, sent_at, &leased_job.idempotency_key()).await
        }
        Job::Invitation { user_id, invited_at } => {
            account_links::send_invitation_email(app, user_id, invited_at, &leased_job.idempotency_key())
                .await
        }
        Job::Webhook { delivery_id } => webhooks::deliver::run_delivery_job(app, delivery_id).await,
        Job::Telegram { text } => telegram::send_message(app, &text).await,
        Job::Sync { external_panel_id } => {
            let sync_result = imports::sync::run(app, external_panel_id).await;
            sync_result.map_err(|error| JobFailure::Retry(error.report("sync").message))
        }
    }
}
