//! The audit log. Read only: no endpoint changes or deletes an entry.

use panel_contract::audits::{AuditCollections, AuditRow, AuditVerification, auditable_types, events};
use panel_contract::common::{Choice, Data};
use panel_contract::endpoints::audits::{GetAuditCollections, ListAudits, VerifyAudits};
use panel_contract::ids::{AuditId, RecordId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::UserSummary;
use panel_kernel::error::Result;
use serde_json::Value;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_platform::audit::verify;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr};

pub fn routes(api: Api) -> Api {
    api.list_route::<ListAudits, _, _>(&AUDITS, |record: AuditRecord, _| record.into_row())
        .route::<GetAuditCollections, _, _, _>(list_collections)
        .route::<VerifyAudits, _, _, _>(verify_audits)
}

static EVENT_INDEX: TextIndex = TextIndex::values("audits", &["event"]);
static TYPE_INDEX: TextIndex = TextIndex::values("audits", &["auditable_type"]);
static ADDRESS_INDEX: TextIndex = TextIndex::values("audits", &["ip_address"]);

/// All entries, newest first.
pub static AUDITS: Table = Table::new(
    &panel_contract::lists::audits::AUDITS,
    RowSource {
        base: "audits",
        alias: "a",
        key: "a.id",
        joins: &[Join { alias: "u", sql: "LEFT JOIN users u ON u.id = a.user_id" }],
        select: "a.id, a.created_at, a.user_id, u.name AS user_name, u.email AS user_email, a.ip_address, a.user_agent, a.request_id, a.event,
  a.auditable_type, a.auditable_id, a.old_values, a.new_values",
        ..RowSource::NONE
    },
    &[
        expr("user", "u.name").join("u").text_index("a.user_id", &search_texts::USERS, ""),
        expr("user.id", "a.user_id"),
        expr("user.name", "u.name").join("u").text_index("a.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("a.user_id", &search_texts::USERS, "email"),
        base_column("event").values(&EVENT_INDEX),
        base_column("auditable_type").values(&TYPE_INDEX),
        base_column("ip_address").values(&ADDRESS_INDEX),
    ],
)
.global_search(&[
    SearchTarget::new("a.user_id", &search_texts::USERS, "user"),
    SearchTarget::new("a.event", &EVENT_INDEX, "event").own_columns(&["a.event"]),
    SearchTarget::new("a.auditable_type", &TYPE_INDEX, "auditable_type").own_columns(&["a.auditable_type"]),
    SearchTarget::new("a.ip_address", &ADDRESS_INDEX, "ip_address").own_columns(&["a.ip_address"]),
])
.count_from("audits", "");

async fn list_collections(_ctx: Ctx, _req: Req<GetAuditCollections>) -> Result<Data<AuditCollections>> {
    let to_choice = |value: &'static str| Choice { kind: value.to_owned(), label: value.to_owned() };
    Ok(Data {
        data: AuditCollections {
            events: events().into_iter().map(to_choice).collect(),
            auditable_types: auditable_types().into_iter().map(to_choice).collect(),
        },
    })
}

async fn verify_audits(ctx: Ctx, req: Req<VerifyAudits>) -> Result<Data<AuditVerification>> {
    Ok(Data { data: verify::verify_range(ctx.db(), &ctx.app.secrets, req.query.after).await? })
}

/// An audit entry as stored.
#[derive(Debug, sqlx::FromRow)]
pub struct AuditRecord {
    id: AuditId,
    created_at: Time,
    user_id: Option<UserId>,
    user_name: Option<String>,
    user_email: Option<String>,
    ip_address: String,
    user_agent: String,
    request_id: String,
    event: String,
    auditable_type: String,
    auditable_id: RecordId,
    old_values: String,
    new_values: String,
}

impl AuditRecord {
    fn into_row(self) -> AuditRow {
        // A value that is not valid JSON is returned as a string, so that the reader sees that it is damaged.
        let parse_json_or_string = |json: String| serde_json::from_str(&json).unwrap_or(Value::String(json));
        let user = self.user_id.zip(self.user_name).zip(self.user_email);
        AuditRow {
            id: self.id,
            created_at: self.created_at,
            user: user.map(|((id, name), email)| UserSummary { id, name, email }),
            ip_address: self.ip_address,
            user_agent: self.user_agent,
            request_id: self.request_id,
            event: self.event,
            auditable_type: self.auditable_type,
            auditable_id: self.auditable_id,
            old_values: parse_json_or_string(self.old_values),
            new_values: parse_json_or_string(self.new_values),
        }
    }
}
