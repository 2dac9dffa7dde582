//! Checks which providers can deliver which orders. An external panel rejects an order that lacks a parameter which the type of its
//! service requires. A provider with such a type can therefore deliver only services that ask customers for these parameters, and
//! only orders that have the answers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, OrderId, ProviderId, ServiceId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::TargetName;
use panel_kernel::error::Result;

use crate::catalogue::targets::service_targets;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// The kind of an answer in an order, without the value that the customer entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct AnswerKind {
    /// The kind of the target that the customer answered.
    pub kind: TargetName,
    /// The parameter of the reseller API; `None` for a target that staff created.
    pub parameter: Option<PanelParameter>,
}

// Rules

/// Checks whether an external panel can deliver an order with these answers by a service of this type. `panel_type` is the type as
/// a string of the external panel.
///
/// # Errors The reason, as the end of a sentence whose subject is the external panel's service.
pub fn check_deliverable(panel_type: &str, answers: &[AnswerKind]) -> std::result::Result<(), String> {
    let kind = PanelServiceType::parse(panel_type)
        .ok_or_else(|| format!("has the type {panel_type}, which is not supported"))?;
    if let Some(reason) = kind.reason_not_sellable() {
        return Err(format!("has the type {kind}: {reason}"));
    }
    let has_answer = |parameter: PanelParameter| {
        answers.iter().any(|answer| match answer.parameter {
            Some(answered) => answered == parameter,
            None => parameter.supplying_targets().contains(&answer.kind),
        })
    };
    let is_missing = |parameter: &PanelParameter| !has_default_value(*parameter) && !has_answer(*parameter);
    match kind.required_parameters().iter().copied().find(is_missing) {
        Some(parameter) => {
            let name = parameter.display_name().to_lowercase();
            Err(format!("has the type {kind} and needs {name}, which the service does not ask customers for"))
        }
        None => Ok(()),
    }
}

/// Whether the dispatcher sends a default value for this parameter if the order has no answer.
fn has_default_value(parameter: PanelParameter) -> bool {
    matches!(parameter, PanelParameter::Country | PanelParameter::Device | PanelParameter::TypeOfTraffic)
}

// Store

/// The type of a provider's service at its external panel, as the last import or sync stored it.
#[derive(Debug, sqlx::FromRow)]
struct ProviderServiceType {
    id: ProviderId,
    name: String,
    /// The type as a string of the external panel.
    panel_type: String,
}

