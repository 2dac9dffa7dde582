//! Targets: additional parameters that services ask customers for besides the link, and the checker groups for links.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, Named, Patch, Translations};
use crate::ids::{CheckerGroupId, TargetId, TargetTypeId};
use crate::moment::{Stamp, Time};
use crate::panel_service_types::PanelParameter;
use crate::service_types::ServiceTypeKind;

crate::string_enum! {
    /// Purpose of a target.
    TargetName {
        Geotargeting = "geotargeting",
        Comment = "comment",
        Keyword = "keyword",
        SeoKeyword = "seo_keyword",
        Language = "language",
    }
}

crate::string_enum! {
    /// Form control of a target.
    ViewType {
        FloatInput = "float_input",
        Input = "input",
        Multiselect = "multiselect",
        NumberInput = "number_input",
        Select = "select",
        Textarea = "textarea",
        UrlInput = "url_input",
    }
}

crate::string_enum! {
    /// How a target is attached to a service.
    TargetAttachmentType {
        /// Customers must enter a value.
        Required = "required",
        /// Customers can enter a value.
        Optional = "optional",
        /// Customers are not asked: the values of the service apply to every order.
        Fixed = "fixed",
    }
}

/// A built-in kind of target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetType {
    /// Id of the target type.
    pub id: TargetTypeId,
    /// Purpose of the target.
    pub name: TargetName,
    /// Display name for staff.
    pub title: String,
    /// Whether customers choose from a list of values.
    pub selectable: bool,
    /// Whether services can use it.
    pub enabled_for_service: bool,
    /// Form control that asks for the value.
    pub view_type: ViewType,
}

/// A row of the targets list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRow {
    /// Id of the target.
    pub id: TargetId,
    /// English name of the target.
    pub name: String,
    /// English placeholder of the field.
    pub placeholder: Option<String>,
    /// Whether the target is built in, so that its kind cannot change.
    pub is_system: bool,
    /// Whether customers see the default values of the service.
    pub is_visible_default_values: bool,
    /// Kind of the target.
    pub target_type: TargetType,
    /// Values that customers can choose, in order.
    pub selectable_values: Vec<String>,
    /// Parameter of the reseller API that the target supplies; null if no import created it.
    pub parameter: Option<PanelParameter>,
    /// Number of services that use the target.
    pub services_count: i64,
    /// When the target was created.
    pub created_at: Time,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: TargetActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetActions {
    /// Whether the caller can update the record.
    pub editable: bool,
    /// Whether the caller can delete the target, because it is not built in. Deleting a target in use is refused.
    pub deletable: bool,
}

/// A target with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: TargetRow,
    /// Id of the kind.
    pub target_type_id: TargetTypeId,
    /// Texts by locale and field: `name`, `placeholder`.
    pub translations: Translations,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Body of `POST targets` and `PUT targets/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TargetInput {
    /// English name, 1 to 100 characters; required for a new record, here or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// English placeholder, up to 255 characters; empty clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub placeholder: Patch<String>,
    /// Id of the kind; required for a new target, fixed for a built-in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type_id: Option<TargetTypeId>,
    /// Whether customers see the default values of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_visible_default_values: Option<bool>,
    /// All values that customers can choose, in order; for selectable kinds. Countries as two-letter codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selectable_values: Option<Vec<String>>,
    /// All texts by locale and field; empty texts are removed. Fields: `name`, `placeholder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the target that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Options for forms and filters of targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetDictionaries {
    /// Values of `name` of the kinds.
    pub names: Vec<Choice>,
    /// Form controls of targets.
    pub view_types: Vec<Choice>,
    /// All built-in kinds of targets.
    pub target_types: Vec<TargetType>,
    /// Values of the attachment type.
    pub target_attachments_types: Vec<Choice>,
}

/// Values of a service for a target: the choices of customers, the default value, or, for a fixed target, the values of every
/// order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetValues {
    /// Id of a target of the service.
    pub target_id: TargetId,
    /// Values in order; empty for all values of the target.
    pub values: Vec<String>,
}

/// How a target is attached to a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetAttachment {
    /// Id of a target of the service.
    pub target_id: TargetId,
    /// How the target is attached to the service.
    #[serde(rename = "type")]
    pub kind: TargetAttachmentType,
}

/// Targets of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTargets {
    /// Targets of the service, in order.
    pub targets: Vec<Named<TargetId>>,
    /// Values of the service for its targets, if any.
    pub targetable_values: Vec<TargetValues>,
    /// Attachment type of each target.
    pub target_attachments: Vec<TargetAttachment>,
}

/// A parameter that a service asks customers for, for the order form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskedTarget {
    /// English name, which is the key of the value in an order.
    pub name: String,
    /// Purpose of the target.
    pub kind: TargetName,
    /// English placeholder of the field.
    pub placeholder: Option<String>,
    /// Kind of form control that asks for the value.
    pub view_type: ViewType,
    /// Whether an order without the value is refused.
    pub is_required: bool,
    /// Parameter of the reseller API that the target supplies.
    pub parameter: Option<PanelParameter>,
    /// Values to choose from, for selectable kinds.
    pub values: Vec<String>,
}

/// A checker group: URL patterns for the links of orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotableCheckerGroup {
    /// Id of the promotable checker group.
    pub id: CheckerGroupId,
    /// Display name for staff.
    pub name: String,
    /// Platform of the links.
    pub service_type_type: ServiceTypeKind,
    /// URL patterns, one of which must match: `youtube.com/watch*`, `*.example/@*`.
    pub checkers: Vec<String>,
    /// Number of services that use the group.
    pub services_count: i64,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
}

/// Body of `POST promotable-checker-groups` and `PUT promotable-checker-groups/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CheckerGroupInput {
    /// Name, 1 to 100 characters, unique; required for a new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Platform of the links; required for a new group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_type: Option<ServiceTypeKind>,
    /// All patterns, 1 to 50: a host, optionally a path, and `*` as a wildcard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkers: Option<Vec<String>>,
    /// `updated_at` of the group that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(Target, TargetInput, TargetDictionaries, PromotableCheckerGroup, CheckerGroupInput);
