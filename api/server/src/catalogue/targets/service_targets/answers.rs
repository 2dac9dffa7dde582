//! The order form of a service: the inputs that customers fill in, and the validation of their answers when they place an order.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, TargetId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::{RequestedTarget, TargetAttachmentType, TargetName, ViewType};
use panel_kernel::error::Result;
use serde::{Deserialize, Serialize};

use super::{ServiceTarget, TargetDefinition, check_value};
use crate::catalogue::delivery_checks::AnswerKind;
use crate::catalogue::targets::stored_texts::parse_list;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// A validated answer of a customer, or the fixed value that the service sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub target_id: TargetId,
    /// English name of the target when the order was placed.
    pub name: String,
    pub value: String,
}

/// The service and quantity of the order that the answers belong to.
#[derive(Debug, Clone, Copy)]
pub struct OrderedService {
    pub service_id: ServiceId,
    /// In units of the service.
    pub quantity: i64,
}

/// The form that a customer fills in to order a service.
#[derive(Debug, Clone)]
pub struct OrderForm {
    /// Service type as the reseller API defines it.
    pub kind: PanelServiceType,
    /// The inputs that customers fill in. Inputs with a fixed value are left out.
    pub targets: Vec<RequestedTarget>,
    /// Whether the form has every input that its service type requires. If not, the server rejects every order.
    pub is_orderable: bool,
}

/// An order form with all inputs, including those with a fixed value. Validates answers; [`Self::into_order_form`] removes the
/// fixed values.
#[derive(Debug, Clone)]
struct FormDefinition {
    service_type: PanelServiceType,
    inputs: Vec<FormInput>,
}

#[derive(Debug, Clone)]
struct FormInput {
    target: ServiceTarget,
    definition: TargetDefinition,
    /// In English.
    placeholder: Option<String>,
}

impl FormInput {
    /// Whether staff created this target for comments. A target that an import created has a parameter.
    fn is_custom_comments(&self) -> bool {
        self.definition.parameter.is_none() && self.definition.kind == TargetName::Comment
    }
}

// Rules

impl FormDefinition {
    /// A Default service whose custom target requires comments is sold as Custom Comments: the quantity must equal the number of
    /// comments, because otherwise customers would pay for more units than the external panel delivers. An input that the service
    /// type requires is required even if staff made it optional, because external panels reject an order without it.
    fn new(service_type: PanelServiceType, inputs: Vec<FormInput>) -> Self {
        let requires_comments = inputs.iter().any(|input| {
            input.target.attachment == TargetAttachmentType::Required && input.is_custom_comments()
        });
        let service_type = match service_type {
            PanelServiceType::Default if requires_comments => PanelServiceType::CustomComments,
            service_type => service_type,
        };
        let mut form = Self { service_type, inputs };
        for parameter in service_type.required_parameters() {
            if let Some(index) = form.position_of(*parameter)
                && form.inputs[index].target.attachment == TargetAttachmentType::Optional
            {
                form.inputs[index].target.attachment = TargetAttachmentType::Required;
            }
        }
        form
    }

    /// The position of the input for a parameter. A custom target for comments is the input for `comments`.
    fn position_of(&self, parameter: PanelParameter) -> Option<usize> {
        let with_parameter =
            self.inputs.iter().position(|input| input.definition.parameter == Some(parameter));
        with_parameter.or_else(|| {
            let is_comments = parameter == PanelParameter::Comments;
            self.inputs.iter().position(|input| is_comments && input.is_custom_comments())
        })
    }

    /// Returns the first parameter that the service type requires but that has no input.
    fn first_missing_parameter(&self) -> Option<PanelParameter> {
        let mut required_parameters = self.service_type.required_parameters().iter().copied();
        required_parameters.find(|parameter| self.position_of(*parameter).is_none())
    }

    fn into_order_form(self) -> OrderForm {
        let (kind, is_orderable) = (self.service_type, self.first_missing_parameter().is_none());
        let inputs = self.inputs.into_iter().filter(|input| !input.target.is_fixed());
        let to_requested_target = |FormInput { target, definition, placeholder }| RequestedTarget {
            name: definition.name,
            kind: definition.kind,
            placeholder,
            view_type: definition.view_type,
            is_required: target.attachment == TargetAttachmentType::Required,
            parameter: definition.parameter,
            values: if target.values.is_empty() { definition.selectable_values } else { target.values },
        };
        OrderForm { kind, targets: inputs.map(to_requested_target).collect(), is_orderable }
    }

