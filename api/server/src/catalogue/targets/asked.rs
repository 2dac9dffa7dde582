//! What a service asks its customers: its targets with its own values for them, judged when the service is edited, and
//! the answers of an order, judged when it is placed.

use std::collections::BTreeMap;

use panel_contract::common::Named;
use panel_contract::fields::FieldErrors;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::services::ServiceInput;
use panel_contract::targets::{
    AskedTarget, ServiceTargets, TargetAttachment, TargetAttachmentType, TargetName, TargetValues, ViewType,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::catalogue::fields;
use crate::catalogue::targets::list;
use crate::db::{Source, Sql, Val};
use crate::http::error::Result;
use crate::work::Work;

/// Most targets of a service.
const MOST: usize = 20;
/// Longest answer, and longest line of inputs of one line.
const ANSWER: usize = 20_000;
const LINE: usize = 500;

/// A target of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The target.
    pub target_id: i64,
    /// How it hangs on the service.
    #[serde(rename = "type")]
    pub attachment: TargetAttachmentType,
    /// The service's own values.
    pub values: Vec<String>,
}

/// What a target takes.
#[derive(Debug, Clone)]
struct Terms {
    name: String,
    view_type: ViewType,
    selectable_values: Vec<String>,
    /// The parameter of the reseller API that it asks for.
    parameter: Option<PanelParameter>,
}

/// What a customer answered to a target, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Id of the target.
    pub target_id: i64,
    /// English name of the target when the customer answered.
    pub name: String,
    /// The customer's answer as text.
    pub value: String,
}

/// The order that answers belong to.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// Id of the service.
    pub service_id: i64,
    /// Ordered quantity in units.
    pub quantity: i64,
    /// Nobody answers for what places orders by itself, so nothing is required of it.
    pub may_leave: bool,
}

/// What a service asks, as an order is judged by it.
#[derive(Debug, Clone)]
struct Questions {
    kind: PanelServiceType,
    targets: Vec<(Asked, Terms)>,
}

// Rules

