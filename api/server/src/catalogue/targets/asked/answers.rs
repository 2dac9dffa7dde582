//! What a service is sold as, what it asks then, and the answers of an order, judged when it is placed.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, TargetId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::{AskedTarget, TargetAttachmentType, TargetName, ViewType};
use panel_kernel::error::Result;
use serde::{Deserialize, Serialize};

use super::{ServiceTarget, TargetDefinition, takes};
use crate::catalogue::deliverable::Answered;
use crate::catalogue::targets::words::list;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// What a customer answered to a target, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Id of the target.
    pub target_id: TargetId,
    /// English name of the target when the customer answered.
    pub name: String,
    /// The customer's answer as text.
    pub value: String,
}

/// The order that answers belong to.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// Id of the service.
    pub service_id: ServiceId,
    /// Ordered quantity in units.
    pub quantity: i64,
}

/// What a service is sold as and asks its customers.
#[derive(Debug, Clone)]
pub struct SoldAs {
    /// The service's type in the words of the reseller API.
    pub kind: PanelServiceType,
    /// What it asks, except the values that the service fixes.
    pub targets: Vec<AskedTarget>,
    /// Whether it asks for everything that its type needs; an order of one that does not is refused.
    pub is_orderable: bool,
}

/// What a service asks, as an order is judged by it.
#[derive(Debug, Clone)]
struct Questions {
    kind: PanelServiceType,
    targets: Vec<(ServiceTarget, TargetDefinition)>,
    /// Placeholders of the targets, in their order.
    placeholders: Vec<Option<String>>,
}

// Rules

impl Questions {
    /// What a service of the type `kind` with these targets is sold as. A Default service whose own target requires comments
    /// is sold as Custom Comments: its quantity is the number of comments, or customers would pay for more than is sent. A
    /// type's required parameter stays required, however staff attached its target: panels refuse an order without it.
    fn new(
        kind: PanelServiceType,
        targets: Vec<(ServiceTarget, TargetDefinition)>,
        placeholders: Vec<Option<String>>,
    ) -> Self {
        let asks_comments = targets.iter().any(|(asked, terms)| {
            asked.attachment == TargetAttachmentType::Required
                && terms.parameter.is_none()
                && terms.kind == TargetName::Comment
        });
        let kind = match kind {
            PanelServiceType::Default if asks_comments => PanelServiceType::CustomComments,
            kind => kind,
        };
        let mut questions = Self { kind, targets, placeholders };
        for parameter in kind.required() {
            if let Some(at) = questions.answering(*parameter)
                && questions.targets[at].0.attachment == TargetAttachmentType::Optional
            {
                questions.targets[at].0.attachment = TargetAttachmentType::Required;
            }
        }
        questions
    }

    /// The position of the target that answers a parameter; a target of staff's own for comments answers `comments`.
    fn answering(&self, parameter: PanelParameter) -> Option<usize> {
        let by_name = self.targets.iter().position(|(_, terms)| terms.parameter == Some(parameter));
        by_name.or_else(|| {
            self.targets.iter().position(|(_, terms)| {
                parameter == PanelParameter::Comments
                    && terms.parameter.is_none()
                    && terms.kind == TargetName::Comment
            })
        })
    }

    /// A parameter that the type needs and no target asks for.
    fn unasked(&self) -> Option<PanelParameter> {
        self.kind.required().iter().copied().find(|parameter| self.answering(*parameter).is_none())
    }

