//! The change log of the catalogue, in terms that staff understand.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, Named};
use crate::ids::{ChangeLogId, RecordId, UserId};
use crate::moment::Time;

crate::string_enum! {
    /// Action on a catalogue record.
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
    /// Id of the entry.
    pub id: ChangeLogId,
    /// When the change was made.
    pub created_at: Time,
    /// User who made the change; null for the system.
    pub user: Option<Named<UserId>>,
    /// Action on the record.
    pub action_type: ChangeAction,
    /// Type of the record.
    #[serde(rename = "type")]
    pub model: ChangeModel,
    /// The same as `type`, as a value of `model_types`.
    pub model_type: ChangeModel,
    /// Id of the record.
    pub target_id: RecordId,
    /// Name of the record, or of the changed field.
    pub information: Option<String>,
    /// Value before the change.
    pub old_value: Option<String>,
    /// Value after the change.
    pub new_value: Option<String>,
}

/// Filter options of the change log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeLogCollections {
    /// Actions to filter by.
    pub action_types: Vec<Choice>,
    /// Record types to filter by.
    pub model_types: Vec<Choice>,
}

crate::wire!(ChangeLogRow, ChangeLogCollections);