/// The targets of a service after an input.
pub fn settle(errors: &mut FieldErrors, before: &[Asked], input: &ServiceInput) -> Vec<Asked> {
    let mut after = before.to_vec();
    if let Some(ids) = &input.targets {
        after = ids.iter().map(|id| of(before, *id)).collect();
        for (at, id) in ids.iter().enumerate().filter(|(at, id)| ids[..*at].contains(id)) {
            errors.add(format!("targets.{at}"), format!("Target {id} is named twice."));
        }
        if ids.len() > MOST {
            errors.add("targets", format!("Choose at most {MOST} targets."));
        }
    }
    let none = |id: i64| format!("The service does not ask for target {id}; name it under targets.");
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

fn of(before: &[Asked], id: i64) -> Asked {
    let known = before.iter().find(|asked| asked.target_id == id).cloned();
    let new = Asked { target_id: id, attachment: TargetAttachmentType::Required, values: Vec::new() };
    known.unwrap_or(new)
}

/// Why a service's values do not suit a target.
fn suits(asked: &Asked, terms: &Terms) -> Result<(), String> {
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
fn takes(terms: &Terms, choices: &[String], value: &str) -> Result<(), String> {
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

/// The answers that an order is placed with: those given, judged, and the values that go with every order. Errors are
/// named `targets.NAME`.
fn answers(
    questions: &Questions,
    given: &[(String, String)],
    asking: Asking,
) -> Result<Vec<Answer>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut placed = Vec::new();
    for (one, terms) in &questions.targets {
        let text = given.iter().find(|(name, _)| *name == terms.name).map(|(_, value)| value.trim());
        match answer(one, terms, text.filter(|text| !text.is_empty()), asking.may_leave) {
            Ok(value) => placed.extend(value.map(|value| Answer {
                target_id: one.target_id,
                name: terms.name.clone(),
                value,
            })),
            Err(message) => errors.add(format!("targets.{}", terms.name), message),
        }
    }
    for (name, _) in
        given.iter().filter(|(name, _)| questions.targets.iter().all(|(_, terms)| terms.name != *name))
    {
        errors.add(format!("targets.{name}"), "The service does not ask for this; leave it out.");
    }
    if errors.0.is_empty() {
        together(&mut errors, questions, &placed, asking);
    }
    errors.or(placed)
}

/// The value that goes with the order for one target, if any, or why the text is none.
fn answer(one: &Asked, terms: &Terms, text: Option<&str>, may_leave: bool) -> Result<Option<String>, String> {
    match (one.attachment, text) {
        (TargetAttachmentType::Fixed, None) => Ok(Some(one.values.join(", "))),
        (TargetAttachmentType::Fixed, Some(_)) => {
            Err(format!("{} is the service's own; leave it out.", terms.name))
        }
        (TargetAttachmentType::Required, None) if !may_leave => Err(format!("Give {}.", terms.name)),
        (_, None) => Ok(None),
        (_, Some(text)) => {
            let choices = if one.values.is_empty() { &terms.selectable_values } else { &one.values };
            match terms.view_type {
                ViewType::Multiselect => {
                    text.split(',').try_for_each(|value| takes(terms, choices, value.trim()))?;
                }
                _ => takes(terms, choices, text)?,
            }
            Ok(Some(text.to_owned()))
        }
    }
}

/// Whether the answers fit the service's type and quantity. A service that no longer asks for what its type needs is not
/// sold: its orders would never be delivered.
fn together(errors: &mut FieldErrors, questions: &Questions, placed: &[Answer], asking: Asking) {
    let kind = questions.kind;
    let of = |parameter| questions.targets.iter().find(|(_, terms)| terms.parameter == Some(parameter));
    let unasked = kind.required().iter().find(|parameter| of(**parameter).is_none());
    if let Some(parameter) = unasked.filter(|_| !asking.may_leave) {
        let message = format!(
            "This service is of the type {kind} and does not ask for {}; choose another, or add that target to it.",
            parameter.texts().0
        );
        errors.add("service_id", message);
        return;
    }
    let answer = |parameter| {
        let (asked, _) = of(parameter)?;
        placed.iter().find(|answer| answer.target_id == asked.target_id).map(|answer| answer.value.as_str())
    };
    if let Some((parameter, message)) = kind.check(asking.quantity, answer) {
        let name = of(parameter).map_or(parameter.as_str(), |(_, terms)| &terms.name);
        errors.add(format!("targets.{name}"), message);
    }
}

// Store

type Row = (i64, TargetAttachmentType, String);

/// The targets of a service, in their order.
pub async fn read(db: &mut impl Source, service: i64) -> Result<Vec<Asked>> {
    let sql = Sql::new(
        "SELECT target_id, attachment, given_values FROM service_targets WHERE service_id = ? ORDER BY position, target_id",
    );
    let rows: Vec<Row> = db.all(sql.bind(service)).await?;
    let asked = |(target_id, attachment, values): Row| Asked { target_id, attachment, values: list(&values) };
    Ok(rows.into_iter().map(asked).collect())
}

/// Replaces them.
pub async fn write(work: &mut Work, service: i64, asked: &[Asked]) -> Result<()> {
    work.exec(Sql::new("DELETE FROM service_targets WHERE service_id = ?").bind(service)).await?;
    if asked.is_empty() {
        return Ok(());
    }
    let row = |(at, one): (i64, &Asked)| -> Vec<Val> {
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
pub async fn shown(db: &mut impl Source, asked: &[Asked]) -> Result<ServiceTargets> {
    let ids: Vec<i64> = asked.iter().map(|one| one.target_id).collect();
    let sql = Sql::new("SELECT id, name FROM targets WHERE id IN ").ids(&ids);
    let mut names: BTreeMap<i64, String> = db.all::<(i64, String)>(sql).await?.into_iter().collect();
    let named = |id: &i64| names.remove(id).map(|name| Named { id: *id, name });
    let targets = ids.iter().filter_map(named).collect();
    let values = asked.iter().filter(|one| !one.values.is_empty());
    let values = values.map(|one| TargetValues { target_id: one.target_id, values: one.values.clone() });
    let kinds = asked.iter().map(|one| TargetAttachment { target_id: one.target_id, kind: one.attachment });
    let (targetable_values, target_attachments) = (values.collect(), kinds.collect());
    Ok(ServiceTargets { targets, targetable_values, target_attachments })
}

/// What an edited service asks for must be there, be for services, and take the service's values.
pub async fn check(work: &mut Work, errors: &mut FieldErrors, after: &[Asked]) -> Result<()> {
    type Known = (i64, String, ViewType, bool, String, Option<PanelParameter>);
    let ids: Vec<i64> = after.iter().map(|one| one.target_id).collect();
    let sql = Sql::new(
        "SELECT g.id, g.name, k.view_type, k.enabled_for_service, g.selectable_values, g.parameter FROM targets g
         JOIN target_types k ON k.id = g.target_type_id WHERE g.id IN ",
    );
    let known: Vec<Known> = work.all(sql.ids(&ids)).await?;
    for (at, one) in after.iter().enumerate() {
        let found = known.iter().find(|(id, ..)| *id == one.target_id);
        let Some((_, name, view_type, _, values, parameter)) = found.filter(|known| known.3) else {
            let message = format!("There is no target {} for services.", one.target_id);
            errors.add(format!("targets.{at}"), message);
            continue;
        };
        let (view_type, selectable_values) = (*view_type, list(values));
        let terms = Terms { name: name.clone(), view_type, selectable_values, parameter: *parameter };
        if let Err(message) = suits(one, &terms) {
            errors.add("targetable_values", message);
        }
    }
    Ok(())
}

/// The values of a target that services use, each with one service; an empty value where a service only asks for it.
pub async fn used_values(db: &mut impl Source, target: i64) -> Result<Vec<(String, i64)>> {
    let sql = Sql::new(
        "SELECT service_id, given_values FROM service_targets WHERE target_id = ? ORDER BY service_id",
    );
    let rows: Vec<(i64, String)> = db.all(sql.bind(target)).await?;
    let mut used = BTreeMap::new();
    for (service, values) in rows {
        used.entry(String::new()).or_insert(service);
        for value in list(&values) {
            used.entry(value).or_insert(service);
        }
    }
    Ok(used.into_iter().collect())
}

/// The answers that an order of a service is placed with.
pub async fn judge(work: &mut Work, asking: Asking, given: &[(String, String)]) -> Result<Vec<Answer>> {
    let kind = Sql::new("SELECT panel_service_type FROM services WHERE id = ?").bind(asking.service_id);
    let kind: Option<(PanelServiceType,)> = work.opt(kind).await?;
    let kind = kind.map_or(PanelServiceType::Default, |(kind,)| kind);
    let targets = questions(work, &[asking.service_id]).await?;
    let targets = targets.into_iter().map(|(_, asked, terms, _)| (asked, terms)).collect();
    Ok(answers(&Questions { kind, targets }, given, asking)?)
}

/// What services ask for, by service: for forms. What is fixed is not asked.
pub async fn of_services(db: &mut impl Source, ids: &[i64]) -> Result<BTreeMap<i64, Vec<AskedTarget>>> {
    let mut found: BTreeMap<i64, Vec<AskedTarget>> = BTreeMap::new();
    for (service, asked, terms, (kind, placeholder)) in questions(db, ids).await? {
        if asked.attachment == TargetAttachmentType::Fixed {
            continue;
        }
        found.entry(service).or_default().push(AskedTarget {
            name: terms.name,
            kind,
            placeholder,
            view_type: terms.view_type,
            is_required: asked.attachment == TargetAttachmentType::Required,
            parameter: terms.parameter,
            values: if asked.values.is_empty() { terms.selectable_values } else { asked.values },
        });
    }
    Ok(found)
}

type Question = (i64, Asked, Terms, (TargetName, Option<String>));

/// The targets of services, in their order; with their placeholders. A service with the label for custom comments needs the
/// comments that it asks for.
async fn questions(db: &mut impl Source, ids: &[i64]) -> Result<Vec<Question>> {
    #[derive(sqlx::FromRow)]
    struct QuestionRow {
        service_id: i64,
        target_id: i64,
        attachment: TargetAttachmentType,
        given_values: String,
        name: String,
        view_type: ViewType,
        kind: TargetName,
        selectable_values: String,
        parameter: Option<PanelParameter>,
        placeholder: Option<String>,
    }
    let sql = Sql::new(
        "SELECT m.service_id, m.target_id,
           CASE WHEN m.attachment = 'optional' AND k.name = 'comment' AND EXISTS (SELECT 1 FROM service_labels y JOIN labels l ON l.id = y.label_id
             WHERE y.service_id = m.service_id AND l.is_custom_comments) THEN 'required' ELSE m.attachment END AS attachment, m.given_values, g.name, k.view_type, k.name AS kind, g.selectable_values, g.parameter,
           (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder
         FROM service_targets m JOIN targets g ON g.id = m.target_id JOIN target_types k ON k.id = g.target_type_id WHERE m.service_id IN ",
    );
    let rows: Vec<QuestionRow> =
        db.all(sql.ids(ids).push(" ORDER BY m.service_id, m.position, m.target_id")).await?;
    let question = |row: QuestionRow| {
        let selectable_values = list(&row.selectable_values);
        let (name, view_type, parameter) = (row.name, row.view_type, row.parameter);
        let terms = Terms { name, view_type, selectable_values, parameter };
        let values = list(&row.given_values);
        let asked = Asked { target_id: row.target_id, attachment: row.attachment, values };
        (row.service_id, asked, terms, (row.kind, row.placeholder))
    };
    Ok(rows.into_iter().map(question).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(
        name: &str,
        attachment: TargetAttachmentType,
        view_type: ViewType,
        own: &[&str],
    ) -> (Asked, Terms) {
        let values = own.iter().map(|value| (*value).to_owned()).collect();
        let selectable_values = ["DE", "FR", "US"].map(str::to_owned).to_vec();
        let terms = Terms { name: name.to_owned(), view_type, selectable_values, parameter: None };
        (Asked { target_id: 1, attachment, values }, terms)
    }

    #[test]
    fn an_order_answers_what_is_asked() {
        use TargetAttachmentType::{Fixed, Optional, Required};
        let kind = PanelServiceType::Default;
        let targets = vec![
            asks("Countries", Required, ViewType::Multiselect, &["DE", "FR"]),
            asks("Speed", Optional, ViewType::NumberInput, &[]),
            asks("Language", Fixed, ViewType::Select, &["US"]),
        ];
        let questions = Questions { kind, targets };
        let asking = Asking { service_id: 1, quantity: 10, may_leave: false };
        let pairs = |placed: Vec<Answer>| -> Vec<(String, String)> {
            placed.into_iter().map(|answer| (answer.name, answer.value)).collect()
        };
        let given = |all: &[(&str, &str)]| {
            let all: Vec<_> =
                all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            answers(&questions, &all, asking)
                .map(pairs)
                .map_err(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(given(&[]).unwrap_err(), ["targets.Countries"]);
        let wrong = [("Countries", "DE, US"), ("Speed", "fast"), ("Language", "DE"), ("Mood", "good")];
        let named = ["targets.Countries", "targets.Language", "targets.Mood", "targets.Speed"];
        assert_eq!(given(&wrong).unwrap_err(), named);
        let placed = given(&[("Countries", "DE, FR"), ("Speed", "")]).unwrap();
        assert_eq!(placed, [("Countries".into(), "DE, FR".into()), ("Language".into(), "US".into())]);
        let alone = answers(&questions, &[], Asking { may_leave: true, ..asking }).unwrap();
        assert_eq!(
            pairs(alone),
            [("Language".into(), "US".into())],
            "a content of a subscription answers nothing"
        );
    }

    #[test]
    fn a_type_counts_its_lines_and_sells_nothing_that_it_does_not_ask() {
        use TargetAttachmentType::Required;
        let (asked, terms) = asks("Remarks", Required, ViewType::Textarea, &[]);
        let terms = Terms { parameter: Some(PanelParameter::Comments), ..terms };
        let questions = Questions { kind: PanelServiceType::CustomComments, targets: vec![(asked, terms)] };
        let wrong = |questions: &Questions, quantity, text: &str| {
            let given = if text.is_empty() { vec![] } else { vec![("Remarks".to_owned(), text.to_owned())] };
            let asking = Asking { service_id: 1, quantity, may_leave: false };
            let judged = answers(questions, &given, asking).err();
            judged.map(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(wrong(&questions, 2, "one\ntwo"), None);
        for (quantity, text) in [(3, "one\ntwo"), (2, "")] {
            assert_eq!(wrong(&questions, quantity, text).unwrap(), ["targets.Remarks"]);
        }
        let unasked = Questions { kind: PanelServiceType::Poll, targets: vec![] };
        assert_eq!(wrong(&unasked, 1, "").unwrap(), ["service_id"]);
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
        let before =
            [Asked { target_id: 4, attachment: TargetAttachmentType::Optional, values: vec!["a".into()] }];
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