    fn sold(self) -> SoldAs {
        let (kind, is_orderable) = (self.kind, self.unasked().is_none());
        let asked = self.targets.into_iter().zip(self.placeholders);
        let asked = asked.filter(|((asked, _), _)| asked.attachment != TargetAttachmentType::Fixed);
        let shown = |((asked, terms), placeholder): ((ServiceTarget, TargetDefinition), Option<String>)| {
            AskedTarget {
                name: terms.name,
                kind: terms.kind,
                placeholder,
                view_type: terms.view_type,
                is_required: asked.attachment == TargetAttachmentType::Required,
                parameter: terms.parameter,
                values: if asked.values.is_empty() { terms.selectable_values } else { asked.values },
            }
        };
        SoldAs { kind, targets: asked.map(shown).collect(), is_orderable }
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
        match answer(one, terms, text.filter(|text| !text.is_empty())) {
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
fn answer(
    one: &ServiceTarget,
    terms: &TargetDefinition,
    text: Option<&str>,
) -> Result<Option<String>, String> {
    match (one.attachment, text) {
        (TargetAttachmentType::Fixed, None) => Ok(Some(one.values.join(", "))),
        (TargetAttachmentType::Fixed, Some(_)) => {
            Err(format!("{} is the service's own; leave it out.", terms.name))
        }
        (TargetAttachmentType::Required, None) => Err(format!("Give {}.", terms.name)),
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
/// sold: its orders would never be delivered. The sentence is for customers, who cannot mend the service.
fn together(errors: &mut FieldErrors, questions: &Questions, placed: &[Answer], asking: Asking) {
    if let Some(parameter) = questions.unasked() {
        let message = format!(
            "This service cannot be ordered now, as it does not ask for {}; choose another.",
            parameter.texts().0
        );
        errors.add("service_id", message);
        return;
    }
    let of = |parameter| questions.answering(parameter).map(|at| &questions.targets[at]);
    let answer = |parameter| {
        let (asked, _) = of(parameter)?;
        placed.iter().find(|answer| answer.target_id == asked.target_id).map(|answer| answer.value.as_str())
    };
    if let Some((parameter, message)) = questions.kind.check(asking.quantity, answer) {
        let name = of(parameter).map_or(parameter.as_str(), |(_, terms)| &terms.name);
        errors.add(format!("targets.{name}"), message);
    }
}

// Store

/// The answers that an order of a service is placed with.
pub async fn judge(work: &mut UnitOfWork, asking: Asking, given: &[(String, String)]) -> Result<Vec<Answer>> {
    match questions(work, &[asking.service_id]).await?.remove(&asking.service_id) {
        Some(questions) => Ok(answers(&questions, given, asking)?),
        None => Ok(Vec::new()),
    }
}

/// Those of these orders, as service and quantity, that could not be placed without an answer: what orders by itself, as a
/// subscription does, has none to give.
pub async fn unanswerable(db: &mut impl Source, orders: &[(ServiceId, i64)]) -> Result<BTreeSet<ServiceId>> {
    let ids: Vec<ServiceId> = orders.iter().map(|(service, _)| *service).collect();
    let questions = questions(db, &ids).await?;
    let needs = |(service_id, quantity): &(ServiceId, i64)| {
        let asking = Asking { service_id: *service_id, quantity: *quantity };
        questions.get(service_id).is_some_and(|questions| answers(questions, &[], asking).is_err())
    };
    Ok(orders.iter().filter(|order| needs(order)).map(|(service, _)| *service).collect())
}

/// What services ask for, by service: for forms. What is fixed is not asked.
pub async fn of_services(
    db: &mut impl Source,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<AskedTarget>>> {
    Ok(sold_as(db, ids).await?.into_iter().map(|(id, sold)| (id, sold.targets)).collect())
}

/// What services are sold as, by service, and what each asks.
pub async fn sold_as(db: &mut impl Source, ids: &[ServiceId]) -> Result<BTreeMap<ServiceId, SoldAs>> {
    Ok(questions(db, ids).await?.into_iter().map(|(id, questions)| (id, questions.sold())).collect())
}

#[derive(sqlx::FromRow)]
struct QuestionRow {
    service_id: ServiceId,
    target_id: TargetId,
    attachment: TargetAttachmentType,
    given_values: String,
    name: String,
    view_type: ViewType,
    kind: TargetName,
    selectable_values: String,
    parameter: Option<PanelParameter>,
    placeholder: Option<String>,
}

/// What every order of these services has an answer to, by service.
pub async fn surely_answered(
    db: &mut impl Source,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<Answered>>> {
    let sure = |(asked, terms): &(ServiceTarget, TargetDefinition)| {
        (asked.attachment != TargetAttachmentType::Optional)
            .then_some(Answered { kind: terms.kind, parameter: terms.parameter })
    };
    let of = |questions: Questions| questions.targets.iter().filter_map(sure).collect();
    Ok(questions(db, ids).await?.into_iter().map(|(id, questions)| (id, of(questions))).collect())
}

/// The targets of a service, and the placeholder of each.
type AskedOfService = (Vec<(ServiceTarget, TargetDefinition)>, Vec<Option<String>>);

/// What services ask, by service: their targets in their order. A service with the label for custom comments needs
/// comments: those that it asks for, else the panel's own target for them.
async fn questions(db: &mut impl Source, ids: &[ServiceId]) -> Result<BTreeMap<ServiceId, Questions>> {
    let sql = Sql::new("SELECT id, panel_service_type FROM services WHERE id IN ").ids(ids);
    let kinds: Vec<(ServiceId, PanelServiceType)> = db.all(sql).await?;
    let sql = Sql::new(
        "SELECT m.service_id, m.target_id,
           CASE WHEN m.attachment = 'optional' AND k.name = 'comment' AND EXISTS (SELECT 1 FROM service_labels y JOIN labels l ON l.id = y.label_id
             WHERE y.service_id = m.service_id AND l.is_custom_comments) THEN 'required' ELSE m.attachment END AS attachment, m.given_values, g.name, k.view_type, k.name AS kind, g.selectable_values, g.parameter,
           (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder
         FROM service_targets m JOIN targets g ON g.id = m.target_id JOIN target_types k ON k.id = g.target_type_id WHERE m.service_id IN ",
    );
    let mut rows: Vec<QuestionRow> =
        db.all(sql.ids(ids).push(" ORDER BY m.service_id, m.position, m.target_id")).await?;
    rows.extend(asked_by_label(db, ids).await?);
    let mut asked: BTreeMap<ServiceId, AskedOfService> = BTreeMap::new();
    for row in rows {
        let selectable_values = list(&row.selectable_values);
        let (name, kind, view_type, parameter) = (row.name, row.kind, row.view_type, row.parameter);
        let terms = TargetDefinition { name, kind, view_type, selectable_values, parameter };
        let values = list(&row.given_values);
        let of_service = asked.entry(row.service_id).or_default();
        of_service
            .0
            .push((ServiceTarget { target_id: row.target_id, attachment: row.attachment, values }, terms));
        of_service.1.push(row.placeholder);
    }
    let of_service = |(id, kind): (ServiceId, PanelServiceType)| {
        let (targets, placeholders) = asked.remove(&id).unwrap_or_default();
        (id, Questions::new(kind, targets, placeholders))
    };
    Ok(kinds.into_iter().map(of_service).collect())
}

/// The panel's own target for comments, asked by services that have the label for custom comments and no target for
/// comments. Its parameter is left out: as with a target of staff's own, the service is sold as Custom Comments.
async fn asked_by_label(db: &mut impl Source, ids: &[ServiceId]) -> Result<Vec<QuestionRow>> {
    let sql = Sql::new(
        "SELECT y.service_id, g.id AS target_id, 'required' AS attachment, '[]' AS given_values, g.name, k.view_type, k.name AS kind, g.selectable_values,
           CAST(NULL AS TEXT) AS parameter,
           (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder
         FROM service_labels y JOIN labels l ON l.id = y.label_id JOIN targets g ON g.parameter = 'comments' JOIN target_types k ON k.id = g.target_type_id
         WHERE l.is_custom_comments AND NOT EXISTS (SELECT 1 FROM service_targets m JOIN targets o ON o.id = m.target_id
           JOIN target_types p ON p.id = o.target_type_id WHERE m.service_id = y.service_id AND p.name = 'comment') AND y.service_id IN ",
    );
    Ok(db.all(sql.ids(ids)).await?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::asks;
    use super::*;

    #[test]
    fn an_order_answers_what_is_asked() {
        use TargetAttachmentType::{Fixed, Optional, Required};
        let kind = PanelServiceType::Default;
        let targets = vec![
            asks("Countries", Required, ViewType::Multiselect, &["DE", "FR"]),
            asks("Speed", Optional, ViewType::NumberInput, &[]),
            asks("Language", Fixed, ViewType::Select, &["US"]),
        ];
        let questions = Questions::new(kind, targets, vec![None; 3]);
        let asking = Asking { service_id: ServiceId::new(1), quantity: 10 };
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
    }

    /// The fields that an order with `text` under `Remarks` gets wrong.
    fn wrong(questions: &Questions, quantity: i64, text: &str) -> Option<Vec<String>> {
        let given = if text.is_empty() { vec![] } else { vec![("Remarks".to_owned(), text.to_owned())] };
        let judged = answers(questions, &given, Asking { service_id: ServiceId::new(1), quantity }).err();
        judged.map(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn a_type_counts_its_lines_and_sells_nothing_that_it_does_not_ask() {
        use TargetAttachmentType::{Optional, Required};
        for attachment in [Required, Optional] {
            let (asked, terms) = asks("Remarks", attachment, ViewType::Textarea, &[]);
            let terms = TargetDefinition { parameter: Some(PanelParameter::Comments), ..terms };
            let questions =
                Questions::new(PanelServiceType::CustomComments, vec![(asked, terms)], vec![None]);
            assert_eq!(wrong(&questions, 2, "one\ntwo"), None);
            for (quantity, text) in [(3, "one\ntwo"), (2, "")] {
                assert_eq!(wrong(&questions, quantity, text).unwrap(), ["targets.Remarks"]);
            }
            let sold = questions.sold();
            assert!(sold.is_orderable && sold.targets[0].is_required, "{attachment}");
        }
        let unasked = Questions::new(PanelServiceType::Poll, vec![], vec![]);
        assert_eq!(wrong(&unasked, 1, "").unwrap(), ["service_id"]);
        assert!(!unasked.sold().is_orderable);
    }

    #[test]
    fn a_default_service_that_requires_comments_is_sold_as_custom_comments() {
        use TargetAttachmentType::{Optional, Required};
        let of = |attachment| {
            let (asked, terms) = asks("Remarks", attachment, ViewType::Textarea, &[]);
            let terms = TargetDefinition { kind: TargetName::Comment, ..terms };
            Questions::new(PanelServiceType::Default, vec![(asked, terms)], vec![None])
        };
        assert_eq!(of(Required).kind, PanelServiceType::CustomComments);
        assert_eq!(wrong(&of(Required), 5, "one\ntwo").unwrap(), ["targets.Remarks"]);
        assert_eq!(wrong(&of(Required), 2, "one\ntwo"), None);
        assert_eq!((of(Optional).kind, wrong(&of(Optional), 5, "")), (PanelServiceType::Default, None));
    }
}
