//! The change log: what was changed in the catalogue, field by field, for those who keep it. Written in the transaction
//! of the change, beside the audit entry; never changed afterwards.

use panel_contract::change_logs::{ChangeAction, ChangeLogCollections, ChangeLogRow, ChangeModel};
use panel_contract::common::{Choice, Data, Named};
use panel_contract::endpoints::change_logs::{ChangeLogCollectionsOp, ListChangeLogs};
use panel_contract::moment::Time;
use serde_json::Value;

use crate::catalogue::networks::NETWORK_TEXTS;
use crate::catalogue::service_types::SERVICE_TYPE_TEXTS;
use crate::catalogue::{packages, targets};
use crate::configuration::dictionaries::label;
use crate::configuration::menu::items;
use crate::configuration::pages;
use crate::db::{Source as _, Sql, Val};
use crate::http::api::Api;
use crate::http::error::Result;
use crate::http::{Ctx, Req};
use crate::marketing::{coupons, discounts, special_offers};
use crate::operations::free_trials::quests;
use crate::operations::grades;
use crate::operations::orders::list::{SERVICE_TEXTS, USER_TEXTS};
use crate::supply::external_panels::PANEL_TEXTS;
use crate::supply::providers::PROVIDER_TEXTS;
use crate::table::{Arm, Column, Index, Join, Kind, Table, Through};
use crate::words_of;
use crate::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListChangeLogs, _, _>(&CHANGE_LOGS, |record: Record, _| record.shown())
        .on::<ChangeLogCollectionsOp, _, _, _>(collections)
}

static TEXTS: Index = Index::trigrams("change_logs", &["information", "old_value", "new_value"]);
static LABELS: Index = Index::rows("labels", &["name"]);
static CHECKER_GROUPS: Index = Index::rows("promotable_checker_groups", &["name"]);
static BANNERS: Index = Index::rows("banners", &["place", "content"]);
/// What the slides of banners say, in every language.
static SLIDES: Index =
    Index::translations("owner_type = 'banner_information' AND field IN ('title', 'sub_title')");

/// All changes, newest first.
pub static CHANGE_LOGS: Table = Table {
    name: "change-logs",
    base: "change_logs",
    alias: "c",
    key: "c.id",
    scope: None,
    joins: &[Join { alias: "u", sql: "LEFT JOIN users u ON u.id = c.user_id" }],
    select: "c.id, c.created_at, c.user_id, u.name AS user_name, c.action_type, c.type AS model, c.target_id, c.information, c.old_value, c.new_value",
    columns: &[
        Column::new("id", "c.id", Kind::Id),
        Column::new("created_at", "c.created_at", Kind::Time),
        Column::new("user", "u.name", Kind::Ref)
            .of("u")
            .nullable()
            .found("c.user_id", &USER_TEXTS, "")
            .hidden(),
        Column::new("user.id", "c.user_id", Kind::Id).nullable(),
        Column::new("user.name", "u.name", Kind::Text).of("u").nullable().found(
            "c.user_id",
            &USER_TEXTS,
            "name",
        ),
        Column::new("action_type", "c.action_type", words_of!(ChangeAction)),
        Column::new("type", "c.type", words_of!(ChangeModel)),
        Column::new("target_id", "c.target_id", Kind::Id),
        Column::new("target", "c.target_id", Kind::Id).hidden(),
        Column::new("information", "c.information", Kind::Text).nullable().found(
            "c.id",
            &TEXTS,
            "information",
        ),
        Column::new("old_value", "c.old_value", Kind::Text).nullable().found("c.id", &TEXTS, "old_value"),
        Column::new("new_value", "c.new_value", Kind::Text).nullable().found("c.id", &TEXTS, "new_value"),
    ],
    plain: &[],
    common: &[
        Arm::new("c.id", &TEXTS, "information").here(&["c.information", "c.old_value", "c.new_value"]),
        Arm::new("c.user_id", &USER_TEXTS, "user"),
        Arm::new("c.target_id", &SERVICE_TEXTS, "target_id").only("c.type = 'service'"),
        Arm::new("c.target_id", &PROVIDER_TEXTS, "target_id").only("c.type = 'provider'"),
        Arm::new("c.target_id", &PANEL_TEXTS, "target_id").only("c.type = 'external_panel'"),
        Arm::new("c.target_id", &SERVICE_TYPE_TEXTS, "target_id").only("c.type = 'service_type'"),
        Arm::new("c.target_id", &NETWORK_TEXTS, "target_id").only("c.type = 'network'"),
        Arm::new("c.target_id", &packages::NAMES, "target_id").only("c.type = 'package'"),
        Arm::new("c.target_id", &coupons::TEXTS, "target_id").only("c.type = 'coupon'"),
        Arm::new("c.target_id", &discounts::TEXTS, "target_id").only("c.type = 'discount'"),
        Arm::new("c.target_id", &special_offers::TEXTS, "target_id").only("c.type = 'special_offer'"),
        Arm::new("c.target_id", &items::NAMES, "target_id").only("c.type = 'menu_item'"),
        Arm::new("c.target_id", &pages::NAMES, "target_id").only("c.type = 'page'"),
        Arm::new("c.target_id", &BANNERS, "target_id").only("c.type = 'banner'"),
        Arm::new("c.target_id", &SLIDES, "target_id").through(OF_SLIDES).only("c.type = 'banner'"),
        Arm::new("c.target_id", &LABELS, "target_id").only("c.type = 'label'"),
        Arm::new("c.target_id", &targets::NAMES, "target_id").only("c.type = 'target'"),
        Arm::new("c.target_id", &CHECKER_GROUPS, "target_id").only("c.type = 'promotable_checker_group'"),
        Arm::new("c.target_id", &grades::NAMES, "target_id").only("c.type = 'grade'"),
        Arm::new("c.target_id", &quests::NAMES, "target_id").only("c.type = 'quest'"),
    ],
    order: &[],
    kept: Some(("change_logs", "")),
};

