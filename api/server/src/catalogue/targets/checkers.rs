//! Groups of checks that the addresses of orders go through: patterns, one of which must fit.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::targets::{
    CreatePromotableCheckerGroup, DeletePromotableCheckerGroup, ListPromotableCheckerGroups,
    UpdatePromotableCheckerGroup,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::CheckerGroupId;
use panel_contract::moment::Stamp;
use panel_contract::service_types::ServiceTypeKind;
use panel_contract::targets::{CheckerGroupInput, PromotableCheckerGroup};
use panel_kernel::error::{Error, Result};
use serde::Serialize;
use serde_json::json;

use crate::catalogue::targets::words::list;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::{changes, uses};
use panel_domain::fields;
use panel_platform::db::{DbError, Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListPromotableCheckerGroups, _, _, _>(groups)
        .on::<CreatePromotableCheckerGroup, _, _, _>(create)
        .on::<UpdatePromotableCheckerGroup, _, _, _>(update)
        .on::<DeletePromotableCheckerGroup, _, _, _>(delete)
}

async fn groups(
    ctx: Ctx,
    _req: Req<ListPromotableCheckerGroups>,
) -> Result<Data<Vec<PromotableCheckerGroup>>> {
    Ok(Data { data: all(&mut ctx.db()).await?.into_iter().map(Record::shown).collect() })
}

