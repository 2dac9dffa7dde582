//! Serves the change log, which shows staff each changed field of catalogue records. Every change of a record writes its change log
//! entries and its audit entry in its own transaction. No code updates an entry later.

use panel_contract::change_logs::{ChangeAction, ChangeLogCollections, ChangeLogRow, ChangeModel};
use panel_contract::common::{Choice, Data, NamedRef};
use panel_contract::endpoints::change_logs::{GetChangeLogCollections, ListChangeLogs};
use panel_contract::ids::{ChangeLogId, RecordId, UserId};
use panel_contract::moment::Time;
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_contract::dictionary::enum_label;
use panel_platform::table::{Join, JoinTable, RowSource, SearchTarget, Table, TextIndex, base_column, expr};

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListChangeLogs, _, _>(&CHANGE_LOGS, |record: ChangeLogRecord, _| record.into_row())
        .route::<GetChangeLogCollections, _, _, _>(get_collections)
}

static CHANGE_TEXTS: TextIndex =
    TextIndex::trigrams("change_logs", &["information", "old_value", "new_value"]);
static LABEL_NAMES: TextIndex = TextIndex::rows("labels", &["name"]);
static CHECKER_GROUP_NAMES: TextIndex = TextIndex::rows("promotable_checker_groups", &["name"]);
static BANNER_TEXTS: TextIndex = TextIndex::rows("banners", &["place", "content"]);
/// Titles and subtitles of banner slides, in every language.
static SLIDE_TEXTS: TextIndex =
    TextIndex::translations("owner_type = 'banner_information' AND field IN ('title', 'sub_title')");

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
        base_column("information").text_index("c.id", &CHANGE_TEXTS, "information"),
        base_column("old_value").text_index("c.id", &CHANGE_TEXTS, "old_value"),
        base_column("new_value").text_index("c.id", &CHANGE_TEXTS, "new_value"),
    ],
)
.global_search(&[
    SearchTarget::new("c.id", &CHANGE_TEXTS, "information").own_columns(&["c.information", "c.old_value", "c.new_value"]),
    SearchTarget::new("c.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("c.target_id", &search_texts::SERVICES, "target_id").only_where("c.type = 'service'"),
    SearchTarget::new("c.target_id", &search_texts::PROVIDERS, "target_id").only_where("c.type = 'provider'"),
    SearchTarget::new("c.target_id", &search_texts::EXTERNAL_PANELS, "target_id").only_where("c.type = 'external_panel'"),
    SearchTarget::new("c.target_id", &search_texts::SERVICE_TYPES, "target_id").only_where("c.type = 'service_type'"),
    SearchTarget::new("c.target_id", &search_texts::NETWORKS, "target_id").only_where("c.type = 'network'"),
    SearchTarget::new("c.target_id", &search_texts::PACKAGES, "target_id").only_where("c.type = 'package'"),
    SearchTarget::new("c.target_id", &search_texts::COUPONS, "target_id").only_where("c.type = 'coupon'"),
    SearchTarget::new("c.target_id", &search_texts::DISCOUNTS, "target_id").only_where("c.type = 'discount'"),
    SearchTarget::new("c.target_id", &search_texts::SPECIAL_OFFERS, "target_id").only_where("c.type = 'special_offer'"),
    SearchTarget::new("c.target_id", &search_texts::MENU_ITEMS, "target_id").only_where("c.type = 'menu_item'"),
    SearchTarget::new("c.target_id", &search_texts::PAGES, "target_id").only_where("c.type = 'page'"),
    SearchTarget::new("c.target_id", &BANNER_TEXTS, "target_id").only_where("c.type = 'banner'"),
    SearchTarget::new("c.target_id", &SLIDE_TEXTS, "target_id").through_join_table(BANNERS_OF_SLIDES).only_where("c.type = 'banner'"),
    SearchTarget::new("c.target_id", &LABEL_NAMES, "target_id").only_where("c.type = 'label'"),
    SearchTarget::new("c.target_id", &search_texts::TARGETS, "target_id").only_where("c.type = 'target'"),
    SearchTarget::new("c.target_id", &CHECKER_GROUP_NAMES, "target_id").only_where("c.type = 'promotable_checker_group'"),
    SearchTarget::new("c.target_id", &search_texts::GRADES, "target_id").only_where("c.type = 'grade'"),
    SearchTarget::new("c.target_id", &search_texts::QUESTS, "target_id").only_where("c.type = 'quest'"),
])
.count_from("change_logs", "");

async fn get_collections(
    _ctx: Ctx,
    _req: Req<GetChangeLogCollections>,
) -> Result<Data<ChangeLogCollections>> {
    let to_choice = |value: &str| Choice { kind: value.to_owned(), label: enum_label(value) };
    Ok(Data {
        data: ChangeLogCollections {
            action_types: ChangeAction::ALL.iter().map(|value| to_choice(value.as_str())).collect(),
            model_types: ChangeModel::ALL.iter().map(|value| to_choice(value.as_str())).collect(),
        },
    })
}

// Store

/// Joins the banners whose slides match a search text.
const BANNERS_OF_SLIDES: JoinTable =
    JoinTable { select: "SELECT banner_id FROM banner_informations WHERE ", column: "id", row_key: "" };

/// A row of [`CHANGE_LOGS`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub struct ChangeLogRecord {
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

impl ChangeLogRecord {
    fn into_row(self) -> ChangeLogRow {
        ChangeLogRow {
            id: self.id,
            created_at: self.created_at,
            user: self.user_id.zip(self.user_name).map(|(id, name)| NamedRef { id, name }),
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
