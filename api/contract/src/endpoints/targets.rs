//! Endpoints of targets and of the groups of checks.

use crate::common::{Choice, Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{CheckerGroupId, TargetId};
use crate::table::{Page, TableQuery};
use crate::targets::*;

crate::endpoints! { $ for_each_targets_endpoint "targets";
    /// Targets: what services ask their customers.
    ListTargets list_targets: GET "/api/v1/admin/targets" [ManageTargets | ViewServices] ((), TableQuery, NoBody) -> Page<TargetRow>;
    /// A new target.
    CreateTarget create_target: POST "/api/v1/admin/targets" [ManageTargets] ((), NoQuery, TargetInput) -> Data<Target>;
    /// Kinds of target, how they are asked for, and how they hang on services.
    TargetDictionariesOp target_dictionaries: GET "/api/v1/admin/targets/dictionaries" [ManageTargets | ViewServices] ((), NoQuery, NoBody) -> Data<TargetDictionaries>;
    /// One target with everything about it.
    GetTarget get_target: GET "/api/v1/admin/targets/{id}" [ManageTargets | ViewServices] (TargetId, NoQuery, NoBody) -> Data<Target>;
    /// Changes a target; a value that a service uses cannot be taken away.
    UpdateTarget update_target: PUT "/api/v1/admin/targets/{id}" [ManageTargets] (TargetId, NoQuery, TargetInput) -> Data<Target>;
    /// Deletes a target that the panel itself does not need; a 409 names the services that ask for it.
    DeleteTarget delete_target: DELETE "/api/v1/admin/targets/{id}" [ManageTargets] (TargetId, DryRun, NoBody) -> NoBody;
    /// The kinds of target.
    ListTargetTypes list_target_types: GET "/api/v1/admin/target-types" [ManageTargets | ViewServices] ((), NoQuery, NoBody) -> Data<Vec<TargetType>>;
    /// How targets hang on services.
    ListTargetAttachmentsTypes list_target_attachments_types: GET "/api/v1/admin/target-attachments-types" [ManageTargets | ViewServices] ((), NoQuery, NoBody) -> Data<Vec<Choice>>;
    /// The groups of checks that addresses go through, by name.
    ListPromotableCheckerGroups list_promotable_checker_groups: GET "/api/v1/admin/promotable-checker-groups" [ViewServices | ManageExternalPanels] ((), NoQuery, NoBody) -> Data<Vec<PromotableCheckerGroup>>;
    /// A new group of checks.
    CreatePromotableCheckerGroup create_promotable_checker_group: POST "/api/v1/admin/promotable-checker-groups" [ManageTargets] ((), NoQuery, CheckerGroupInput) -> Data<PromotableCheckerGroup>;
    /// Changes a group of checks.
    UpdatePromotableCheckerGroup update_promotable_checker_group: PUT "/api/v1/admin/promotable-checker-groups/{id}" [ManageTargets] (CheckerGroupId, NoQuery, CheckerGroupInput) -> Data<PromotableCheckerGroup>;
    /// Deletes a group of checks; a 409 names the services that use it.
    DeletePromotableCheckerGroup delete_promotable_checker_group: DELETE "/api/v1/admin/promotable-checker-groups/{id}" [ManageTargets] (CheckerGroupId, DryRun, NoBody) -> NoBody;
}
