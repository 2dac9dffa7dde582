//! How a free trial begins: its customer asks for one of the quests. Staff never begin one. A customer who has spent what the
//! quest says is good enough for it to be approved at once.

use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, UserId};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::{Quest, approve_now, find, had, quest, store};
use crate::catalogue::targets::asked;
use crate::operations::orders::edit;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::ledger;
use panel_platform::settings;
use panel_platform::work::Work;

/// A request to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewTrial<'n> {
    /// The customer; must be active.
    pub user_id: UserId,
    /// The quest; must be on offer.
    pub quest_id: FreeTrialQuestId,
    /// Where to deliver.
    pub url: &'n str,
    /// Where the customer shows what they did.
    pub proof_url: Option<&'n str>,
}

/// Writes the request; its id. The customer's lock orders two of them.
pub async fn request(work: &mut Work, new: NewTrial<'_>) -> Result<FreeTrialId> {
    settings::unless_off(work, settings::FREE_TRIALS, "free_trials_off", "Free trials").await?;
    edit::url(new.url)?;
    ledger::balances(work, &[new.user_id]).await?;
    let quest = quest(work, new.quest_id, new.user_id).await?.filter(|quest| quest.is_on_offer);
    let quest = quest.ok_or_else(|| {
        let message = format!("There is no quest {} for user {}; choose another.", new.quest_id, new.user_id);
        Error::invalid("free_trial_quest_id", "quest_unknown", message)
    })?;
    let proof_url = proof(&quest, new.proof_url)?;
    // One that waits may still be approved.
    let asked = had(work, new.user_id, new.quest_id, "status <> 'rejected'").await?;
    quest.terms.check(asked, work.now)?;
    let (trial, quested) = ((new.quest_id, new.user_id), (quest.name.as_str(), quest.quantity));
    let id = store::insert(work, trial, quested, new.url.trim(), proof_url).await?;
    let told = json!({ "status": "pending", "user_id": new.user_id, "free_trial_quest_id": new.quest_id });
    audit::record(
        work,
        "free_trial.requested",
        "free_trial",
        Change { id: id.record(), old: json!({}), new: told },
    )
    .await?;
    // A service that asks for answers waits for staff, who give them at approval.
    if quest.approves_at_once()
        && asked::unanswerable(work, &[(quest.service_id, quest.quantity)]).await?.is_empty()
    {
        let trial = find(work, id).await?;
        approve_now(work, &trial, &quest, quest.quantity, Vec::new()).await?;
    }
    Ok(id)
}

/// The address that shows what was done, where the quest takes one.
fn proof<'p>(quest: &Quest, url: Option<&'p str>) -> Result<Option<&'p str>> {
    let Some(url) = url.map(str::trim).filter(|url| !url.is_empty()) else { return Ok(None) };
    if !quest.allow_proof_url {
        let message = "This quest takes no proof; leave the address out.";
        return Err(Error::invalid("proof_url", "proof_not_taken", message));
    }
    match edit::url(url) {
        Ok(_) => Ok(Some(url)),
        Err(_) => {
            let message = "Give an absolute address that begins with http:// or https://.";
            Err(Error::invalid("proof_url", "invalid", message))
        }
    }
}
