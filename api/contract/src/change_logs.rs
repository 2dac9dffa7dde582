//! The change log: what was changed in the catalogue, in words for those who keep it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, Named};
use crate::ids::{ChangeLogId, RecordId, UserId};
use crate::moment::Time;

crate::words! {
    /// What was done to a record of the catalogue.
    ChangeAction {
        Created = "created",
        Updated = "updated",
        Archived = "archived",
        Unarchived = "unarchived",
        Enabled = "enabled",
        Disabled = "disabled",
        Deleted = "deleted",
        Sorted = "sorted",
        Completed = "completed",
        Copied = "copied",
        Imported = "imported",
    }
}

crate::words! {
    /// The kinds of record that the change log is about.
    ChangeModel {
        Service = "service",
        ServiceType = "service_type",
        Network = "network",
        Package = "package",
        Provider = "provider",
        ExternalPanel = "external_panel",
        Coupon = "coupon",
        Discount = "discount",
        MenuItem = "menu_item",
        Page = "page",
        SpecialOffer = "special_offer",
        Banner = "banner",
        Label = "label",
        Target = "target",
        AutoPromotion = "auto_promotion",
        PromotableCheckerGroup = "promotable_checker_group",
        Grade = "grade",
        Quest = "quest",
    }
}

/// One entry of the change log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeLogRow {
    /// The entry's id.
    pub id: ChangeLogId,
    /// When.
    pub created_at: Time,
    /// Who; none for the system.
    pub user: Option<Named<UserId>>,
    /// What was done.
    pub action_type: ChangeAction,
    /// The kind of record.
    #[serde(rename = "type")]
    pub model: ChangeModel,
    /// The same, as `model_types` of the collections calls it.
    pub model_type: ChangeModel,
    /// The record's id.
    pub target_id: RecordId,
    /// What it is about: the record's name, or the field that changed.
    pub information: Option<String>,
    /// The field as it was.
    pub old_value: Option<String>,
    /// The field as it is.
    pub new_value: Option<String>,
}

/// What pickers of the change log offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeLogCollections {
    /// What is done to records.
    pub action_types: Vec<Choice>,
    /// Kinds of record.
    pub model_types: Vec<Choice>,
}

crate::wire!(ChangeLogRow, ChangeLogCollections);
