//! Validates and stores the customer's answers to the targets of a service, and computes order fields from the answers: keywords and
//! countries. A target is a value that a service asks customers for.

use isocountry::CountryCode;
use panel_contract::ids::{OrderId, ServiceId, TargetId};
use panel_contract::targets::TargetName;
use panel_kernel::error::Result;

use crate::catalogue::targets::service_targets::{self, Answer, OrderedService};
use crate::operations::orders::place::NewOrder;
use crate::stores::orders::fields::{AnswerFields, write_answer_fields};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

// Rules

/// Computes the order fields from the answers. `target_kinds` holds the kind of each target.
fn compute_answer_fields(answers: &[Answer], target_kinds: &[(TargetId, TargetName)]) -> AnswerFields {
    let mut fields = AnswerFields::default();
    for Answer { target_id, value, .. } in answers {
        match target_kinds.iter().find(|(id, _)| id == target_id).map(|(_, kind)| *kind) {
            Some(TargetName::Keyword) => fields.keyword = fields.keyword.or(Some(value.clone())),
            Some(TargetName::SeoKeyword) => fields.seo_keyword = fields.seo_keyword.or(Some(value.clone())),
            Some(TargetName::Geotargeting) => fields.countries.extend(parse_countries(value)),
            Some(TargetName::Comment | TargetName::Language) | None => {}
        }
    }
    fields.countries.sort_unstable();
    fields.countries.dedup();
    fields
}

/// Returns the two-letter ISO codes of the countries in an answer. The answer contains ISO codes of two or three letters or English
/// names, separated by commas, semicolons or line breaks. Other words, such as a region, are skipped.
fn parse_countries(text: &str) -> impl Iterator<Item = &'static str> {
    text.split([',', ';', '\n']).map(str::trim).filter_map(|code_or_name| {
        let country_by_code = CountryCode::for_alpha2_caseless(code_or_name)
            .or_else(|_| CountryCode::for_alpha3_caseless(code_or_name));
        let country = country_by_code.ok().or_else(|| {
            CountryCode::iter().find(|country| country.name().eq_ignore_ascii_case(code_or_name)).copied()
        });
        country.map(|country| country.alpha2())
    })
}

// Store

/// Stores the fields that are computed from the answers, and the id that the order has in the child panel.
pub(super) async fn write_fields(
    work: &mut UnitOfWork,
    id: OrderId,
    new: &NewOrder,
    answers: &[Answer],
) -> Result<()> {
    let fields = match answers {
        [] => AnswerFields::default(),
        _ => compute_answer_fields(answers, &load_target_kinds(work, new.service_id).await?),
    };
    if fields == AnswerFields::default() && new.child_id.is_none() {
        return Ok(());
    }
    Ok(write_answer_fields(work, id, fields, new.child_id).await?)
}

/// Returns the ISO codes of the countries to which these answers limit an order.
pub async fn load_target_countries(
    work: &mut UnitOfWork,
    service_id: ServiceId,
    answers: &[Answer],
) -> Result<Vec<&'static str>> {
    match answers {
        [] => Ok(Vec::new()),
        _ => Ok(compute_answer_fields(answers, &load_target_kinds(work, service_id).await?).countries),
    }
}

async fn load_target_kinds(
    work: &mut UnitOfWork,
    service_id: ServiceId,
) -> Result<Vec<(TargetId, TargetName)>> {
    let sql = Sql::new(
        "SELECT t.id, y.name FROM service_targets x JOIN targets t ON t.id = x.target_id JOIN target_types y ON y.id = t.target_type_id
         WHERE x.service_id = ?",
    );
    Ok(work.fetch_all(sql.bind(service_id)).await?)
}

/// Validates the customer's answers, unless the caller has validated them.
pub(super) async fn validate_answers(work: &mut UnitOfWork, new: &NewOrder) -> Result<Vec<Answer>> {
    if let Some(answers) = &new.validated_answers {
        return Ok(answers.clone());
    }
    let (service_id, quantity) = (new.service_id, new.quantity);
    service_targets::validate_answers(work, OrderedService { service_id, quantity }, &new.targets).await
}

pub(super) async fn write_answers(work: &mut UnitOfWork, id: OrderId, answers: Vec<Answer>) -> Result<()> {
    if answers.is_empty() {
        return Ok(());
    }
    let rows = answers
        .into_iter()
        .map(|answer| vec![answer.target_id.into(), answer.name.into(), answer.value.into()]);
    let sql = Sql::new(
        "INSERT INTO order_targetable_values (order_id, target_id, name, value) SELECT ?, r.target, r.name, r.value FROM ",
    );
    work.execute(sql.bind(id).rows("r", &["target", "name", "value"], rows.collect())).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_order_fields_by_the_kind_of_the_target() {
        let target_kinds = [
            (1, TargetName::Geotargeting),
            (2, TargetName::SeoKeyword),
            (3, TargetName::Keyword),
            (4, TargetName::Comment),
        ]
        .map(|(id, name)| (TargetId::new(id), name));
        let answer = |target: i64, value: &str| {
            let (target_id, value) = (TargetId::new(target), value.to_owned());
            Answer { target_id, name: String::new(), value }
        };
        let fields = compute_answer_fields(
            &[
                answer(1, "us, Brazil;DEU\nEurope"),
                answer(2, "cheap likes"),
                answer(3, "cats"),
                answer(4, "Nice"),
                answer(9, "?"),
            ],
            &target_kinds,
        );
        assert_eq!(fields.countries, ["BR", "DE", "US"]);
        assert_eq!(
            (fields.seo_keyword.as_deref(), fields.keyword.as_deref()),
            (Some("cheap likes"), Some("cats"))
        );
        assert_eq!(compute_answer_fields(&[answer(4, "Nice")], &target_kinds), AnswerFields::default());
    }
}
