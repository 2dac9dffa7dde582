//! The targets of a service, which are the inputs that its customers fill in, with the service's own values. This module
//! validates them when staff edit the service; `answers` validates the customer's answers when an order is placed.

mod answers;

use std::collections::BTreeMap;

use panel_contract::common::Named;
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

use crate::catalogue::targets::words::list;
use panel_domain::fields;
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::UnitOfWork;

pub use answers::{Answer, Asking, SoldAs, judge, of_services, sold_as, surely_answered, unanswerable};

const MAX_TARGETS: usize = 20;
/// Longest answer, and longest line of inputs of one line.
const ANSWER: usize = 20_000;
const LINE: usize = 500;

/// A target of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServiceTarget {
    pub target_id: TargetId,
    /// Whether the answer is required, optional or fixed by the service.
    #[serde(rename = "type")]
    pub attachment: TargetAttachmentType,
    /// The service's own values.
    pub values: Vec<String>,
}

/// The values that a target accepts.
#[derive(Debug, Clone)]
struct TargetDefinition {
    name: String,
    kind: TargetName,
    view_type: ViewType,
    selectable_values: Vec<String>,
    /// The parameter of the reseller API that it fills.
    parameter: Option<PanelParameter>,
}

// Rules

/// The targets of a service after an input.
pub fn settle(
    errors: &mut FieldErrors,
    before: &[ServiceTarget],
    input: &ServiceInput,
) -> Vec<ServiceTarget> {
    let mut after = before.to_vec();
    if let Some(ids) = &input.targets {
        after = ids.iter().map(|id| of(before, *id)).collect();
        for (at, id) in ids.iter().enumerate().filter(|(at, id)| ids[..*at].contains(id)) {
            errors.add(format!("targets.{at}"), format!("Target {id} is named twice."));
        }
        if ids.len() > MAX_TARGETS {
            errors.add("targets", format!("Choose at most {MAX_TARGETS} targets."));
        }
    }
    let none = |id: TargetId| format!("The service does not ask for target {id}; name it under targets.");
    for (at, given) in input.targetable_values.iter().flatten().enumerate() {
        match after.iter_mut().find(|asked| asked.target_id == given.target_id) {
            Some(asked) => {
                let values = given.values.iter().map(|value| value.trim().to_owned());
                asked.values = values.filter(|value| !value.is_empty()).collect();
            }
            None => errors.add(format!("targetable_values.{at}.target_id"), none(given.target_id)),
        }
    }
    for (at, given) in input.target_attachments.iter().flatten().enumerate() {
        match after.iter_mut().find(|asked| asked.target_id == given.target_id) {
            Some(asked) => asked.attachment = given.kind,
            None => errors.add(format!("target_attachments.{at}.target_id"), none(given.target_id)),
        }
    }
    after
}

fn of(before: &[ServiceTarget], id: TargetId) -> ServiceTarget {
    let known = before.iter().find(|asked| asked.target_id == id).cloned();
    let new = ServiceTarget { target_id: id, attachment: TargetAttachmentType::Required, values: Vec::new() };
    known.unwrap_or(new)
}

/// Why a service's values do not suit a target.
fn suits(asked: &ServiceTarget, terms: &TargetDefinition) -> Result<(), String> {
    let is_fixed = asked.attachment == TargetAttachmentType::Fixed;
    if is_fixed && asked.values.is_empty() {
        return Err(format!("Give the value of {} that goes with every order.", terms.name));
    }
    let one = match terms.view_type {
        ViewType::Multiselect => false,
        ViewType::Select => is_fixed,
        _ => true,
    };
    if one && asked.values.len() > 1 {
        return Err(format!("{} takes one value.", terms.name));
    }
    asked.values.iter().try_for_each(|value| takes(terms, &terms.selectable_values, value))
}