/// Loads the service types by provider. A provider is absent until an import or sync has stored its service.
async fn load_provider_service_types(
    db: &mut impl SqlExecutor,
    providers: &[ProviderId],
) -> Result<BTreeMap<ProviderId, ProviderServiceType>> {
    if providers.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = Sql::new(
        "SELECT p.id, p.name, k.type AS panel_type FROM providers p JOIN external_panel_services k
           ON k.external_panel_id = p.external_panel_id AND k.external_panel_service_id = p.external_panel_service_id WHERE p.id IN ",
    );
    let rows: Vec<ProviderServiceType> = db.fetch_all(sql.ids(providers)).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Checks links of services to providers after the caller wrote the links. Adds an error to `field` for each provider that cannot
/// deliver its service.
pub async fn check_provider_links(
    work: &mut UnitOfWork,
    field: &str,
    links: &[(ServiceId, ProviderId)],
) -> Result<()> {
    fn without_duplicates<I: Id>(ids: Vec<I>) -> Vec<I> {
        ids.into_iter().collect::<BTreeSet<I>>().into_iter().collect()
    }
    let providers = without_duplicates(links.iter().map(|(_, provider)| *provider).collect());
    if providers.is_empty() {
        return Ok(());
    }
    let types = load_provider_service_types(work, &providers).await?;
    let services = without_duplicates(links.iter().map(|(service, _)| *service).collect());
    let guaranteed_answers = service_targets::load_guaranteed_answers(work, &services).await?;
    let mut errors = FieldErrors::default();
    for (service, provider) in links {
        let Some(service_type) = types.get(provider) else { continue };
        let answers = guaranteed_answers.get(service).map_or(&[][..], Vec::as_slice);
        if let Err(reason) = check_deliverable(&service_type.panel_type, answers) {
            let message = format!(
                "{} cannot deliver service {service}: its service at the external panel {reason}. Add a required target to service {service}, or choose another provider.",
                service_type.name
            );
            errors.add(field, message);
        }
    }
    Ok(errors.into_result(())?)
}

/// Loads the kinds of the answers in these orders.
pub async fn load_answer_kinds(
    db: &mut impl SqlExecutor,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, Vec<AnswerKind>>> {
    #[derive(sqlx::FromRow)]
    struct AnswerRow {
        order_id: OrderId,
        #[sqlx(flatten)]
        answer: AnswerKind,
    }
    let sql = Sql::new(
        "SELECT v.order_id, y.name AS kind, t.parameter FROM order_targetable_values v JOIN targets t ON t.id = v.target_id
         JOIN target_types y ON y.id = t.target_type_id WHERE trim(v.value) <> '' AND v.order_id IN ",
    );
    let rows: Vec<AnswerRow> = db.fetch_all(sql.ids(orders).push(" ORDER BY v.id")).await?;
    let mut answers: HashMap<OrderId, Vec<AnswerKind>> = HashMap::new();
    for row in rows {
        answers.entry(row.order_id).or_default().push(row.answer);
    }
    Ok(answers)
}

/// Loads the reasons why the provider cannot deliver these orders. Orders that the provider can deliver are absent from the result.
pub async fn load_reasons_against_delivery(
    db: &mut impl SqlExecutor,
    provider: ProviderId,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, String>> {
    let types = load_provider_service_types(db, &[provider]).await?;
    let Some(service_type) = types.get(&provider) else { return Ok(HashMap::new()) };
    if check_deliverable(&service_type.panel_type, &[]).is_ok() {
        return Ok(HashMap::new());
    }
    let answers = load_answer_kinds(db, orders).await?;
    let order_with_reason = |order: &OrderId| {
        let order_answers = answers.get(order).map_or(&[][..], Vec::as_slice);
        check_deliverable(&service_type.panel_type, order_answers).err().map(|reason| {
            (
                *order,
                format!(
                    "{} cannot deliver this order: its service at the external panel {reason}.",
                    service_type.name
                ),
            )
        })
    };
    Ok(orders.iter().filter_map(order_with_reason).collect())
}

/// Returns those of `providers` that cannot deliver the order.
pub async fn load_providers_unable_to_deliver(
    db: &mut impl SqlExecutor,
    order: OrderId,
    providers: &[ProviderId],
) -> Result<BTreeSet<ProviderId>> {
    let types = load_provider_service_types(db, providers).await?;
    let answers = load_answer_kinds(db, &[order]).await?;
    let answers = answers.get(&order).map_or(&[][..], Vec::as_slice);
    let unable_providers =
        types.values().filter(|service_type| check_deliverable(&service_type.panel_type, answers).is_err());
    Ok(unable_providers.map(|service_type| service_type.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: TargetName, parameter: Option<PanelParameter>) -> AnswerKind {
        AnswerKind { kind, parameter }
    }

    #[test]
    fn an_external_panel_delivers_only_orders_with_the_required_answers() {
        let comments = [answer(TargetName::Comment, None)];
        for panel_type in ["", "Default", "Package", "web traffic"] {
            assert_eq!(check_deliverable(panel_type, &[]), Ok(()), "{panel_type}");
        }
        let reason =
            "has the type Custom Comments and needs comments, which the service does not ask customers for";
        assert_eq!(check_deliverable("Custom Comments", &[]), Err(reason.into()));
        assert_eq!(check_deliverable("Custom Comments", &comments), Ok(()));
        assert!(
            check_deliverable("Comment Replies", &comments).is_err(),
            "comment replies without a username must be rejected"
        );
        let hashtag = [answer(TargetName::Keyword, Some(PanelParameter::Hashtag))];
        assert!(
            check_deliverable("Comment Likes", &hashtag).is_err(),
            "a hashtag must not count as a username"
        );
        assert_eq!(check_deliverable("Mentions Hashtag", &hashtag), Ok(()));
        assert!(
            check_deliverable("Subscriptions", &[]).is_err(),
            "a subscription must not be delivered as an order"
        );
        assert!(check_deliverable("Something New", &[]).is_err(), "an unknown type must be rejected");
    }
}
