//! Checker groups: lists of URL patterns. The link of an order must match one pattern of the group that its service uses.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::targets::{
    CreatePromotableCheckerGroup, DeletePromotableCheckerGroup, ListPromotableCheckerGroups,
    UpdatePromotableCheckerGroup,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::CheckerGroupId;
use panel_contract::moment::Timestamp;
use panel_contract::service_types::ServiceTypeKind;
use panel_contract::targets::{CheckerGroupInput, PromotableCheckerGroup};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::catalogue::targets::stored_texts::parse_list;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, references};
use panel_domain::fields;
use panel_platform::db::{DbError, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListPromotableCheckerGroups, _, _, _>(list)
        .route::<CreatePromotableCheckerGroup, _, _, _>(create)
        .route::<UpdatePromotableCheckerGroup, _, _, _>(update)
        .route::<DeletePromotableCheckerGroup, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListPromotableCheckerGroups>) -> Result<Data<Vec<PromotableCheckerGroup>>> {
    Ok(Data { data: load_all(&mut ctx.db()).await?.into_iter().map(CheckerGroupRecord::into_api).collect() })
}

async fn create(ctx: Ctx, req: Req<CreatePromotableCheckerGroup>) -> Result<Data<PromotableCheckerGroup>> {
    let draft = CheckerGroupDraft::default().apply(&req.body)?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &CheckerGroupDraft::default()).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePromotableCheckerGroup>) -> Result<Data<PromotableCheckerGroup>> {
    let mut work = ctx.begin().await?;
    let record = load_record(&mut work, req.path).await?;
    Error::check_not_stale("group", req.body.updated_at, record.updated_at)?;
    let before = record.draft();
    let after = before.clone().apply(&req.body)?;
    if after != before {
        after.update(&mut work, req.path, record.updated_at).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeletePromotableCheckerGroup>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let before = load_record(&mut work, req.path).await?.draft();
    references::reject_if_used(&mut work, &references::TO_CHECKER_GROUP, req.path).await?;
    delete_group(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::PromotableCheckerGroup);
    let record = ChangedRecord { action, model, id: req.path.as_record_id(), name: &before.name };
    changes::record(&mut work, record, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn commit_and_respond(
    mut work: UnitOfWork,
    id: CheckerGroupId,
) -> Result<Data<PromotableCheckerGroup>> {
    let data = load_record(&mut work, id).await?.into_api();
    work.finish(Data { data }).await
}

// Rules

const MAX_PATTERNS: usize = 50;
const MAX_PATTERN_CHARS: usize = 200;
const MAX_NAME_CHARS: usize = 100;

/// Returns an error message if the platform of a group differs from the platform of a service type. `Other` matches every platform.
#[must_use]
pub fn platform_mismatch(group_platform: ServiceTypeKind, type_platform: ServiceTypeKind) -> Option<String> {
    let is_match =
        group_platform == type_platform || [group_platform, type_platform].contains(&ServiceTypeKind::Other);
    (!is_match).then(|| {
        format!("This group is for links of {group_platform}, but the service type is for {type_platform}. Choose another group.")
    })
}

/// A checker group as staff edit it and as the change log shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct CheckerGroupDraft {
    name: String,
    service_type_type: Option<ServiceTypeKind>,
    checkers: Vec<String>,
}

impl CheckerGroupDraft {
    /// Returns the draft with the changes of an input. Errors have the field names of the request.
    fn apply(mut self, input: &CheckerGroupInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        match fields::check_text(&self.name, MAX_NAME_CHARS) {
            Ok(()) if self.name.is_empty() => errors.add("name", "Enter a name."),
            Ok(()) => {}
            Err(message) => errors.add("name", message),
        }
        self.service_type_type = input.service_type_type.or(self.service_type_type);
        if self.service_type_type.is_none() {
            errors.add("service_type_type", "Choose the platform of the links.");
        }
        if let Some(checkers) = &input.checkers {
            self.checkers = checkers.iter().map(|pattern| pattern.trim().to_owned()).collect();
        }
        if self.checkers.is_empty() || self.checkers.len() > MAX_PATTERNS {
            errors.add(
                "checkers",
                format!("Enter 1 to {MAX_PATTERNS} patterns, such as video.example/watch*."),
            );
        }
        for (index, pattern) in self.checkers.iter().enumerate() {
            if let Err(message) = check_pattern(pattern) {
                errors.add(format!("checkers.{index}"), message);
            } else if self.checkers[..index].contains(pattern) {
                errors.add(format!("checkers.{index}"), format!("{pattern} is in the list twice."));
            }
        }
        errors.into_result(self)
    }
}

/// A pattern is a lowercase host and an optional path, where `*` matches any characters. Returns an error message.
fn check_pattern(pattern: &str) -> Result<(), String> {
    let host = pattern.split('/').next().unwrap_or_default();
    let is_host_char = |character: char| {
        character.is_ascii_lowercase() || character.is_ascii_digit() || ".-*".contains(character)
    };
    if pattern.contains("://") {
        return Err("Remove http:// or https://. The pattern matches both.".to_owned());
    }
    if !host.contains('.') || !host.chars().all(is_host_char) || pattern.contains(char::is_whitespace) {
        let message = "Enter a lowercase host and optionally a path, such as video.example/watch*.";
        return Err(message.to_owned());
    }
    fields::check_text(pattern, MAX_PATTERN_CHARS)
}

/// Whether a URL matches one of the patterns. Without patterns, every string matches. Scheme, port, `www.` and fragment are
/// ignored.
#[must_use]
pub fn matches_any(patterns: &[String], url: &str) -> bool {
    let Ok(url) = url::Url::parse(url.trim()) else { return patterns.is_empty() };
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let host_and_path = format!("{host}{path}");
    let host_and_path = host_and_path.trim_end_matches('/');
    patterns.is_empty()
        || patterns.iter().any(|pattern| matches_pattern(pattern.trim_end_matches('/'), host_and_path))
}

/// Whether a string matches a pattern in which `*` matches any characters. The parts between the asterisks must occur in this
/// order.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let Some((prefix, after_first_star)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut remaining) = text.strip_prefix(prefix) else { return false };
    let mut parts: Vec<&str> = after_first_star.split('*').collect();
    let suffix = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(index) = remaining.find(part) else { return false };
        remaining = &remaining[index + part.len()..];
    }
    remaining.ends_with(suffix)
}