async fn create(ctx: Ctx, req: Req<CreatePromotableCheckerGroup>) -> Result<Data<PromotableCheckerGroup>> {
    let draft = CheckerGroupDraft::default().with(&req.body)?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &CheckerGroupDraft::default()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdatePromotableCheckerGroup>) -> Result<Data<PromotableCheckerGroup>> {
    let mut work = ctx.begin().await?;
    let record = find(&mut work, req.path).await?;
    Error::check_not_stale("group", req.body.updated_at, record.updated_at)?;
    let before = record.draft();
    let after = before.clone().with(&req.body)?;
    if after != before {
        after.write(&mut work, req.path, record.updated_at).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeletePromotableCheckerGroup>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    hold(&mut work, req.path).await?;
    let before = find(&mut work, req.path).await?.draft();
    uses::refuse_if_used(&mut work, &uses::OF_CHECKER_GROUP, req.path).await?;
    remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::PromotableCheckerGroup);
    let noted = ChangedRecord { action, model, id: req.path.record(), name: &before.name };
    changes::record(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn answer(mut work: UnitOfWork, id: CheckerGroupId) -> Result<Data<PromotableCheckerGroup>> {
    let data = find(&mut work, id).await?.shown();
    work.finish(Data { data }).await
}

// Rules

/// Most patterns of a group, and the longest of them.
const MOST: usize = 50;
const LONGEST: usize = 200;

/// Why a group of one kind of address is not for services of another, as a sentence; `Other` goes with all kinds.
#[must_use]
pub fn misfit(group: ServiceTypeKind, service_type: ServiceTypeKind) -> Option<String> {
    let fits = group == service_type || [group, service_type].contains(&ServiceTypeKind::Other);
    (!fits).then(|| {
        format!("This group checks addresses of {group}, and the service type is about {service_type}; choose another.")
    })
}

/// A group as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct CheckerGroupDraft {
    name: String,
    service_type_type: Option<ServiceTypeKind>,
    checkers: Vec<String>,
}

impl CheckerGroupDraft {
    fn with(mut self, input: &CheckerGroupInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        match fields::fits(&self.name, 100) {
            Ok(()) if self.name.is_empty() => errors.add("name", "Give a name."),
            Ok(()) => {}
            Err(message) => errors.add("name", message),
        }
        self.service_type_type = input.service_type_type.or(self.service_type_type);
        if self.service_type_type.is_none() {
            errors.add("service_type_type", "Say what its addresses are about.");
        }
        if let Some(checkers) = &input.checkers {
            self.checkers = checkers.iter().map(|pattern| pattern.trim().to_owned()).collect();
        }
        if self.checkers.is_empty() || self.checkers.len() > MOST {
            errors.add("checkers", format!("Give 1 to {MOST} patterns, such as video.example/watch*."));
        }
        for (at, pattern) in self.checkers.iter().enumerate() {
            if let Err(message) = is_pattern(pattern) {
                errors.add(format!("checkers.{at}"), message);
            } else if self.checkers[..at].contains(pattern) {
                errors.add(format!("checkers.{at}"), format!("{pattern} stands in the list twice."));
            }
        }
        errors.or(self)
    }
}

/// Why a text is no pattern: a host in small letters, perhaps a path, and `*` for anything.
fn is_pattern(pattern: &str) -> Result<(), String> {
    let host = pattern.split('/').next().unwrap_or_default();
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || ".-*".contains(letter);
    if pattern.contains("://") {
        return Err("Leave http:// and https:// out; both fit.".to_owned());
    }
    if !host.contains('.') || !host.chars().all(plain) || pattern.contains(char::is_whitespace) {
        return Err(
            "Give a host in small letters and perhaps a path, such as video.example/watch*.".to_owned()
        );
    }
    fields::fits(pattern, LONGEST)
}

/// Whether an address fits one of the patterns; all fit where there are none.
#[must_use]
pub fn fits(checkers: &[String], address: &str) -> bool {
    let Ok(url) = url::Url::parse(address.trim()) else { return checkers.is_empty() };
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let whole = format!("{host}{path}");
    let whole = whole.trim_end_matches('/');
    checkers.is_empty() || checkers.iter().any(|pattern| matches(pattern.trim_end_matches('/'), whole))
}

/// Whether a text is what a pattern says, where `*` stands for anything: the parts between the stars follow each other.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

// Store

#[derive(sqlx::FromRow)]
struct Record {
    id: CheckerGroupId,
    name: String,
    service_type_type: ServiceTypeKind,
    checkers: String,
    services_count: i64,
    updated_at: Stamp,
}

impl Record {
    fn shown(self) -> PromotableCheckerGroup {
        PromotableCheckerGroup {
            id: self.id,
            name: self.name,
            service_type_type: self.service_type_type,
            checkers: list(&self.checkers),
            services_count: self.services_count,
            updated_at: self.updated_at,
        }
    }

    fn draft(&self) -> CheckerGroupDraft {
        CheckerGroupDraft {
            name: self.name.clone(),
            service_type_type: Some(self.service_type_type),
            checkers: list(&self.checkers),
        }
    }
}

const ROWS: &str = "SELECT g.id, g.name, g.service_type_type, g.checkers, g.updated_at,
  (SELECT count(*) FROM services s WHERE s.promotable_checker_group_id = g.id) AS services_count FROM promotable_checker_groups g";

/// Holds a group until the work ends: no service takes it up meanwhile.
async fn hold(work: &mut UnitOfWork, id: CheckerGroupId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM promotable_checker_groups WHERE id = ?").bind(id).for_update();
    work.opt::<(CheckerGroupId,)>(sql).await?;
    Ok(())
}

async fn remove(work: &mut UnitOfWork, id: CheckerGroupId) -> Result<()> {
    work.exec(Sql::new("DELETE FROM promotable_checker_groups WHERE id = ?").bind(id)).await?;
    Ok(())
}

async fn find(db: &mut impl Source, id: CheckerGroupId) -> Result<Record> {
    let record: Option<Record> = db.opt(Sql::new(ROWS).push(" WHERE g.id = ?").bind(id)).await?;
    record.ok_or_else(|| Error::not_found("promotable checker group", id))
}

async fn all(db: &mut impl Source) -> Result<Vec<Record>> {
    Ok(db.all(Sql::new(ROWS).push(" ORDER BY g.name, g.id")).await?)
}

impl CheckerGroupDraft {
    async fn insert(&self, work: &mut UnitOfWork) -> Result<CheckerGroupId> {
        let Self { name, service_type_type, checkers } = self;
        let sql = Sql::new(
            "INSERT INTO promotable_checker_groups (name, service_type_type, checkers, updated_at) VALUES (?, ?, ?, ?) RETURNING id",
        );
        let sql = sql.bind(name.as_str()).bind(service_type_type.map(ServiceTypeKind::as_str));
        let sql = sql.bind(json!(checkers).to_string()).bind(work.stamp());
        let (id,): (CheckerGroupId,) = work.one(sql).await.map_err(taken)?;
        Ok(id)
    }

    /// On condition of the change that it was judged from.
    async fn write(&self, work: &mut UnitOfWork, id: CheckerGroupId, stamp: Stamp) -> Result<()> {
        let Self { name, service_type_type, checkers } = self;
        let sql = sql!(
            "UPDATE promotable_checker_groups SET name = @name, service_type_type = @service_type_type, checkers = @checkers, \
               updated_at = @now WHERE id = @id AND updated_at = @stamp",
            {
                name: name.as_str(),
                service_type_type: service_type_type.map(ServiceTypeKind::as_str),
                checkers: json!(checkers).to_string(),
                now: work.stamp(),
                id,
                stamp,
            },
        );
        if work.exec(sql).await.map_err(taken)? == 0 {
            let message = "This group was just changed. Reload it before you save.";
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
        let noted = ChangedRecord {
            action,
            model: ChangeModel::PromotableCheckerGroup,
            id: id.record(),
            name: &self.name,
        };
        changes::record(work, noted, &json!(before), &json!(self)).await
    }
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid("name", "name_taken", "Another group has this name; take another."),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_for_services_of_its_kind() {
        use ServiceTypeKind::{Instagram, Other, Youtube};
        for (group, kind) in [(Youtube, Youtube), (Other, Youtube), (Instagram, Other), (Other, Other)] {
            assert_eq!(misfit(group, kind), None, "{group} {kind}");
        }
        let said = misfit(Instagram, Youtube).unwrap();
        assert!(said.contains("Instagram") && said.contains("Youtube"), "{said}");
    }

    #[test]
    fn one_of_the_patterns_must_fit() {
        let group = ["video.example/watch*", "v.example/*/live", "*.photo.example/p/*"].map(str::to_owned);
        for good in [
            "https://video.example/watch?v=1",
            "http://www.video.example/watch",
            "https://V.EXAMPLE/me/live/",
            "https://m.photo.example/p/7?x=1#top",
        ] {
            assert!(fits(&group, good), "{good}");
        }
        for bad in [
            "https://video.example/",
            "https://video.example.evil.example/watch",
            "https://photo.example/p/7",
            "https://v.example/live",
            "watch",
        ] {
            assert!(!fits(&group, bad), "{bad}");
        }
        assert!(fits(&[], "anything"));
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, fits) in [
            ("a*b*c", "abc", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("a*", "a", true),
            ("*a", "ba", true),
            ("ab*b", "ab", false),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_is_a_host_and_perhaps_a_path() {
        let input: CheckerGroupInput = FieldErrors::from_json(
            br#"{"checkers":["https://a.example","video","A.example","a.example/x y","a.example","a.example"]}"#,
        )
        .unwrap();
        let errors = CheckerGroupDraft::default().with(&input).unwrap_err();
        let named: Vec<_> = errors.0.into_keys().collect();
        let places = [
            "checkers.0",
            "checkers.1",
            "checkers.2",
            "checkers.3",
            "checkers.5",
            "name",
            "service_type_type",
        ];
        assert_eq!(named, places);
    }
}
