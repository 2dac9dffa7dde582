//! The targets of a service: the input fields that customers fill in, and the values that the service sets for them. This module
//! validates the targets when staff edit the service; `answers` validates the customer's answers when an order is placed.

mod answers;

use std::collections::BTreeMap;

use panel_contract::common::NamedRef;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, TargetId};
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::services::ServiceInput;
use panel_contract::targets::{
    ServiceTargets, TargetAttachment, TargetAttachmentType, TargetName, TargetValues, ViewType,
};
use panel_kernel::error::Result;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::targets::stored_texts::parse_list;
use panel_domain::fields;
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::work::UnitOfWork;

pub use answers::{
    Answer, OrderForm, OrderedService, load_guaranteed_answers, load_order_forms, load_requested_targets,
    load_services_requiring_answers, validate_answers,
};

const MAX_TARGETS: usize = 20;
/// Longest answer with several lines, in characters.
const MAX_TEXT_CHARS: usize = 20_000;
/// Longest answer of one line, in characters.
const MAX_LINE_CHARS: usize = 500;

/// A target that a service uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServiceTarget {
    pub target_id: TargetId,
    /// Whether the answer is required, optional or fixed by the service.
    #[serde(rename = "type")]
    pub attachment: TargetAttachmentType,
    /// If the target is fixed: its value. Otherwise: the choices that this service offers; empty means all choices of the target.
    pub values: Vec<String>,
}

impl ServiceTarget {
    fn is_fixed(&self) -> bool {
        self.attachment == TargetAttachmentType::Fixed
    }
}

/// The properties of a target that are the same for all services.
#[derive(Debug, Clone)]
struct TargetDefinition {
    name: String,
    kind: TargetName,
    view_type: ViewType,
    selectable_values: Vec<String>,
    /// The parameter of the reseller API that carries the answer to the external panel.
    parameter: Option<PanelParameter>,
}

// Rules

/// Returns the targets of a service with the changes of an input. An added target is required unless the input sets another
/// attachment.
pub fn apply(errors: &mut FieldErrors, before: &[ServiceTarget], input: &ServiceInput) -> Vec<ServiceTarget> {
    let mut after = before.to_vec();
    if let Some(ids) = &input.targets {
        after = ids.iter().map(|id| existing_or_new(before, *id)).collect();
        for (index, id) in ids.iter().enumerate().filter(|(index, id)| ids[..*index].contains(id)) {
            errors.add(format!("targets.{index}"), format!("Target {id} is in the list twice."));
        }
        if ids.len() > MAX_TARGETS {
            errors.add("targets", format!("Choose at most {MAX_TARGETS} targets."));
        }
    }
    let not_a_target_message =
        |id: TargetId| format!("Target {id} is not a target of this service. Add it to `targets` first.");
    for (index, entry) in input.targetable_values.iter().flatten().enumerate() {
        match after.iter_mut().find(|target| target.target_id == entry.target_id) {
            Some(target) => {
                let values = entry.values.iter().map(|value| value.trim().to_owned());
                target.values = values.filter(|value| !value.is_empty()).collect();
            }
            None => {
                errors.add(
                    format!("targetable_values.{index}.target_id"),
                    not_a_target_message(entry.target_id),
                );
            }
        }
    }
    for (index, entry) in input.target_attachments.iter().flatten().enumerate() {
        match after.iter_mut().find(|target| target.target_id == entry.target_id) {
            Some(target) => target.attachment = entry.kind,
            None => {
                errors.add(
                    format!("target_attachments.{index}.target_id"),
                    not_a_target_message(entry.target_id),
                );
            }
        }
    }
    after
}

fn existing_or_new(before: &[ServiceTarget], id: TargetId) -> ServiceTarget {
    let existing_target = before.iter().find(|target| target.target_id == id).cloned();
    let new_target =
        ServiceTarget { target_id: id, attachment: TargetAttachmentType::Required, values: Vec::new() };
    existing_target.unwrap_or(new_target)
}

/// Checks the values that a service sets for a target, and returns an error message.
fn check_values(target: &ServiceTarget, definition: &TargetDefinition) -> Result<(), String> {
    if target.is_fixed() && target.values.is_empty() {
        return Err(format!("Enter the value that every order has for {}.", definition.name));
    }
    let accepts_only_one_value = match definition.view_type {
        ViewType::Multiselect => false,
        ViewType::Select => target.is_fixed(),
        _ => true,
    };
    if accepts_only_one_value && target.values.len() > 1 {
        return Err(format!("Enter only one value for {}.", definition.name));
    }
    target.values.iter().try_for_each(|value| check_value(definition, &definition.selectable_values, value))
}

