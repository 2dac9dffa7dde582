//! Endpoints of free trials.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::free_trials::{ApproveFreeTrialInput, FreeTrial, FreeTrialQuest, QuestInput};
use crate::ids::{FreeTrialId, FreeTrialQuestId};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_free_trials_endpoint "free-trials";
    /// Quests, newest first.
    ListFreeTrialQuests list_free_trial_quests: GET "/api/v1/admin/free-trial-quests" [ManageFreeTrials] ((), TableQuery, NoBody) -> Page<FreeTrialQuest>;
    /// Makes a quest, as JSON or multipart with its images.
    CreateFreeTrialQuest create_free_trial_quest: POST "/api/v1/admin/free-trial-quests" [ManageFreeTrials] ((), NoQuery, QuestInput) -> Data<FreeTrialQuest>;
    /// One quest.
    GetFreeTrialQuest get_free_trial_quest: GET "/api/v1/admin/free-trial-quests/{id}" [ManageFreeTrials] (FreeTrialQuestId, NoQuery, NoBody) -> Data<FreeTrialQuest>;
    /// Changes a quest, as JSON or multipart.
    UpdateFreeTrialQuest update_free_trial_quest: PUT "/api/v1/admin/free-trial-quests/{id}" [ManageFreeTrials] (FreeTrialQuestId, NoQuery, QuestInput) -> Data<FreeTrialQuest>;
    /// Puts a quest away: nobody sees it any more, its requests stay.
    ArchiveFreeTrialQuest archive_free_trial_quest: POST "/api/v1/admin/free-trial-quests/{id}/archive" [ManageFreeTrials] (FreeTrialQuestId, DryRun, NoBody) -> Data<FreeTrialQuest>;
    /// Takes a quest back; its service must still be sold.
    UnarchiveFreeTrialQuest unarchive_free_trial_quest: POST "/api/v1/admin/free-trial-quests/{id}/unarchive" [ManageFreeTrials] (FreeTrialQuestId, DryRun, NoBody) -> Data<FreeTrialQuest>;
    /// Requests for free trials, newest first.
    ListFreeTrials list_free_trials: GET "/api/v1/admin/free-trials" [ManageFreeTrials] ((), TableQuery, NoBody) -> Page<FreeTrial>;
    /// Approves one: an order that costs nothing is placed and linked.
    ApproveFreeTrial approve_free_trial: POST "/api/v1/admin/free-trials/{id}/approve" [ManageFreeTrials] (FreeTrialId, DryRun, ApproveFreeTrialInput) -> Data<FreeTrial>;
    /// Rejects one.
    RejectFreeTrial reject_free_trial: POST "/api/v1/admin/free-trials/{id}/reject" [ManageFreeTrials] (FreeTrialId, DryRun, NoBody) -> Data<FreeTrial>;
}