    /// Validates the answers, which are pairs of target name and value, and adds the fixed values. The fields of errors are named
    /// `targets.NAME`.
    fn validate(
        &self,
        answers: &[(String, String)],
        ordered_service: OrderedService,
    ) -> Result<Vec<Answer>, FieldErrors> {
        let mut errors = FieldErrors::default();
        let mut valid_answers = Vec::new();
        for input in &self.inputs {
            let name = &input.definition.name;
            let text =
                answers.iter().find(|(answered_name, _)| answered_name == name).map(|(_, text)| text.trim());
            match validate_answer(input, text.filter(|text| !text.is_empty())) {
                Ok(Some(value)) => {
                    valid_answers.push(Answer {
                        target_id: input.target.target_id,
                        name: name.clone(),
                        value,
                    });
                }
                Ok(None) => {}
                Err(message) => errors.add(format!("targets.{name}"), message),
            }
        }
        let has_input = |name: &String| self.inputs.iter().any(|input| input.definition.name == *name);
        for (name, _) in answers.iter().filter(|(name, _)| !has_input(name)) {
            errors.add(format!("targets.{name}"), "The service does not ask for this. Leave it out.");
        }
        if errors.0.is_empty() {
            self.check_service_type_and_quantity(&mut errors, &valid_answers, ordered_service);
        }
        errors.into_result(valid_answers)
    }

    /// Checks that the valid answers fit the service type and the quantity. A service without an input that its type requires
    /// cannot be ordered, because no external panel would deliver the order. Customers see the message and cannot change the
    /// service.
    fn check_service_type_and_quantity(
        &self,
        errors: &mut FieldErrors,
        valid_answers: &[Answer],
        ordered_service: OrderedService,
    ) {
        if let Some(parameter) = self.first_missing_parameter() {
            let message = format!(
                "This service cannot be ordered now, because it does not ask for {}. Choose another service.",
                parameter.display_name()
            );
            errors.add("service_id", message);
            return;
        }
        let input_for = |parameter| self.position_of(parameter).map(|index| &self.inputs[index]);
        let answer_for = |parameter| {
            let target_id = input_for(parameter)?.target.target_id;
            valid_answers
                .iter()
                .find(|answer| answer.target_id == target_id)
                .map(|answer| answer.value.as_str())
        };
        if let Some((parameter, message)) = self.service_type.check(ordered_service.quantity, answer_for) {
            let name = input_for(parameter).map_or(parameter.as_str(), |input| &input.definition.name);
            errors.add(format!("targets.{name}"), message);
        }
    }
}

/// Returns the value of one input, `None` for an optional input without an answer, or an error message.
fn validate_answer(input: &FormInput, text: Option<&str>) -> Result<Option<String>, String> {
    let FormInput { target, definition, .. } = input;
    match (target.attachment, text) {
        (TargetAttachmentType::Fixed, None) => Ok(Some(target.values.join(", "))),
        (TargetAttachmentType::Fixed, Some(_)) => {
            Err(format!("The service sets {} itself. Leave it out.", definition.name))
        }
        (TargetAttachmentType::Required, None) => Err(format!("Enter {}.", definition.name)),
        (_, None) => Ok(None),
        (_, Some(text)) => {
            let choices =
                if target.values.is_empty() { &definition.selectable_values } else { &target.values };
            match definition.view_type {
                ViewType::Multiselect => {
                    text.split(',').try_for_each(|value| check_value(definition, choices, value.trim()))?;
                }
                _ => check_value(definition, choices, text)?,
            }
            Ok(Some(text.to_owned()))
        }
    }
}

// Store

/// Validates a customer's answers, which are pairs of target name and value, and returns the answers and fixed values to store with
/// the order.
pub async fn validate_answers(
    work: &mut UnitOfWork,
    ordered_service: OrderedService,
    answers: &[(String, String)],
) -> Result<Vec<Answer>> {
    match load_forms(work, &[ordered_service.service_id]).await?.remove(&ordered_service.service_id) {
        Some(form) => Ok(form.validate(answers, ordered_service)?),
        None => Ok(Vec::new()),
    }
}

/// Loads the forms of these orders (pairs of service and quantity) and returns the services that need an answer from the customer.
/// Such services cannot be used for orders that the server places by itself, for example for a subscription.
pub async fn load_services_requiring_answers(
    db: &mut impl SqlExecutor,
    orders: &[(ServiceId, i64)],
) -> Result<BTreeSet<ServiceId>> {
    let ids: Vec<ServiceId> = orders.iter().map(|(service, _)| *service).collect();
    let forms = load_forms(db, &ids).await?;
    let requires_answers = |(service_id, quantity): &(ServiceId, i64)| {
        let ordered_service = OrderedService { service_id: *service_id, quantity: *quantity };
        forms.get(service_id).is_some_and(|form| form.validate(&[], ordered_service).is_err())
    };
    Ok(orders.iter().filter(|order| requires_answers(order)).map(|(service, _)| *service).collect())
}

