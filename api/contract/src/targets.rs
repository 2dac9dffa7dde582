//! Targets as they cross the wire: what a service asks its customers beside the address, and the groups of checks that
//! addresses go through.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Choice, Named, Patch, Translations};
use crate::ids::{CheckerGroupId, TargetId, TargetTypeId};
use crate::moment::{Stamp, Time};
use crate::panel_service_types::PanelParameter;
use crate::service_types::ServiceTypeKind;

crate::words! {
    /// What a target is about.
    TargetName {
        Geotargeting = "geotargeting",
        Comment = "comment",
        Keyword = "keyword",
        SeoKeyword = "seo_keyword",
        Language = "language",
    }
}

crate::words! {
    /// How a target is asked for.
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

crate::words! {
    /// How a target hangs on a service.
    TargetAttachmentType {
        /// Customers must answer.
        Required = "required",
        /// Customers may answer.
        Optional = "optional",
        /// Nobody is asked: the service's own values go with every order.
        Fixed = "fixed",
    }
}

/// A kind of target; the panel has these and no others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetType {
    /// Its id.
    pub id: TargetTypeId,
    /// What it is about.
    pub name: TargetName,
    /// What people call it.
    pub title: String,
    /// Whether customers choose among given values.
    pub selectable: bool,
    /// Whether services can ask for it.
    pub enabled_for_service: bool,
    /// How it is asked for.
    pub view_type: ViewType,
}

/// One row of the targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetRow {
    /// The target's id.
    pub id: TargetId,
    /// English name.
    pub name: String,
    /// What stands in the field before something is typed, in English.
    pub placeholder: Option<String>,
    /// Whether the panel itself needs it: its type stays as it is.
    pub is_system: bool,
    /// Whether customers see the values that a service begins with.
    pub is_visible_default_values: bool,
    /// Its kind.
    pub target_type: TargetType,
    /// What customers can choose, in this order.
    pub selectable_values: Vec<String>,
    /// The parameter of the reseller API that it asks for; none where no import made it.
    pub parameter: Option<PanelParameter>,
    /// Services that ask for it.
    pub services_count: i64,
    /// When it was made.
    pub created_at: Time,
    /// What the caller may do with it.
    pub actions: TargetActions,
}

/// What the caller may do with a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetActions {
    /// Change it.
    pub editable: bool,
    /// Delete it: the panel itself does not need it. A target in use is refused with the names of what uses it.
    pub deletable: bool,
}

/// One target with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// What the list shows.
    #[serde(flatten)]
    pub row: TargetRow,
    /// The id of its kind.
    pub target_type_id: TargetTypeId,
    /// Locale → `name`, `placeholder` → text.
    pub translations: Translations,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// Body of `POST targets` and `PUT targets/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TargetInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// English placeholder, up to 255 characters; an empty one clears.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub placeholder: Patch<String>,
    /// Its kind; required for a new one, fixed for one that the panel needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type_id: Option<TargetTypeId>,
    /// Whether customers see the values that a service begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_visible_default_values: Option<bool>,
    /// All values that customers can choose, in this order; for kinds that choose. Countries by their two letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selectable_values: Option<Vec<String>>,
    /// All of them; empty texts are dropped. Fields: `name`, `placeholder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// As it was read: refused when somebody changed the target meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// What pickers of targets offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetDictionaries {
    /// What targets are about.
    pub names: Vec<Choice>,
    /// How they are asked for.
    pub view_types: Vec<Choice>,
    /// Their kinds.
    pub target_types: Vec<TargetType>,
    /// How they hang on services.
    pub target_attachments_types: Vec<Choice>,
}

/// The values that a service has for a target: what customers can choose there, what stands in the field at the
/// beginning, or, where the target is fixed, what goes with every order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetValues {
    /// A target of the service.
    pub target_id: TargetId,
    /// The values, in this order; none for all that the target has.
    pub values: Vec<String>,
}

/// How a target hangs on a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetAttachment {
    /// A target of the service.
    pub target_id: TargetId,
    /// How.
    #[serde(rename = "type")]
    pub kind: TargetAttachmentType,
}

/// What a service asks its customers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceTargets {
    /// Its targets, in this order.
    pub targets: Vec<Named<TargetId>>,
    /// Its own values for them, where it has any.
    pub targetable_values: Vec<TargetValues>,
    /// How each of them hangs on it.
    pub target_attachments: Vec<TargetAttachment>,
}

/// A target that a service asks its customers, as a form needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AskedTarget {
    /// Its English name: what an answer is given under.
    pub name: String,
    /// Which input of an order the target fills.
    pub kind: TargetName,
    /// What stands in the field before something is typed, in English.
    pub placeholder: Option<String>,
    /// Kind of form control that asks for the value.
    pub view_type: ViewType,
    /// Whether an order without an answer is refused.
    pub is_required: bool,
    /// The parameter of the reseller API that it asks for.
    pub parameter: Option<PanelParameter>,
    /// What can be chosen, where something is chosen.
    pub values: Vec<String>,
}

/// A group of checks that the address of an order goes through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromotableCheckerGroup {
    /// Its id.
    pub id: CheckerGroupId,
    /// What staff call it.
    pub name: String,
    /// What its addresses are about.
    pub service_type_type: ServiceTypeKind,
    /// Patterns of addresses, one of which must fit: `youtube.com/watch*`, `*.example/@*`.
    pub checkers: Vec<String>,
    /// Services whose addresses it checks.
    pub services_count: i64,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// Body of `POST promotable-checker-groups` and `PUT promotable-checker-groups/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CheckerGroupInput {
    /// 1 to 100 characters, no other group's; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What its addresses are about; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_type_type: Option<ServiceTypeKind>,
    /// All patterns, 1 to 50: a host, perhaps a path, and `*` for anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkers: Option<Vec<String>>,
    /// As it was read: refused when somebody changed the group meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::wire!(Target, TargetInput, TargetDictionaries, PromotableCheckerGroup, CheckerGroupInput);
