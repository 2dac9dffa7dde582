//! Endpoints of targets and of checker groups.

use crate::common::{Choice, Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{CheckerGroupId, TargetId};
use crate::table::{Page, TableQuery};
use crate::targets::*;

crate::endpoints! { $ for_each_targets_endpoint "targets";
    /// Lists targets, which are additional parameters of orders.
    ListTargets list_targets: GET "/api/v1/admin/targets" [ManageTargets | ViewServices] ((), TableQuery, EmptyBody) -> Page<TargetRow>;
    /// Creates a target.
    CreateTarget create_target: POST "/api/v1/admin/targets" [ManageTargets] ((), EmptyQuery, TargetInput) -> Data<Target>;
    /// Lists kinds, form controls and attachment types of targets.
    GetTargetDictionaries target_dictionaries: GET "/api/v1/admin/targets/dictionaries" [ManageTargets | ViewServices] ((), EmptyQuery, EmptyBody) -> Data<TargetDictionaries>;
    /// Retrieves a target with its texts.
    GetTarget get_target: GET "/api/v1/admin/targets/{id}" [ManageTargets | ViewServices] (TargetId, EmptyQuery, EmptyBody) -> Data<Target>;
    /// Updates a target. Values that a service uses cannot be removed.
    UpdateTarget update_target: PUT "/api/v1/admin/targets/{id}" [ManageTargets] (TargetId, EmptyQuery, TargetInput) -> Data<Target>;
    /// Deletes a target that is not built in. If services use the target, the response is 409 and lists them.
    DeleteTarget delete_target: DELETE "/api/v1/admin/targets/{id}" [ManageTargets] (TargetId, DryRun, EmptyBody) -> EmptyBody;
    /// Lists the kinds of targets.
    ListTargetTypes list_target_types: GET "/api/v1/admin/target-types" [ManageTargets | ViewServices] ((), EmptyQuery, EmptyBody) -> Data<Vec<TargetType>>;
    /// Lists the attachment types of targets.
    ListTargetAttachmentsTypes list_target_attachments_types: GET "/api/v1/admin/target-attachments-types" [ManageTargets | ViewServices] ((), EmptyQuery, EmptyBody) -> Data<Vec<Choice>>;
    /// Lists the checker groups for links, sorted by name.
    ListPromotableCheckerGroups list_promotable_checker_groups: GET "/api/v1/admin/promotable-checker-groups" [ViewServices | ManageExternalPanels] ((), EmptyQuery, EmptyBody) -> Data<Vec<PromotableCheckerGroup>>;
    /// Creates a checker group for links.
    CreatePromotableCheckerGroup create_promotable_checker_group: POST "/api/v1/admin/promotable-checker-groups" [ManageTargets] ((), EmptyQuery, CheckerGroupInput) -> Data<PromotableCheckerGroup>;
    /// Updates a checker group.
    UpdatePromotableCheckerGroup update_promotable_checker_group: PUT "/api/v1/admin/promotable-checker-groups/{id}" [ManageTargets] (CheckerGroupId, EmptyQuery, CheckerGroupInput) -> Data<PromotableCheckerGroup>;
    /// Deletes a checker group. If services use the group, the response is 409 and lists them.
    DeletePromotableCheckerGroup delete_promotable_checker_group: DELETE "/api/v1/admin/promotable-checker-groups/{id}" [ManageTargets] (CheckerGroupId, DryRun, EmptyBody) -> EmptyBody;
}