async fn collections(_ctx: Ctx, _req: Req<ChangeLogCollectionsOp>) -> Result<Data<ChangeLogCollections>> {
    let choice = |word: &str| Choice { kind: word.to_owned(), label: label(word) };
    Ok(Data {
        data: ChangeLogCollections {
            action_types: ChangeAction::ALL.iter().map(|word| choice(word.as_str())).collect(),
            model_types: ChangeModel::ALL.iter().map(|word| choice(word.as_str())).collect(),
        },
    })
}

// Rules

/// A change of one record of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Noted<'a> {
    /// What was done.
    pub action: ChangeAction,
    /// To what kind of record.
    pub model: ChangeModel,
    /// The record.
    pub id: i64,
    /// What people call it.
    pub name: &'a str,
}

/// Longest value that is kept, in characters.
const LONGEST: usize = 2_000;

/// `information`, old and new: an update says each field that differs, everything else the record's name. An update of
/// the auto-promotion says both, because its ids are those of services, service types or networks: the id alone leads to
/// no name.
fn lines(noted: Noted<'_>, old: &Value, new: &Value) -> Vec<[Option<String>; 3]> {
    let mut lines = Vec::new();
    if let (ChangeAction::Updated, Some(old), Some(new)) = (noted.action, old.as_object(), new.as_object()) {
        for (field, value) in new {
            let before = old.get(field).unwrap_or(&Value::Null);
            if before != value && field != "updated_at" {
                let about = match noted.model {
                    ChangeModel::AutoPromotion => format!("{}: {}", noted.name, label(field)),
                    _ => label(field),
                };
                lines.push([Some(about), text(before), text(value)]);
            }
        }
    }
    if lines.is_empty() {
        lines.push([Some(noted.name.to_owned()), None, None]);
    }
    lines
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.chars().take(LONGEST).collect()),
        other => Some(other.to_string().chars().take(LONGEST).collect()),
    }
}

// Store

/// A banner is found by its slides.
const OF_SLIDES: Through =
    Through { select: "SELECT banner_id FROM banner_informations WHERE ", column: "id", here: "" };

/// Writes it down; `old` and `new` as the audit entry has them.
pub async fn note(work: &mut Work, noted: Noted<'_>, old: &Value, new: &Value) -> Result<()> {
    note_all(work, &[(noted, old, new)]).await
}

/// Writes many down in one statement.
pub async fn note_all(work: &mut Work, all: &[(Noted<'_>, &Value, &Value)]) -> Result<()> {
    let mut rows: Vec<Vec<Val>> = Vec::new();
    for (noted, old, new) in all {
        for line in lines(*noted, old, new) {
            let known: [Val; 3] =
                [noted.action.as_str().into(), noted.model.as_str().into(), noted.id.into()];
            rows.push(known.into_iter().chain(line.into_iter().map(Val::from)).collect());
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "INSERT INTO change_logs (created_at, user_id, action_type, type, target_id, information, old_value, new_value)
         SELECT ?, ?, r.action, r.model, r.target, r.information, r.old_value, r.new_value FROM ",
    )
    .bind(work.now)
    .bind(work.actor())
    .rows("r", &["action", "model", "target", "information", "old_value", "new_value"], rows);
    work.exec(sql).await?;
    Ok(())
}

/// An entry as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    created_at: Time,
    user_id: Option<i64>,
    user_name: Option<String>,
    action_type: ChangeAction,
    model: ChangeModel,
    target_id: i64,
    information: Option<String>,
    old_value: Option<String>,
    new_value: Option<String>,
}

impl Record {
    fn shown(self) -> ChangeLogRow {
        ChangeLogRow {
            id: self.id,
            created_at: self.created_at,
            user: self.user_id.zip(self.user_name).map(|(id, name)| Named { id, name }),
            action_type: self.action_type,
            model: self.model,
            model_type: self.model,
            target_id: self.target_id,
            information: self.information,
            old_value: self.old_value,
            new_value: self.new_value,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_says_what_differs_and_the_rest_the_name() {
        let noted = |action| Noted { action, model: ChangeModel::Grade, id: 7, name: "Gold" };
        let (old, new) =
            (json!({"name": "Gold", "spending_goal": "5"}), json!({"name": "Gold", "spending_goal": "9"}));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            lines(noted(ChangeAction::Updated), &old, &new),
            [[some("Spending goal"), some("5"), some("9")]]
        );
        assert_eq!(lines(noted(ChangeAction::Created), &json!({}), &new), [[some("Gold"), None, None]]);
        assert_eq!(lines(noted(ChangeAction::Updated), &old, &old), [[some("Gold"), None, None]]);
    }
}