/// Why one value is none that a target takes, where `choices` can be chosen.
fn takes(terms: &TargetDefinition, choices: &[String], value: &str) -> Result<(), String> {
    let name = &terms.name;
    let line = |value: &str| match value.contains(['\n', '\r']) {
        true => Err(format!("{name} is one line.")),
        false => fields::fits(value, LINE),
    };
    terms.parameter.map_or(Ok(()), |parameter| parameter.check(value))?;
    match terms.view_type {
        ViewType::Select | ViewType::Multiselect => match choices.iter().any(|known| known == value) {
            true => Ok(()),
            false => Err(format!("{value} cannot be chosen for {name}.")),
        },
        ViewType::NumberInput => {
            value.parse::<i64>().map(drop).map_err(|_| format!("{name} is a whole number."))
        }
        ViewType::FloatInput => {
            let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
            if is_number { line(value) } else { Err(format!("{name} is a number, such as 2.5.")) }
        }
        ViewType::UrlInput if !fields::is_address(value) => {
            Err(format!("{name} is an absolute address that begins with http:// or https://."))
        }
        ViewType::UrlInput => Ok(()),
        ViewType::Input => line(value),
        ViewType::Textarea => fields::fits(value, ANSWER),
    }
}

// Store

type Row = (TargetId, TargetAttachmentType, String);

/// The targets of a service, in their order.
pub async fn read(db: &mut impl Source, service: ServiceId) -> Result<Vec<ServiceTarget>> {
    let sql = Sql::new(
        "SELECT target_id, attachment, given_values FROM service_targets WHERE service_id = ? ORDER BY position, target_id",
    );
    let rows: Vec<Row> = db.all(sql.bind(service)).await?;
    let asked =
        |(target_id, attachment, values): Row| ServiceTarget { target_id, attachment, values: list(&values) };
    Ok(rows.into_iter().map(asked).collect())
}

/// Replaces them.
pub async fn write(work: &mut UnitOfWork, service: ServiceId, asked: &[ServiceTarget]) -> Result<()> {
    work.exec(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(service)).await?;
    if asked.is_empty() {
        return Ok(());
    }
    let row = |(at, one): (i64, &ServiceTarget)| -> Vec<Val> {
        let values = json!(one.values).to_string();
        vec![one.target_id.into(), at.into(), one.attachment.as_str().into(), values.into()]
    };
    let rows = (1_i64..).zip(asked).map(row).collect();
    let sql = Sql::new(
        "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values) SELECT ?, r.id, r.place, r.attachment, r.given FROM ",
    );
    work.exec(sql.bind(service).rows("r", &["id", "place", "attachment", "given"], rows)).await?;
    Ok(())
}

/// As the wire has them: names, values where there are any, and how they hang.
pub async fn shown(db: &mut impl Source, asked: &[ServiceTarget]) -> Result<ServiceTargets> {
    let ids: Vec<TargetId> = asked.iter().map(|one| one.target_id).collect();
    let sql = Sql::new("SELECT id, name FROM targets WHERE id IN ").ids(&ids);
    let mut names: BTreeMap<TargetId, String> =
        db.all::<(TargetId, String)>(sql).await?.into_iter().collect();
    let named = |id: &TargetId| names.remove(id).map(|name| Named { id: *id, name });
    let targets = ids.iter().filter_map(named).collect();
    let values = asked.iter().filter(|one| !one.values.is_empty());
    let values = values.map(|one| TargetValues { target_id: one.target_id, values: one.values.clone() });
    let kinds = asked.iter().map(|one| TargetAttachment { target_id: one.target_id, kind: one.attachment });
    let (targetable_values, target_attachments) = (values.collect(), kinds.collect());
    Ok(ServiceTargets { targets, targetable_values, target_attachments })
}

/// What an edited service asks for must be there, be for services, and take the service's values.
pub async fn check(work: &mut UnitOfWork, errors: &mut FieldErrors, after: &[ServiceTarget]) -> Result<()> {
    type Known = (TargetId, String, ViewType, bool, String, Option<PanelParameter>, TargetName);
    let ids: Vec<TargetId> = after.iter().map(|one| one.target_id).collect();
    let sql = Sql::new(
        "SELECT g.id, g.name, k.view_type, k.enabled_for_service, g.selectable_values, g.parameter, k.name FROM targets g
         JOIN target_types k ON k.id = g.target_type_id WHERE g.id IN ",
    );
    let known: Vec<Known> = work.all(sql.ids(&ids)).await?;
    for (at, one) in after.iter().enumerate() {
        let found = known.iter().find(|(id, ..)| *id == one.target_id);
        let Some((_, name, view_type, _, values, parameter, kind)) = found.filter(|known| known.3) else {
            let message = format!("There is no target {} for services.", one.target_id);
            errors.add(format!("targets.{at}"), message);
            continue;
        };
        let (view_type, selectable_values) = (*view_type, list(values));
        let (name, kind, parameter) = (name.clone(), *kind, *parameter);
        let terms = TargetDefinition { name, kind, view_type, selectable_values, parameter };
        if let Err(message) = suits(one, &terms) {
            errors.add("targetable_values", message);
        }
    }
    Ok(())
}