/// Checks one value of a target and returns an error message. For targets with a list, `choices` holds the values that customers
/// can select.
fn check_value(definition: &TargetDefinition, choices: &[String], value: &str) -> Result<(), String> {
    let name = &definition.name;
    let check_line = |value: &str| match value.contains(['\n', '\r']) {
        true => Err(format!("Enter {name} in one line.")),
        false => fields::check_text(value, MAX_LINE_CHARS),
    };
    definition.parameter.map_or(Ok(()), |parameter| parameter.check(value))?;
    match definition.view_type {
        ViewType::Select | ViewType::Multiselect => match choices.iter().any(|choice| choice == value) {
            true => Ok(()),
            false => Err(format!("{value} is not a choice for {name}.")),
        },
        ViewType::NumberInput => {
            value.parse::<i64>().map(drop).map_err(|_| format!("Enter {name} as a whole number."))
        }
        ViewType::FloatInput => {
            let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
            if is_number { check_line(value) } else { Err(format!("Enter {name} as a number, such as 2.5.")) }
        }
        ViewType::UrlInput if !fields::is_http_url(value) => {
            Err(format!("Enter {name} as a full URL that begins with http:// or https://."))
        }
        ViewType::UrlInput => Ok(()),
        ViewType::Input => check_line(value),
        ViewType::Textarea => fields::check_text(value, MAX_TEXT_CHARS),
    }
}

// Store

type ServiceTargetRow = (TargetId, TargetAttachmentType, String);

/// Loads the targets of a service in display order.
pub async fn load(db: &mut impl SqlExecutor, service: ServiceId) -> Result<Vec<ServiceTarget>> {
    let sql = Sql::new(
        "SELECT target_id, attachment, given_values FROM service_targets WHERE service_id = ? ORDER BY position, target_id",
    );
    let rows: Vec<ServiceTargetRow> = db.fetch_all(sql.bind(service)).await?;
    let to_target = |(target_id, attachment, values): ServiceTargetRow| ServiceTarget {
        target_id,
        attachment,
        values: parse_list(&values),
    };
    Ok(rows.into_iter().map(to_target).collect())
}

pub async fn replace(work: &mut UnitOfWork, service: ServiceId, targets: &[ServiceTarget]) -> Result<()> {
    work.execute(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(service)).await?;
    if targets.is_empty() {
        return Ok(());
    }
    let to_row = |(position, target): (i64, &ServiceTarget)| -> Vec<Val> {
        let values = json!(target.values).to_string();
        vec![target.target_id.into(), position.into(), target.attachment.as_str().into(), values.into()]
    };
    let rows = (1_i64..).zip(targets).map(to_row).collect();
    let sql = Sql::new(
        "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values) SELECT ?, r.id, r.item_position, r.attachment, r.given_values FROM ",
    );
    work.execute(sql.bind(service).rows("r", &["id", "item_position", "attachment", "given_values"], rows))
        .await?;
    Ok(())
}

/// Loads the names of the targets for the response of the API. `targetable_values` contains only targets with values.
pub async fn load_names(db: &mut impl SqlExecutor, targets: &[ServiceTarget]) -> Result<ServiceTargets> {
    let ids: Vec<TargetId> = targets.iter().map(|target| target.target_id).collect();
    let sql = Sql::new("SELECT id, name FROM targets WHERE id IN ").ids(&ids);
    let mut names: BTreeMap<TargetId, String> =
        db.fetch_all::<(TargetId, String)>(sql).await?.into_iter().collect();
    let to_named_ref = |id: &TargetId| names.remove(id).map(|name| NamedRef { id: *id, name });
    let to_values =
        |target: &ServiceTarget| TargetValues { target_id: target.target_id, values: target.values.clone() };
    let to_attachment =
        |target: &ServiceTarget| TargetAttachment { target_id: target.target_id, kind: target.attachment };
    Ok(ServiceTargets {
        targets: ids.iter().filter_map(to_named_ref).collect(),
        targetable_values: targets.iter().filter(|target| !target.values.is_empty()).map(to_values).collect(),
        target_attachments: targets.iter().map(to_attachment).collect(),
    })
}