/// Loads the inputs that customers fill in, by service. Inputs with a fixed value are left out.
pub async fn load_requested_targets(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<RequestedTarget>>> {
    Ok(load_order_forms(db, ids).await?.into_iter().map(|(id, form)| (id, form.targets)).collect())
}

pub async fn load_order_forms(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, OrderForm>> {
    Ok(load_forms(db, ids).await?.into_iter().map(|(id, form)| (id, form.into_order_form())).collect())
}

/// Loads the kinds of answers that every order of a service has, because the input is required or has a fixed value.
pub async fn load_guaranteed_answers(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<AnswerKind>>> {
    let guaranteed_answer = |FormInput { target, definition, .. }: &FormInput| {
        (target.attachment != TargetAttachmentType::Optional)
            .then_some(AnswerKind { kind: definition.kind, parameter: definition.parameter })
    };
    let answer_kinds = |form: FormDefinition| form.inputs.iter().filter_map(guaranteed_answer).collect();
    Ok(load_forms(db, ids).await?.into_iter().map(|(id, form)| (id, answer_kinds(form))).collect())
}

#[derive(sqlx::FromRow)]
struct FormInputRow {
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

impl FormInputRow {
    fn into_input(self) -> FormInput {
        let target = ServiceTarget {
            target_id: self.target_id,
            attachment: self.attachment,
            values: parse_list(&self.given_values),
        };
        let definition = TargetDefinition {
            name: self.name,
            kind: self.kind,
            view_type: self.view_type,
            selectable_values: parse_list(&self.selectable_values),
            parameter: self.parameter,
        };
        FormInput { target, definition, placeholder: self.placeholder }
    }
}

/// Loads the forms of services with the inputs in display order. A service with the label for custom comments requires comments:
/// its own target for comments, or the built-in target for comments.
async fn load_forms(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, FormDefinition>> {
    let sql = Sql::new("SELECT id, panel_service_type FROM services WHERE id IN ").ids(ids);
    let service_types: Vec<(ServiceId, PanelServiceType)> = db.fetch_all(sql).await?;
    let sql = Sql::new(
        "SELECT m.service_id, m.target_id,
           CASE WHEN m.attachment = 'optional' AND k.name = 'comment' AND EXISTS (SELECT 1 FROM service_labels y JOIN labels l ON l.id = y.label_id
             WHERE y.service_id = m.service_id AND l.is_custom_comments) THEN 'required' ELSE m.attachment END AS attachment, m.given_values, g.name, k.view_type, k.name AS kind, g.selectable_values, g.parameter,
           (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder
         FROM service_targets m JOIN targets g ON g.id = m.target_id JOIN target_types k ON k.id = g.target_type_id WHERE m.service_id IN ",
    );
    let mut rows: Vec<FormInputRow> =
        db.fetch_all(sql.ids(ids).push(" ORDER BY m.service_id, m.position, m.target_id")).await?;
    rows.extend(load_inputs_of_custom_comments_label(db, ids).await?);
    let mut inputs: BTreeMap<ServiceId, Vec<FormInput>> = BTreeMap::new();
    for row in rows {
        inputs.entry(row.service_id).or_default().push(row.into_input());
    }
    let to_form = |(id, service_type): (ServiceId, PanelServiceType)| {
        (id, FormDefinition::new(service_type, inputs.remove(&id).unwrap_or_default()))
    };
    Ok(service_types.into_iter().map(to_form).collect())
}

/// Loads the built-in target for comments, for services that have the label for custom comments and no target for comments. The
/// result omits the parameter, so that the service is sold as Custom Comments, like a service with a custom target.
async fn load_inputs_of_custom_comments_label(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<Vec<FormInputRow>> {
    let sql = Sql::new(
        "SELECT y.service_id, g.id AS target_id, 'required' AS attachment, '[]' AS given_values, g.name, k.view_type, k.name AS kind, g.selectable_values,
           CAST(NULL AS TEXT) AS parameter,
           (SELECT x.value FROM translations x WHERE x.owner_type = 'target' AND x.owner_id = g.id AND x.locale = 'en' AND x.field = 'placeholder') AS placeholder
         FROM service_labels y JOIN labels l ON l.id = y.label_id JOIN targets g ON g.parameter = 'comments' JOIN target_types k ON k.id = g.target_type_id
         WHERE l.is_custom_comments AND NOT EXISTS (SELECT 1 FROM service_targets m JOIN targets o ON o.id = m.target_id
           JOIN target_types p ON p.id = o.target_type_id WHERE m.service_id = y.service_id AND p.name = 'comment') AND y.service_id IN ",
    );
    Ok(db.fetch_all(sql.ids(ids)).await?)
}

#[cfg(test)]
mod tests {
    use super::super::tests::create_target;
    use super::*;

    fn create_input(
        name: &str,
        attachment: TargetAttachmentType,
        view_type: ViewType,
        values: &[&str],
    ) -> FormInput {
        let (target, definition) = create_target(name, attachment, view_type, values);
        FormInput { target, definition, placeholder: None }
    }

    #[test]
    fn validates_answers_and_adds_fixed_values() {
        use TargetAttachmentType::{Fixed, Optional, Required};
        let inputs = vec![
            create_input("Countries", Required, ViewType::Multiselect, &["DE", "FR"]),
            create_input("Speed", Optional, ViewType::NumberInput, &[]),
            create_input("Language", Fixed, ViewType::Select, &["US"]),
        ];
        let form = FormDefinition::new(PanelServiceType::Default, inputs);
        let ordered_service = OrderedService { service_id: ServiceId::new(1), quantity: 10 };
        let names_and_values = |answers: Vec<Answer>| -> Vec<(String, String)> {
            answers.into_iter().map(|answer| (answer.name, answer.value)).collect()
        };
        let validate = |answers: &[(&str, &str)]| {
            let answers: Vec<_> =
                answers.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            form.validate(&answers, ordered_service)
                .map(names_and_values)
                .map_err(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(validate(&[]).unwrap_err(), ["targets.Countries"]);
        let invalid_answers =
            [("Countries", "DE, US"), ("Speed", "fast"), ("Language", "DE"), ("Mood", "good")];
        let expected_fields = ["targets.Countries", "targets.Language", "targets.Mood", "targets.Speed"];
        assert_eq!(validate(&invalid_answers).unwrap_err(), expected_fields);
        let valid = validate(&[("Countries", "DE, FR"), ("Speed", "")]).unwrap();
        assert_eq!(valid, [("Countries".into(), "DE, FR".into()), ("Language".into(), "US".into())]);
    }

    /// Validates an order with `text` as the answer `Remarks`, and returns the fields with errors; `None` if the order is valid.
    fn error_fields(form: &FormDefinition, quantity: i64, text: &str) -> Option<Vec<String>> {
        let answers = if text.is_empty() { vec![] } else { vec![("Remarks".to_owned(), text.to_owned())] };
        let ordered_service = OrderedService { service_id: ServiceId::new(1), quantity };
        form.validate(&answers, ordered_service).err().map(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn a_service_type_requires_its_parameters_and_one_line_per_unit() {
        use TargetAttachmentType::{Optional, Required};
        for attachment in [Required, Optional] {
            let mut remarks = create_input("Remarks", attachment, ViewType::Textarea, &[]);
            remarks.definition.parameter = Some(PanelParameter::Comments);
            let form = FormDefinition::new(PanelServiceType::CustomComments, vec![remarks]);
            assert_eq!(error_fields(&form, 2, "one\ntwo"), None);
            for (quantity, text) in [(3, "one\ntwo"), (2, "")] {
                assert_eq!(error_fields(&form, quantity, text).unwrap(), ["targets.Remarks"]);
            }
            let form = form.into_order_form();
            assert!(form.is_orderable && form.targets[0].is_required, "{attachment}");
        }
        let without_inputs = FormDefinition::new(PanelServiceType::Poll, vec![]);
        assert_eq!(error_fields(&without_inputs, 1, "").unwrap(), ["service_id"]);
        assert!(!without_inputs.into_order_form().is_orderable);
    }

    #[test]
    fn a_default_service_that_requires_comments_is_sold_as_custom_comments() {
        use TargetAttachmentType::{Optional, Required};
        let form = |attachment| {
            let mut remarks = create_input("Remarks", attachment, ViewType::Textarea, &[]);
            remarks.definition.kind = TargetName::Comment;
            FormDefinition::new(PanelServiceType::Default, vec![remarks])
        };
        assert_eq!(form(Required).service_type, PanelServiceType::CustomComments);
        assert_eq!(error_fields(&form(Required), 5, "one\ntwo").unwrap(), ["targets.Remarks"]);
        assert_eq!(error_fields(&form(Required), 2, "one\ntwo"), None);
        let optional = form(Optional);
        assert_eq!(
            (optional.service_type, error_fields(&optional, 5, "")),
            (PanelServiceType::Default, None)
        );
    }
}
