//! Targets, which are additional parameters of an order besides the link, and checker groups, which are URL patterns for links.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, NamedRef, Patch, Translations};
use crate::ids::{CheckerGroupId, TargetId, TargetTypeId};
use crate::moment::{Time, Timestamp};
use crate::panel_service_types::PanelParameter;
use crate::service_types::ServiceTypeKind;

crate::string_enum! {
    /// Purpose of a target, which is also its kind.
    TargetName {
        Geotargeting = "geotargeting",
        Comment = "comment",
        Keyword = "keyword",
        SeoKeyword = "seo_keyword",
        Language = "language",
    }
}

crate::string_enum! {
    /// Form control in which customers enter the value of a target.
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
        /// Customers must enter a value in each order.
        Required = "required",
        /// Customers can enter a value in an order.
        Optional = "optional",
        /// Customers enter no value: the values of the service apply to every order.
        Fixed = "fixed",
    }
}

/// A built-in kind of target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetType {
    /// Id of the kind.
    pub id: TargetTypeId,
    /// Purpose of targets of this kind.
    pub name: TargetName,
    /// English display name, for staff.
    pub title: String,
    /// Whether customers choose from a list of values instead of entering one.
    pub selectable: bool,
    /// Whether services can use targets of this kind.
    pub enabled_for_service: bool,
    /// Form control in which customers enter the value.
    pub view_type: ViewType,
}

/// A row of the targets list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRow {
    /// Id of the target.
    pub id: TargetId,
    /// English name of the target.
    pub name: String,
    /// English placeholder of the form control; null if there is none.
    pub placeholder: Option<String>,
    /// Whether the target is built in, so that its kind cannot change.
    pub is_system: bool,
    /// Whether customers see the default values of the service.
    pub is_visible_default_values: bool,
    /// Kind of the target with its form control.
    pub target_type: TargetType,
    /// Values that customers can choose from, in order; empty for kinds that are not selectable.
    pub selectable_values: Vec<String>,
    /// Parameter of the reseller API whose value customers enter in this target; null if the target was not created by an import.
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
    /// Whether the caller can delete the target; false for built-in targets. The server rejects the deletion of a target that
    /// services use.
    pub deletable: bool,
}

/// A target with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// Fields of a row of the targets list.
    #[serde(flatten)]
    pub row: TargetRow,
    /// Id of the kind of the target.
    pub target_type_id: TargetTypeId,
    /// Texts by locale and field: `name`, `placeholder`.
    pub translations: Translations,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST targets` and `PUT targets/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TargetInput {
    /// English name, 1 to 100 characters; required for a new target, in this field or in `translations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// English placeholder of the form control, up to 255 characters; null or empty for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub placeholder: Patch<String>,
    /// Id of the kind; required for a new target. The kind of a built-in target cannot change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type_id: Option<TargetTypeId>,
    /// Whether customers see the default values of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_visible_default_values: Option<bool>,
    /// All values that customers can choose from, in order, for selectable kinds. Countries are two-letter codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selectable_values: Option<Vec<String>>,
    /// All texts by locale and field; empty texts are removed. Fields: `name`, `placeholder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// `updated_at` of the target that the editor read; 409 `stale_record` if the target has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Response of `GET targets/dictionaries`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetDictionaries {
    /// Values of `target_type.name`.
    pub names: Vec<Choice>,
    /// Values of `target_type.view_type`.
    pub view_types: Vec<Choice>,
    /// All built-in kinds of targets.
    pub target_types: Vec<TargetType>,
    /// Values of `target_attachments.N.type`.
    pub target_attachments_types: Vec<Choice>,
}

/// Values of a service for a target: the values that customers can choose from, the default value, or, for a fixed target, the
/// values of every order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetValues {
    /// Id of a target of the service.
    pub target_id: TargetId,
    /// Values, in order; empty for all values of the target.
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

/// The targets that are attached to a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTargets {
    /// Targets by id and name, in order.
    pub targets: Vec<NamedRef<TargetId>>,
    /// Values of the service for its targets; a target without values is not listed.
    pub targetable_values: Vec<TargetValues>,
    /// How each target is attached to the service.
    pub target_attachments: Vec<TargetAttachment>,
}

/// A target as a field of the order form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedTarget {
    /// English name, which is also the key of the value in the body of an order.
    pub name: String,
    /// Purpose of the target, which is also its kind.
    pub kind: TargetName,
    /// English placeholder of the form control; null if there is none.
    pub placeholder: Option<String>,
    /// Form control in which customers enter the value.
    pub view_type: ViewType,
    /// Whether every order must have a value.
    pub is_required: bool,
    /// Parameter of the reseller API whose value customers enter in this target; null if there is none.
    pub parameter: Option<PanelParameter>,
    /// Values that customers can choose from; empty for kinds that are not selectable.
    pub values: Vec<String>,
}

/// A checker group: a list of URL patterns. The link of an order must match at least one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotableCheckerGroup {
    /// Id of the checker group.
    pub id: CheckerGroupId,
    /// Name of the group, for staff.
    pub name: String,
    /// Platform of the services that can use the group.
    pub service_type_type: ServiceTypeKind,
    /// URL patterns, such as `youtube.com/watch*` and `*.example/@*`.
    pub checkers: Vec<String>,
    /// Number of services that use the group.
    pub services_count: i64,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// Body of `POST promotable-checker-groups` and `PUT promotable-checker-groups/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CheckerGroupInput {
    /// Name of the group, 1 to 100 characters, unique; required for a new group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Platform of the services that can use the group; required for a new group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_type: Option<ServiceTypeKind>,
    /// All URL patterns, 1 to 50. A pattern is a host and optionally a path, with `*` as a wildcard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkers: Option<Vec<String>>,
    /// `updated_at` of the group that the editor read; 409 `stale_record` if the group has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::json_bodies!(Target, TargetInput, TargetDictionaries, PromotableCheckerGroup, CheckerGroupInput);
