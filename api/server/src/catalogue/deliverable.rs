//! Which services of external panels deliver which orders: a panel refuses an order without what its type needs, so a
//! provider of such a type serves only services that ask their customers for it, and only orders that have it. The rule is
//! pure; the checks below it read what it looks at.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, OrderId, ProviderId, ServiceId};
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType};
use panel_contract::targets::TargetName;
use panel_kernel::error::Result;

use crate::catalogue::targets::asked;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// An answer that goes with an order: the kind of the target that asked for it, and the parameter that the target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Answered {
    /// Kind of the target.
    pub kind: TargetName,
    /// The parameter that it asks for; none for a target of staff's own.
    pub parameter: Option<PanelParameter>,
}

// Rules

/// Whether a panel's service of this type, in the panel's word for it, delivers orders that have these answers.
///
/// # Errors
/// Why not, as the end of a sentence about the panel's service.
pub fn deliverable(word: &str, answered: &[Answered]) -> std::result::Result<(), String> {
    let kind = PanelServiceType::parse(word)
        .ok_or_else(|| format!("is of the type {word}, which this panel does not know"))?;
    if let Some(reason) = kind.refusal() {
        return Err(format!("is of the type {kind}: {reason}"));
    }
    let has = |parameter: PanelParameter| {
        answered.iter().any(|answer| match answer.parameter {
            Some(named) => named == parameter,
            None => parameter.answered_by().contains(&answer.kind),
        })
    };
    let is_missing = |parameter: &PanelParameter| !has_default(*parameter) && !has(*parameter);
    match kind.required().iter().copied().find(is_missing) {
        Some(parameter) => {
            let name = parameter.texts().0.to_lowercase();
            Err(format!("is of the type {kind} and needs {name}, which nothing asks for"))
        }
        None => Ok(()),
    }
}

/// Whether the dispatcher sends a usual value where there is no answer, as it does for visits.
fn has_default(parameter: PanelParameter) -> bool {
    matches!(parameter, PanelParameter::Country | PanelParameter::Device | PanelParameter::TypeOfTraffic)
}

// Store

/// A provider's service at its panel, as the last import or sync listed it.
#[derive(Debug, sqlx::FromRow)]
struct ListedType {
    id: ProviderId,
    name: String,
    word: String,
}

/// Types of the panels' services by provider. A service that was not listed yet has none: nothing is known of it.
async fn types(db: &mut impl Source, providers: &[ProviderId]) -> Result<BTreeMap<ProviderId, ListedType>> {
    if providers.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = Sql::new(
        "SELECT p.id, p.name, k.type AS word FROM providers p JOIN external_panel_services k
           ON k.external_panel_id = p.external_panel_id AND k.external_panel_service_id = p.external_panel_service_id WHERE p.id IN ",
    );
    let rows: Vec<ListedType> = db.all(sql.ids(providers)).await?;
    Ok(rows.into_iter().map(|listed| (listed.id, listed)).collect())
}

/// Refuses, in the field `field`, what cannot be delivered of these links, as service and provider, which the caller wrote.
pub async fn check(work: &mut UnitOfWork, field: &str, links: &[(ServiceId, ProviderId)]) -> Result<()> {
    fn once<I: Id>(ids: Vec<I>) -> Vec<I> {
        ids.into_iter().collect::<BTreeSet<I>>().into_iter().collect()
    }
    let providers = once(links.iter().map(|(_, provider)| *provider).collect());
    if providers.is_empty() {
        return Ok(());
    }
    let types = types(work, &providers).await?;
    let services = once(links.iter().map(|(service, _)| *service).collect());
    let asked = asked::surely_answered(work, &services).await?;
    let mut errors = FieldErrors::default();
    for (service, provider) in links {
        let Some(listed) = types.get(provider) else { continue };
        let answered = asked.get(service).map_or(&[][..], Vec::as_slice);
        if let Err(reason) = deliverable(&listed.word, answered) {
            let message = format!(
                "{} cannot deliver service {service}: its service at the panel {reason}. Let service {service} ask for it as required, or choose another provider.",
                listed.name
            );
            errors.add(field, message);
        }
    }
    Ok(errors.or(())?)
}

/// The answers of orders, by order.
pub async fn answers(db: &mut impl Source, orders: &[OrderId]) -> Result<HashMap<OrderId, Vec<Answered>>> {
    #[derive(sqlx::FromRow)]
    struct AnswerRow {
        order_id: OrderId,
        #[sqlx(flatten)]
        answered: Answered,
    }
    let sql = Sql::new(
        "SELECT v.order_id, y.name AS kind, t.parameter FROM order_targetable_values v JOIN targets t ON t.id = v.target_id
         JOIN target_types y ON y.id = t.target_type_id WHERE trim(v.value) <> '' AND v.order_id IN ",
    );
    let rows: Vec<AnswerRow> = db.all(sql.ids(orders).push(" ORDER BY v.id")).await?;
    let mut answers: HashMap<OrderId, Vec<Answered>> = HashMap::new();
    for row in rows {
        answers.entry(row.order_id).or_default().push(row.answered);
    }
    Ok(answers)
}

/// Why the provider cannot deliver these orders, by order; orders that it can deliver are left out.
pub async fn refused(
    db: &mut impl Source,
    provider: ProviderId,
    orders: &[OrderId],
) -> Result<HashMap<OrderId, String>> {
    let types = types(db, &[provider]).await?;
    let Some(listed) = types.get(&provider) else { return Ok(HashMap::new()) };
    if deliverable(&listed.word, &[]).is_ok() {
        return Ok(HashMap::new());
    }
    let answers = answers(db, orders).await?;
    let reason = |order: &OrderId| {
        let answered = answers.get(order).map_or(&[][..], Vec::as_slice);
        deliverable(&listed.word, answered).err().map(|reason| {
            (*order, format!("{} cannot deliver this order: its service at the panel {reason}.", listed.name))
        })
    };
    Ok(orders.iter().filter_map(reason).collect())
}

/// Those of these providers that cannot deliver an order.
pub async fn unable(
    db: &mut impl Source,
    order: OrderId,
    providers: &[ProviderId],
) -> Result<BTreeSet<ProviderId>> {
    let types = types(db, providers).await?;
    let answers = answers(db, &[order]).await?;
    let answered = answers.get(&order).map_or(&[][..], Vec::as_slice);
    let unable = types.values().filter(|listed| deliverable(&listed.word, answered).is_err());
    Ok(unable.map(|listed| listed.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(kind: TargetName, parameter: Option<PanelParameter>) -> Answered {
        Answered { kind, parameter }
    }

    #[test]
    fn a_type_delivers_only_orders_that_have_what_it_needs() {
        let comments = [asks(TargetName::Comment, None)];
        for word in ["", "Default", "Package", "web traffic"] {
            assert_eq!(deliverable(word, &[]), Ok(()), "{word}");
        }
        assert_eq!(
            deliverable("Custom Comments", &[]),
            Err("is of the type Custom Comments and needs comments, which nothing asks for".into())
        );
        assert_eq!(deliverable("Custom Comments", &comments), Ok(()));
        assert!(deliverable("Comment Replies", &comments).is_err(), "the username is missing");
        let named = [asks(TargetName::Keyword, Some(PanelParameter::Hashtag))];
        assert!(deliverable("Comment Likes", &named).is_err(), "a hashtag is no username");
        assert_eq!(deliverable("Mentions Hashtag", &named), Ok(()));
        assert!(deliverable("Subscriptions", &[]).is_err() && deliverable("Something New", &[]).is_err());
    }
}