/// The values of a target that services use, each with one service; an empty value where a service only asks for it.
pub async fn used_values(db: &mut impl Source, target: TargetId) -> Result<Vec<(String, ServiceId)>> {
    let sql = Sql::new(
        "SELECT service_id, given_values FROM service_targets WHERE target_id = ? ORDER BY service_id",
    );
    let rows: Vec<(ServiceId, String)> = db.all(sql.bind(target)).await?;
    let mut used = BTreeMap::new();
    for (service, values) in rows {
        used.entry(String::new()).or_insert(service);
        for value in list(&values) {
            used.entry(value).or_insert(service);
        }
    }
    Ok(used.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn asks(
        name: &str,
        attachment: TargetAttachmentType,
        view_type: ViewType,
        own: &[&str],
    ) -> (ServiceTarget, TargetDefinition) {
        let values = own.iter().map(|value| (*value).to_owned()).collect();
        let selectable_values = ["DE", "FR", "US"].map(str::to_owned).to_vec();
        let (name, kind) = (name.to_owned(), TargetName::Keyword);
        let terms = TargetDefinition { name, kind, view_type, selectable_values, parameter: None };
        (ServiceTarget { target_id: TargetId::new(1), attachment, values }, terms)
    }

    #[test]
    fn a_services_values_suit_its_target() {
        use TargetAttachmentType::{Fixed, Optional};
        let suits = |attachment, view_type, own: &[&str]| {
            let (asked, terms) = asks("It", attachment, view_type, own);
            suits(&asked, &terms).is_ok()
        };
        assert!(suits(Optional, ViewType::Select, &["DE", "FR"]));
        assert!(!suits(Fixed, ViewType::Select, &["DE", "FR"]), "one value goes with an order");
        assert!(!suits(Fixed, ViewType::Input, &[]));
        assert!(!suits(Optional, ViewType::Multiselect, &["XX"]));
        assert!(
            suits(Fixed, ViewType::UrlInput, &["https://a.example"])
                && !suits(Fixed, ViewType::UrlInput, &["a"])
        );
        assert!(
            suits(Optional, ViewType::FloatInput, &["2.5"])
                && !suits(Optional, ViewType::FloatInput, &["nan"])
        );
        assert!(
            suits(Optional, ViewType::Textarea, &["a\nb"]) && !suits(Optional, ViewType::Input, &["a\nb"])
        );
    }

    #[test]
    fn values_and_kinds_are_of_targets_that_are_asked_for() {
        let before = [ServiceTarget {
            target_id: TargetId::new(4),
            attachment: TargetAttachmentType::Optional,
            values: vec!["a".into()],
        }];
        let settled = |body: &str| {
            let input: ServiceInput = FieldErrors::from_json(body.as_bytes()).unwrap();
            let mut errors = FieldErrors::default();
            let after = settle(&mut errors, &before, &input);
            errors.or(after).map_err(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(settled("{}").unwrap(), before);
        let after = settled(r#"{"targets":[5,4],"targetable_values":[{"target_id":5,"values":[" x ",""]}]}"#)
            .unwrap();
        assert_eq!((after[0].values.clone(), &after[1]), (vec!["x".to_owned()], &before[0]));
        let wrong = r#"{"targets":[5,5],"targetable_values":[{"target_id":4,"values":[]}],"target_attachments":[{"target_id":9,"type":"fixed"}]}"#;
        let named = ["target_attachments.0.target_id", "targetable_values.0.target_id", "targets.1"];
        assert_eq!(settled(wrong).unwrap_err(), named);
    }
}
