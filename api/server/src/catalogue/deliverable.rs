//! Which providers can deliver which orders. An external panel refuses an order without the parameters that its service type
//! requires, so a provider of that type serves only services that ask their customers for them, and only orders that have the
//! answers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, OrderId, ProviderId, ServiceId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::TargetName;
use panel_kernel::error::Result;

use crate::catalogue::targets::service_targets;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// The kind of an answer that an order has; the text of the answer does not matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct AnswerKind {
    /// The kind of the target that the customer answered.
    pub kind: TargetName,
    /// The parameter of the reseller API; `None` for a target that staff created.
    pub parameter: Option<PanelParameter>,
}

// Rules

/// Whether a panel can deliver an order with these answers by a service of this type. `panel_type` is the type as the panel names
/// it.
///
/// # Errors The reason, as the end of a sentence about the panel's service.
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
    let is_missing = |parameter: &PanelParameter| !has_default(*parameter) && !has_answer(*parameter);
    match kind.required_parameters().iter().copied().find(is_missing) {
        Some(parameter) => {
            let name = parameter.display_name().to_lowercase();
            Err(format!("has the type {kind} and needs {name}, which the service does not ask customers for"))
        }
        None => Ok(()),
    }
}

/// Whether the dispatcher sends a default value if the order has no answer.
fn has_default(parameter: PanelParameter) -> bool {
    matches!(parameter, PanelParameter::Country | PanelParameter::Device | PanelParameter::TypeOfTraffic)
}

// Store

/// A provider's service at its panel, as the last import or sync listed it.
#[derive(Debug, sqlx::FromRow)]
struct ProviderServiceType {
    id: ProviderId,
    name: String,
    /// The type of the service as the panel names it.
    panel_type: String,
}

/// The service types by provider. A provider is absent until an import or sync lists its service.
async fn load_types(
    db: &mut impl Source,
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

/// Checks links of services to providers after the caller wrote them. A provider that cannot deliver its service is an error of
/// `field`.
pub async fn check(work: &mut UnitOfWork, field: &str, links: &[(ServiceId, ProviderId)]) -> Result<()> {
    fn without_duplicates<I: Id>(ids: Vec<I>) -> Vec<I> {
        ids.into_iter().collect::<BTreeSet<I>>().into_iter().collect()
    }
    let providers = without_duplicates(links.iter().map(|(_, provider)| *provider).collect());
    if providers.is_empty() {
        return Ok(());
    }
    let types = load_types(work, &providers).await?;
    let services = without_duplicates(links.iter().map(|(service, _)| *service).collect());
    let guaranteed_answers = service_targets::load_guaranteed_answers(work, &services).await?;
    let mut errors = FieldErrors::default();
    for (service, provider) in links {
        let Some(listed) = types.get(provider) else { continue };
        let answers = guaranteed_answers.get(service).map_or(&[][..], Vec::as_slice);
        if let Err(reason) = check_deliverable(&listed.panel_type, answers) {
            let message = format!(
                "{} cannot deliver service {service}: its service at the panel {reason}. Add a required target to service {service}, or choose another provider.",
                listed.name
            );
            errors.add(field, message);
        }
    }
    Ok(errors.into_result(())?)
}

/// The kinds of answers that orders have, by order.
pub async fn load_answers(
    db: &mut impl Source,
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

/// The reasons why the provider cannot deliver these orders, by order. Orders that it can deliver are absent.
pub async fn reasons_against(
    db: &mut impl Source,
    provider: ProviderId,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, String>> {
    let types = load_types(db, &[provider]).await?;
    let Some(listed) = types.get(&provider) else { return Ok(HashMap::new()) };
    if check_deliverable(&listed.panel_type, &[]).is_ok() {
        return Ok(HashMap::new());
    }
    let answers = load_answers(db, orders).await?;
    let reason = |order: &OrderId| {
        let order_answers = answers.get(order).map_or(&[][..], Vec::as_slice);
        check_deliverable(&listed.panel_type, order_answers).err().map(|reason| {
            (*order, format!("{} cannot deliver this order: its service at the panel {reason}.", listed.name))
        })
    };
    Ok(orders.iter().filter_map(reason).collect())
}

/// The providers among these that cannot deliver an order.
pub async fn providers_unable_to_deliver(
    db: &mut impl Source,
    order: OrderId,
    providers: &[ProviderId],
) -> Result<BTreeSet<ProviderId>> {
    let types = load_types(db, providers).await?;
    let answers = load_answers(db, &[order]).await?;
    let answers = answers.get(&order).map_or(&[][..], Vec::as_slice);
    let unable = types.values().filter(|listed| check_deliverable(&listed.panel_type, answers).is_err());
    Ok(unable.map(|listed| listed.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: TargetName, parameter: Option<PanelParameter>) -> AnswerKind {
        AnswerKind { kind, parameter }
    }

    #[test]
    fn a_panel_delivers_only_orders_with_the_required_answers() {
        let comments = [answer(TargetName::Comment, None)];
        for panel_type in ["", "Default", "Package", "web traffic"] {
            assert_eq!(check_deliverable(panel_type, &[]), Ok(()), "{panel_type}");
        }
        let reason =
            "has the type Custom Comments and needs comments, which the service does not ask customers for";
        assert_eq!(check_deliverable("Custom Comments", &[]), Err(reason.into()));
        assert_eq!(check_deliverable("Custom Comments", &comments), Ok(()));
        assert!(check_deliverable("Comment Replies", &comments).is_err(), "the username is missing");
        let hashtag = [answer(TargetName::Keyword, Some(PanelParameter::Hashtag))];
        assert!(check_deliverable("Comment Likes", &hashtag).is_err(), "a hashtag is no username");
        assert_eq!(check_deliverable("Mentions Hashtag", &hashtag), Ok(()));
        assert!(check_deliverable("Subscriptions", &[]).is_err(), "never delivered as an order");
        assert!(check_deliverable("Something New", &[]).is_err(), "an unknown type");
    }
}
