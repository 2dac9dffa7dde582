//! Submits the requests of customers for free trials; staff never create requests. If the quest allows it, the request of a
//! customer who has spent the required amount is approved at once.

use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, UserId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::{Quest, approve_with_order, count_trials, load_quest, load_row, store};
use crate::catalogue::targets::service_targets;
use crate::operations::orders::edit;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::ledger;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

#[derive(Debug, Clone, Copy)]
pub struct NewTrial<'n> {
    /// The customer, who must be active.
    pub user_id: UserId,
    /// The quest, which must be available.
    pub quest_id: FreeTrialQuestId,
    pub url: &'n str,
    /// URL of the proof that the customer did the task.
    pub proof_url: Option<&'n str>,
}

/// Inserts the request and returns its id. Locks the customer, so that concurrent requests run one after the other.
pub async fn submit_trial(work: &mut UnitOfWork, new: NewTrial<'_>) -> Result<FreeTrialId> {
    settings::require_enabled(work, settings::FREE_TRIALS_ENABLED, "free_trials_off", "Free trials").await?;
    edit::check_url(new.url)?;
    ledger::lock_balances(work, &[new.user_id]).await?;
    let quest = load_quest(work, new.quest_id, new.user_id).await?.filter(|quest| quest.is_on_offer);
    let quest = quest.ok_or_else(|| {
        let message = format!(
            "Quest {} is not available for user {}. Choose another quest.",
            new.quest_id, new.user_id
        );
        Error::invalid("free_trial_quest_id", "quest_unknown", message)
    })?;
    let proof_url = check_proof_url(&quest, new.proof_url)?;
    // Pending requests count too, because they may be approved.
    let existing_count = count_trials(work, new.user_id, new.quest_id, "status <> 'rejected'").await?;
    quest.terms.check(existing_count, work.now)?;
    let (ids, name_and_quantity) = ((new.quest_id, new.user_id), (quest.name.as_str(), quest.quantity));
    let id = store::insert(work, ids, name_and_quantity, new.url.trim(), proof_url).await?;
    let new_values =
        json!({ "status": "pending", "user_id": new.user_id, "free_trial_quest_id": new.quest_id });
    audit::record(
        work,
        "free_trial.requested",
        "free_trial",
        AuditChange { id: id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    // If the service has required targets, the request waits for staff, who enter the target values at the approval.
    if quest.is_auto_approved()
        && service_targets::load_services_requiring_answers(work, &[(quest.service_id, quest.quantity)])
            .await?
            .is_empty()
    {
        let trial = load_row(work, id).await?;
        approve_with_order(work, &trial, &quest, quest.quantity, Vec::new()).await?;
    }
    Ok(id)
}

/// Validates the URL of the proof.
fn check_proof_url<'p>(quest: &Quest, url: Option<&'p str>) -> Result<Option<&'p str>> {
    let Some(url) = url.map(str::trim).filter(|url| !url.is_empty()) else { return Ok(None) };
    if !quest.allow_proof_url {
        let message = "This quest does not accept a proof. Remove the URL.";
        return Err(Error::invalid("proof_url", "proof_not_taken", message));
    }
    match edit::check_url(url) {
        Ok(()) => Ok(Some(url)),
        Err(_) => {
            let message = "Enter a URL that starts with http:// or https://.";
            Err(Error::invalid("proof_url", "invalid", message))
        }
    }
}
