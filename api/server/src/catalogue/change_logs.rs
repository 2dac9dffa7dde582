//! The change log: what was changed in the catalogue, field by field, for those who keep it. Written in the transaction
//! of the change, beside the audit entry; never changed afterwards.

use panel_contract::change_logs::{ChangeAction, ChangeLogCollections, ChangeLogRow, ChangeModel};
use panel_contract::common::{Choice, Data, Named};
use panel_contract::endpoints::change_logs::{ChangeLogCollectionsOp, ListChangeLogs};
use panel_contract::ids::{ChangeLogId, RecordId, UserId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_contract::dictionary::label;
use panel_platform::table::{Index, Join, JoinTable, RowSource, SearchTarget, Table, base, expr};

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
pub static CHANGE_LOGS: Table = Table::new(
    &panel_contract::lists::change_logs::CHANGE_LOGS,
    RowSource {
        base: "change_logs",
        alias: "c",
        key: "c.id",
        joins: &[Join { alias: "u", sql: "LEFT JOIN users u ON u.id = c.user_id" }],
        select: "c.id, c.created_at, c.user_id, u.name AS user_name, c.action_type, c.type AS model, c.target_id, c.information, c.old_value, c.new_value",
        ..RowSource::NONE
    },
    &[
        expr("user", "u.name").join("u").text_index("c.user_id", &search_texts::USERS, ""),
        expr("user.id", "c.user_id"),
        expr("user.name", "u.name").join("u").text_index("c.user_id", &search_texts::USERS, "name"),
        base("information").text_index("c.id", &TEXTS, "information"),
        base("old_value").text_index("c.id", &TEXTS, "old_value"),
        base("new_value").text_index("c.id", &TEXTS, "new_value"),
    ],
)
.common_search(&[
    SearchTarget::new("c.id", &TEXTS, "information").here(&["c.information", "c.old_value", "c.new_value"]),
    SearchTarget::new("c.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("c.target_id", &search_texts::SERVICES, "target_id").only("c.type = 'service'"),
    SearchTarget::new("c.target_id", &search_texts::PROVIDERS, "target_id").only("c.type = 'provider'"),
    SearchTarget::new("c.target_id", &search_texts::EXTERNAL_PANELS, "target_id").only("c.type = 'external_panel'"),
    SearchTarget::new("c.target_id", &search_texts::SERVICE_TYPES, "target_id").only("c.type = 'service_type'"),
    SearchTarget::new("c.target_id", &search_texts::NETWORKS, "target_id").only("c.type = 'network'"),
    SearchTarget::new("c.target_id", &search_texts::PACKAGES, "target_id").only("c.type = 'package'"),
    SearchTarget::new("c.target_id", &search_texts::COUPONS, "target_id").only("c.type = 'coupon'"),
    SearchTarget::new("c.target_id", &search_texts::DISCOUNTS, "target_id").only("c.type = 'discount'"),
    SearchTarget::new("c.target_id", &search_texts::SPECIAL_OFFERS, "target_id").only("c.type = 'special_offer'"),
    SearchTarget::new("c.target_id", &search_texts::MENU_ITEMS, "target_id").only("c.type = 'menu_item'"),
    SearchTarget::new("c.target_id", &search_texts::PAGES, "target_id").only("c.type = 'page'"),
    SearchTarget::new("c.target_id", &BANNERS, "target_id").only("c.type = 'banner'"),
    SearchTarget::new("c.target_id", &SLIDES, "target_id").through(OF_SLIDES).only("c.type = 'banner'"),
    SearchTarget::new("c.target_id", &LABELS, "target_id").only("c.type = 'label'"),
    SearchTarget::new("c.target_id", &search_texts::TARGETS, "target_id").only("c.type = 'target'"),
    SearchTarget::new("c.target_id", &CHECKER_GROUPS, "target_id").only("c.type = 'promotable_checker_group'"),
    SearchTarget::new("c.target_id", &search_texts::GRADES, "target_id").only("c.type = 'grade'"),
    SearchTarget::new("c.target_id", &search_texts::QUESTS, "target_id").only("c.type = 'quest'"),
])
.row_counts("change_logs", "");

async fn collections(_ctx: Ctx, _req: Req<ChangeLogCollectionsOp>) -> Result<Data<ChangeLogCollections>> {
    let choice = |word: &str| Choice { kind: word.to_owned(), label: label(word) };
    Ok(Data {
        data: ChangeLogCollections {
            action_types: ChangeAction::ALL.iter().map(|word| choice(word.as_str())).collect(),
            model_types: ChangeModel::ALL.iter().map(|word| choice(word.as_str())).collect(),
        },
    })
}

// Store

/// A banner is found by its slides.
const OF_SLIDES: JoinTable =
    JoinTable { select: "SELECT banner_id FROM banner_informations WHERE ", column: "id", here: "" };

/// An entry as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: ChangeLogId,
    created_at: Time,
    user_id: Option<UserId>,
    user_name: Option<String>,
    action_type: ChangeAction,
    model: ChangeModel,
    target_id: RecordId,
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
