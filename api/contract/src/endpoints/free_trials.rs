//! Endpoints of free trials.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::free_trials::{ApproveFreeTrialInput, FreeTrial, FreeTrialQuest, QuestInput};
use crate::ids::{FreeTrialId, FreeTrialQuestId};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_free_trials_endpoint "free-trials";
    /// Lists quests, newest first.
    ListFreeTrialQuests list_free_trial_quests: GET "/api/v1/admin/free-trial-quests" [ManageFreeTrials] ((), TableQuery, EmptyBody) -> Page<FreeTrialQuest>;
    /// Creates a quest, as JSON or multipart with its images.
    CreateFreeTrialQuest create_free_trial_quest: POST "/api/v1/admin/free-trial-quests" [ManageFreeTrials] ((), EmptyQuery, QuestInput) -> Data<FreeTrialQuest>;
    /// Retrieves a quest.
    GetFreeTrialQuest get_free_trial_quest: GET "/api/v1/admin/free-trial-quests/{id}" [ManageFreeTrials] (FreeTrialQuestId, EmptyQuery, EmptyBody) -> Data<FreeTrialQuest>;
    /// Updates a quest, as JSON or multipart.
    UpdateFreeTrialQuest update_free_trial_quest: PUT "/api/v1/admin/free-trial-quests/{id}" [ManageFreeTrials] (FreeTrialQuestId, EmptyQuery, QuestInput) -> Data<FreeTrialQuest>;
    /// Archives a quest: customers no longer see the quest, but its requests are kept.
    ArchiveFreeTrialQuest archive_free_trial_quest: POST "/api/v1/admin/free-trial-quests/{id}/archive" [ManageFreeTrials] (FreeTrialQuestId, DryRun, EmptyBody) -> Data<FreeTrialQuest>;
    /// Restores an archived quest, whose service must be active.
    UnarchiveFreeTrialQuest unarchive_free_trial_quest: POST "/api/v1/admin/free-trial-quests/{id}/unarchive" [ManageFreeTrials] (FreeTrialQuestId, DryRun, EmptyBody) -> Data<FreeTrialQuest>;
    /// Lists free-trial requests, newest first.
    ListFreeTrials list_free_trials: GET "/api/v1/admin/free-trials" [ManageFreeTrials] ((), TableQuery, EmptyBody) -> Page<FreeTrial>;
    /// Approves a free-trial request: places a free order and links the order to the request.
    ApproveFreeTrial approve_free_trial: POST "/api/v1/admin/free-trials/{id}/approve" [ManageFreeTrials] (FreeTrialId, DryRun, ApproveFreeTrialInput) -> Data<FreeTrial>;
    /// Rejects a free-trial request.
    RejectFreeTrial reject_free_trial: POST "/api/v1/admin/free-trials/{id}/reject" [ManageFreeTrials] (FreeTrialId, DryRun, EmptyBody) -> Data<FreeTrial>;
}