// Store

#[derive(sqlx::FromRow)]
struct CheckerGroupRecord {
    id: CheckerGroupId,
    name: String,
    service_type_type: ServiceTypeKind,
    checkers: String,
    services_count: i64,
    updated_at: Timestamp,
}

impl CheckerGroupRecord {
    fn into_api(self) -> PromotableCheckerGroup {
        PromotableCheckerGroup {
            id: self.id,
            name: self.name,
            service_type_type: self.service_type_type,
            checkers: parse_list(&self.checkers),
            services_count: self.services_count,
            updated_at: self.updated_at,
        }
    }

    fn draft(&self) -> CheckerGroupDraft {
        CheckerGroupDraft {
            name: self.name.clone(),
            service_type_type: Some(self.service_type_type),
            checkers: parse_list(&self.checkers),
        }
    }
}

const SELECT_RECORDS: &str = "SELECT g.id, g.name, g.service_type_type, g.checkers, g.updated_at,
  (SELECT count(*) FROM services s WHERE s.promotable_checker_group_id = g.id) AS services_count FROM promotable_checker_groups g";

/// Locks a group until the transaction ends, so that no other transaction can assign it to a service.
async fn lock(work: &mut UnitOfWork, id: CheckerGroupId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM promotable_checker_groups WHERE id = ?").bind(id).for_update();
    work.fetch_optional::<(CheckerGroupId,)>(sql).await?;
    Ok(())
}

async fn delete_group(work: &mut UnitOfWork, id: CheckerGroupId) -> Result<()> {
    work.execute(Sql::new("DELETE FROM promotable_checker_groups WHERE id = ?").bind(id)).await?;
    Ok(())
}

async fn load_record(db: &mut impl SqlExecutor, id: CheckerGroupId) -> Result<CheckerGroupRecord> {
    let record: Option<CheckerGroupRecord> =
        db.fetch_optional(Sql::new(SELECT_RECORDS).push(" WHERE g.id = ?").bind(id)).await?;
    record.ok_or_else(|| Error::not_found("promotable checker group", id))
}

async fn load_all(db: &mut impl SqlExecutor) -> Result<Vec<CheckerGroupRecord>> {
    Ok(db.fetch_all(Sql::new(SELECT_RECORDS).push(" ORDER BY g.name, g.id")).await?)
}