/// Checks that the targets exist, can be used by services, and accept the values that the service sets.
pub async fn check(work: &mut UnitOfWork, errors: &mut FieldErrors, after: &[ServiceTarget]) -> Result<()> {
    type DefinitionRow = (TargetId, String, ViewType, bool, String, Option<PanelParameter>, TargetName);
    let ids: Vec<TargetId> = after.iter().map(|target| target.target_id).collect();
    let sql = Sql::new(
        "SELECT g.id, g.name, k.view_type, k.enabled_for_service, g.selectable_values, g.parameter, k.name FROM targets g
         JOIN target_types k ON k.id = g.target_type_id WHERE g.id IN ",
    );
    let rows: Vec<DefinitionRow> = work.fetch_all(sql.ids(&ids)).await?;
    for (index, target) in after.iter().enumerate() {
        let row =
            rows.iter().find(|(id, _, _, is_for_services, ..)| *id == target.target_id && *is_for_services);
        let Some((_, name, view_type, _, values, parameter, kind)) = row else {
            let message = format!("There is no target {} that services can use.", target.target_id);
            errors.add(format!("targets.{index}"), message);
            continue;
        };
        let definition = TargetDefinition {
            name: name.clone(),
            kind: *kind,
            view_type: *view_type,
            selectable_values: parse_list(values),
            parameter: *parameter,
        };
        if let Err(message) = check_values(target, &definition) {
            errors.add("targetable_values", message);
        }
    }
    Ok(())
}

/// Loads the values of a target that services use, each with the id of one service. The result has an entry with an empty string if
/// any service uses the target, with or without values.
pub async fn load_used_values(
    db: &mut impl SqlExecutor,
    target: TargetId,
) -> Result<Vec<(String, ServiceId)>> {
    let sql = Sql::new(
        "SELECT service_id, given_values FROM service_targets WHERE target_id = ? ORDER BY service_id",
    );
    let rows: Vec<(ServiceId, String)> = db.fetch_all(sql.bind(target)).await?;
    let mut service_by_value = BTreeMap::new();
    for (service, values) in rows {
        service_by_value.entry(String::new()).or_insert(service);
        for value in parse_list(&values) {
            service_by_value.entry(value).or_insert(service);
        }
    }
    Ok(service_by_value.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a target with the selectable values DE, FR and US. The service offers `values`.
    pub(super) fn create_target(
        name: &str,
        attachment: TargetAttachmentType,
        view_type: ViewType,
        values: &[&str],
    ) -> (ServiceTarget, TargetDefinition) {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        let selectable_values = ["DE", "FR", "US"].map(str::to_owned).to_vec();
        let (name, kind) = (name.to_owned(), TargetName::Keyword);
        let definition = TargetDefinition { name, kind, view_type, selectable_values, parameter: None };
        (ServiceTarget { target_id: TargetId::new(1), attachment, values }, definition)
    }

    #[test]
    fn checks_the_values_that_a_service_sets() {
        use TargetAttachmentType::{Fixed, Optional};
        let is_valid = |attachment, view_type, values: &[&str]| {
            let (target, definition) = create_target("Country", attachment, view_type, values);
            check_values(&target, &definition).is_ok()
        };
        assert!(is_valid(Optional, ViewType::Select, &["DE", "FR"]));
        assert!(!is_valid(Fixed, ViewType::Select, &["DE", "FR"]), "a fixed target must have only one value");
        assert!(!is_valid(Fixed, ViewType::Input, &[]));
        assert!(!is_valid(Optional, ViewType::Multiselect, &["XX"]));
        assert!(is_valid(Fixed, ViewType::UrlInput, &["https://a.example"]));
        assert!(!is_valid(Fixed, ViewType::UrlInput, &["a"]));
        assert!(is_valid(Optional, ViewType::FloatInput, &["2.5"]));
        assert!(!is_valid(Optional, ViewType::FloatInput, &["nan"]));
        assert!(is_valid(Optional, ViewType::Textarea, &["a\nb"]));
        assert!(!is_valid(Optional, ViewType::Input, &["a\nb"]));
    }

    #[test]
    fn values_and_attachments_must_belong_to_a_target_of_the_service() {
        let before = [ServiceTarget {
            target_id: TargetId::new(4),
            attachment: TargetAttachmentType::Optional,
            values: vec!["a".into()],
        }];
        let apply_json = |body: &str| {
            let input: ServiceInput = FieldErrors::from_json(body.as_bytes()).unwrap();
            let mut errors = FieldErrors::default();
            let after = apply(&mut errors, &before, &input);
            errors.into_result(after).map_err(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(apply_json("{}").unwrap(), before);
        let body = r#"{"targets":[5,4],"targetable_values":[{"target_id":5,"values":[" x ",""]}]}"#;
        let after = apply_json(body).unwrap();
        assert_eq!((after[0].values.clone(), &after[1]), (vec!["x".to_owned()], &before[0]));
        let invalid_body = r#"{"targets":[5,5],"targetable_values":[{"target_id":4,"values":[]}],"target_attachments":[{"target_id":9,"type":"fixed"}]}"#;
        let expected_fields =
            ["target_attachments.0.target_id", "targetable_values.0.target_id", "targets.1"];
        assert_eq!(apply_json(invalid_body).unwrap_err(), expected_fields);
    }
}
