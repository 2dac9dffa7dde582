//! The change log of the catalogue: a readable history of services, prices and other records.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, NamedRef};
use crate::ids::{ChangeLogId, RecordId, UserId};
use crate::moment::Time;

crate::string_enum! {
    /// How a record of the catalogue was changed.
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

crate::string_enum! {
    /// Record types that the change log covers.
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
    /// Id of the entry; later entries have higher ids.
    pub id: ChangeLogId,
    /// When the change was made.
    pub created_at: Time,
    /// User who made the change; null for the system.
    pub user: Option<NamedRef<UserId>>,
    /// How the record was changed.
    pub action_type: ChangeAction,
    /// Type of the changed record.
    #[serde(rename = "type")]
    pub model: ChangeModel,
    /// The same value as `type`; the specification has both names.
    pub model_type: ChangeModel,
    /// Id of the changed record.
    pub target_id: RecordId,
    /// Name of the changed record or field; null if there is none.
    pub information: Option<String>,
    /// Value before the change, as a string; null if there is none.
    pub old_value: Option<String>,
    /// Value after the change, as a string; null if there is none.
    pub new_value: Option<String>,
}

/// Filter options of the change log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeLogCollections {
    /// Values of `action_type` with labels.
    pub action_types: Vec<Choice>,
    /// Values of `type` with labels.
    pub model_types: Vec<Choice>,
}

crate::json_bodies!(ChangeLogRow, ChangeLogCollections);