impl CheckerGroupDraft {
    async fn insert(&self, work: &mut UnitOfWork) -> Result<CheckerGroupId> {
        let Self { name, service_type_type, checkers } = self;
        let sql = Sql::new(
            "INSERT INTO promotable_checker_groups (name, service_type_type, checkers, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
        );
        let sql = sql.bind(name.as_str()).bind(service_type_type.map(ServiceTypeKind::as_str));
        let sql = sql.bind(json!(checkers).to_string()).bind(work.timestamp());
        let (id,): (CheckerGroupId,) =
            work.fetch_one(sql).await.map_err(unique_violation_as_duplicate_name)?;
        Ok(id)
    }

    /// Updates the group only if no other request has changed it since it was loaded. The handler loads the group without a row lock.
    async fn update(
        &self,
        work: &mut UnitOfWork,
        id: CheckerGroupId,
        loaded_updated_at: Timestamp,
    ) -> Result<()> {
        let Self { name, service_type_type, checkers } = self;
        let sql = sql!(
            "UPDATE promotable_checker_groups SET name = @name, service_type_type = @service_type_type, checkers = @checkers, \
               updated_at = @now WHERE id = @id AND updated_at = @loaded_updated_at",
            {
                name: name.as_str(),
                service_type_type: service_type_type.map(ServiceTypeKind::as_str),
                checkers: json!(checkers).to_string(),
                now: work.timestamp(),
                id,
                loaded_updated_at,
            },
        );
        if work.execute(sql).await.map_err(unique_violation_as_duplicate_name)? == 0 {
            let message = "Another request changed this group at the same time. Reload it before you save.";
            return Err(Error::conflict("changed_meanwhile", message));
        }
        Ok(())
    }

    async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: CheckerGroupId,
        before: &Self,
    ) -> Result<()> {
        let record = ChangedRecord {
            action,
            model: ChangeModel::PromotableCheckerGroup,
            id: id.as_record_id(),
            name: &self.name,
        };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

fn unique_violation_as_duplicate_name(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid("name", "name_taken", "Another group has this name. Enter a different one."),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_matches_only_service_types_of_its_platform() {
        use ServiceTypeKind::{Instagram, Other, Youtube};
        for (group_platform, type_platform) in
            [(Youtube, Youtube), (Other, Youtube), (Instagram, Other), (Other, Other)]
        {
            assert_eq!(
                platform_mismatch(group_platform, type_platform),
                None,
                "{group_platform} {type_platform}"
            );
        }
        let message = platform_mismatch(Instagram, Youtube).unwrap();
        assert!(message.contains("Instagram") && message.contains("Youtube"), "{message}");
    }

    #[test]
    fn a_url_must_match_one_of_the_patterns() {
        let patterns = ["video.example/watch*", "v.example/*/live", "*.photo.example/p/*"].map(str::to_owned);
        for matching_url in [
            "https://video.example/watch?v=1",
            "http://www.video.example/watch",
            "https://V.EXAMPLE/me/live/",
            "https://m.photo.example/p/7?x=1#top",
        ] {
            assert!(matches_any(&patterns, matching_url), "{matching_url}");
        }
        for other_url in [
            "https://video.example/",
            "https://video.example.evil.example/watch",
            "https://photo.example/p/7",
            "https://v.example/live",
            "watch",
        ] {
            assert!(!matches_any(&patterns, other_url), "{other_url}");
        }
        assert!(matches_any(&[], "anything"));
    }

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, text, is_match) in [
            ("a*b*c", "abc", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("a*", "a", true),
            ("*a", "ba", true),
            ("ab*b", "ab", false),
            ("a", "ab", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), is_match, "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_must_be_a_lowercase_host_with_an_optional_path() {
        let input: CheckerGroupInput = FieldErrors::from_json(
            br#"{"checkers":["https://a.example","video","A.example","a.example/x y","a.example","a.example"]}"#,
        )
        .unwrap();
        let errors = CheckerGroupDraft::default().apply(&input).unwrap_err();
        let error_fields: Vec<_> = errors.0.into_keys().collect();
        let expected_fields = [
            "checkers.0",
            "checkers.1",
            "checkers.2",
            "checkers.3",
            "checkers.5",
            "name",
            "service_type_type",
        ];
        assert_eq!(error_fields, expected_fields);
    }
}
