//! Endpoints for free-trial requests of customers. Staff approve a request, which places a free order, or reject it; both decisions
//! are final. Each request belongs to a quest (`quests`).

mod quest_rules;
pub mod quests;
pub mod request;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, ListFreeTrials, RejectFreeTrial};
use panel_contract::free_trials::{FreeTrial, FreeTrialActions, FreeTrialStatus};
use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, OrderId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderSource;
use panel_contract::payments::UserSummary;
use panel_domain::state_machine::next_state;
use panel_domain::states::free_trials::{FreeTrialEvent, FreeTrials};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::orders::create::validate_targets;
use crate::operations::orders::place::{NewOrder, OrderParent, place};
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::ledger;
use panel_platform::settings;
use panel_platform::table::{
    ColumnSql, CountGroup, Join, RowSource, SearchTarget, Table, TextIndex, base_column, expr,
};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListFreeTrials, _, _>(&FREE_TRIALS, |row: FreeTrialRow, ctx| {
        row.into_response(ctx.now())
    })
    .route::<ApproveFreeTrial, _, _, _>(approve)
    .route::<RejectFreeTrial, _, _, _>(reject)
    .with(quests::routes)
}

static TEXTS: TextIndex = TextIndex::trigrams("free_trials", &["name", "url"]);

pub static FREE_TRIALS: Table = Table::new(
    &panel_contract::lists::free_trials::FREE_TRIALS,
    RowSource {
        base: "free_trials",
        alias: "t",
        key: "t.id",
        joins: &[
            Join { alias: "q", sql: "JOIN free_trial_quests q ON q.id = t.free_trial_quest_id" },
            Join { alias: "u", sql: "JOIN users u ON u.id = t.user_id" },
            Join { alias: "a", sql: "LEFT JOIN users a ON a.id = t.approved_by" },
        ],
        select: SELECT,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[
    SearchTarget::new("t.id", &TEXTS, "url").own_columns(&["t.name", "t.url"]),
    SearchTarget::new("t.user_id", &search_texts::USERS, "user"),
])
.count_from("free_trials", "");

/// Columns whose SQL is not a table column of the same name, or that have materialized counts or a text index.
const COLUMN_SQL: &[ColumnSql] = &[
    base_column("name").text_index("t.id", &TEXTS, "name"),
    base_column("url").text_index("t.id", &TEXTS, "url"),
    base_column("status").count_group(CountGroup::FilterValue),
    expr("approved_by", "a.name").join("a").text_index("t.approved_by", &search_texts::USERS, ""),
    expr("approved_by.id", "t.approved_by"),
    expr("approved_by.name", "a.name").join("a").text_index("t.approved_by", &search_texts::USERS, "name"),
    expr("valid_from", "q.created_at").join("q"),
    expr("valid_to", "q.deadline").join("q"),
    expr("user", "u.name").join("u").text_index("t.user_id", &search_texts::USERS, ""),
    expr("user.id", "t.user_id"),
    expr("user.name", "u.name").join("u").text_index("t.user_id", &search_texts::USERS, "name"),
    expr("user.email", "u.email").join("u").text_index("t.user_id", &search_texts::USERS, "email"),
    expr("quest_id", "t.free_trial_quest_id"),
];

async fn approve(ctx: Ctx, req: Req<ApproveFreeTrial>) -> Result<Data<FreeTrial>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    settings::require_enabled(&mut work, settings::FREE_TRIALS_ENABLED, "free_trials_off", "Free trials")
        .await?;
    let trial = lock_row(&mut work, id).await?;
    check_open(&trial, TrialDecision::Approve)?;
    let (quest, approved_count) = load_quest_and_count(&mut work, &trial).await?;
    quest.terms.check(approved_count, work.now)?;
    let quantity = req.body.quantity.unwrap_or(quest.quantity);
    let targets = validate_targets(&req.body.targets)?;
    approve_with_order(&mut work, &trial, &quest, quantity, targets).await?;
    commit_and_respond(work, trial.id).await
}

/// Places the free order and approves the request, by staff or automatically by the quest.
async fn approve_with_order(
    work: &mut UnitOfWork,
    trial: &FreeTrialRow,
    quest: &Quest,
    quantity: i64,
    targets: Vec<(String, String)>,
) -> Result<()> {
    let order_without_options =
        NewOrder::without_options(trial.user_id, quest.service_id, &trial.url, quantity);
    let (source, parent) = (OrderSource::FreeTrial, Some(OrderParent::FreeTrial(trial.id)));
    let placed_order =
        place(work, &NewOrder { source, parent, targets, is_free: true, ..order_without_options }).await?;
    store::approve(work, trial.id, placed_order.id, quantity)
        .await?
        .or_conflict(CONCURRENT_DECISION.0, CONCURRENT_DECISION.1)?;
    audit_decision(
        work,
        trial,
        json!({ "status": "approved", "order_id": placed_order.id, "quantity": quantity }),
    )
    .await
}

async fn reject(ctx: Ctx, req: Req<RejectFreeTrial>) -> Result<Data<FreeTrial>> {
    let mut work = ctx.begin().await?;
    let trial = lock_row(&mut work, req.path).await?;
    check_open(&trial, TrialDecision::Reject)?;
    store::reject(&mut work, trial.id).await?.or_conflict(CONCURRENT_DECISION.0, CONCURRENT_DECISION.1)?;
    audit_decision(&mut work, &trial, json!({ "status": "rejected" })).await?;
    commit_and_respond(work, trial.id).await
}

async fn audit_decision(work: &mut UnitOfWork, trial: &FreeTrialRow, new: serde_json::Value) -> Result<()> {
    let event = format!("free_trial.{}", new["status"].as_str().unwrap_or_default());
    let change = AuditChange { id: trial.id.as_record_id(), old: json!({ "status": trial.status }), new };
    audit::record(work, &event, "free_trial", change).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: FreeTrialId) -> Result<Data<FreeTrial>> {
    let now = work.now;
    let data = load_row(&mut work, id).await?.into_response(now);
    work.finish(Data { data }).await
}

// Rules

/// Code and message of the 409 if another transaction decided about the request.
const CONCURRENT_DECISION: (&str, &str) = (
    "free_trial_changed_meanwhile",
    "Another staff member decided about this request. Reload it and try again.",
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrialDecision {
    Approve,
    Reject,
}

/// Rejects a decision about a request that staff have already decided.
fn check_open(trial: &FreeTrialRow, decision: TrialDecision) -> Result<(), Rejection> {
    let (verb, code, event) = match decision {
        TrialDecision::Approve => ("approve", "free_trial_not_approvable", FreeTrialEvent::Approve),
        TrialDecision::Reject => ("reject", "free_trial_not_rejectable", FreeTrialEvent::Reject),
    };
    if next_state::<FreeTrials>(trial.status, event).is_some() {
        return Ok(());
    }
    let message =
        format!("You cannot {verb} a request that is already {}. A decision is final.", trial.status);
    Err(Rejection::conflict(code, message))
}

/// The rules of a quest for one customer, checked at the request and at the approval.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
struct Quest {
    name: String,
    service_id: ServiceId,
    quantity: i64,
    is_on_offer: bool,
    allow_proof_url: bool,
    auto_approve_is_allowed: bool,
    min_amount_for_auto_approve: Option<Money>,
    #[sqlx(flatten)]
    terms: QuestTerms,
}

/// Which customers may use a quest, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Default, sqlx::FromRow)]
struct QuestTerms {
    deadline: Option<Time>,
    is_repeatable: bool,
    repeats_count: Option<i64>,
    is_allowed_with_spend_above: bool,
    min_user_spend_amount: Option<Money>,
    spent: Money,
}

impl Quest {
    /// Whether a request of this customer is approved automatically, because the customer spent enough.
    fn is_auto_approved(&self) -> bool {
        self.auto_approve_is_allowed
            && self.min_amount_for_auto_approve.is_some_and(|min_amount| self.terms.spent >= min_amount)
    }
}

impl QuestTerms {
    /// Checks whether a customer with `counted_requests` earlier requests may use the quest.
    fn check(&self, counted_requests: i64, now: Time) -> Result<(), Rejection> {
        if let Some(deadline) = self.deadline.filter(|deadline| *deadline < now) {
            let message =
                format!("The quest ended at {deadline}. Change its deadline, or reject the request.");
            return Err(Rejection::conflict("quest_over", message));
        }
        if let Some(min_spent) = self.min_user_spend_amount.filter(|_| self.is_allowed_with_spend_above)
            && self.spent < min_spent
        {
            let message = format!(
                "The quest is for customers who spent at least {min_spent}. This customer spent {}.",
                self.spent
            );
            return Err(Rejection::conflict("quest_not_earned", message));
        }
        let limit = if self.is_repeatable { self.repeats_count } else { Some(1) };
        match limit {
            Some(limit) if counted_requests >= limit => {
                let message = format!(
                    "This customer already used the quest {counted_requests} times. The limit is {limit}."
                );
                Err(Rejection::conflict("quest_used_up", message))
            }
            _ => Ok(()),
        }
    }
}

// Store

/// Loads the quest, and the number of approved requests of the customer. Locks the customer, so that approvals run one after
/// another.
async fn load_quest_and_count(work: &mut UnitOfWork, trial: &FreeTrialRow) -> Result<(Quest, i64)> {
    ledger::lock_balances(work, &[trial.user_id]).await?;
    let (user_id, quest_id) = (trial.user_id, trial.free_trial_quest_id);
    let quest =
        load_quest(work, quest_id, user_id).await?.ok_or_else(|| Error::not_found("quest", quest_id))?;
    Ok((quest, count_trials(work, user_id, quest_id, "status = 'approved'").await?))
}

/// Loads the quest and the amount that the customer spent. The caller has locked the customer.
async fn load_quest(work: &mut UnitOfWork, id: FreeTrialQuestId, user_id: UserId) -> Result<Option<Quest>> {
    let sql = Sql::new(
        "SELECT q.name, q.service_id, q.quantity, q.is_enabled AND NOT q.is_archived AND u.status = 'active' AS is_on_offer, q.deadline, q.is_repeatable,
           q.repeats_count, q.allow_proof_url, q.auto_approve_is_allowed, q.min_amount_for_auto_approve, q.is_allowed_with_spend_above,
           q.min_user_spend_amount, u.spent
         FROM free_trial_quests q JOIN users u ON u.id = ? WHERE q.id = ?",
    );
    Ok(work.fetch_optional(sql.bind(user_id).bind(id)).await?)
}

/// Counts the requests of a customer for a quest that match the SQL `condition`.
async fn count_trials(
    work: &mut UnitOfWork,
    user_id: UserId,
    quest_id: FreeTrialQuestId,
    condition: &'static str,
) -> Result<i64> {
    let sql = Sql::new("SELECT count(*) FROM free_trials WHERE user_id = ? AND free_trial_quest_id = ? AND ");
    Ok(work.fetch_one::<(i64,)>(sql.bind(user_id).bind(quest_id).push(condition)).await?.0)
}

async fn load_row(work: &mut UnitOfWork, id: FreeTrialId) -> Result<FreeTrialRow> {
    let sql = Sql::new("SELECT ").push(SELECT).push(FROM).bind(id);
    work.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("free-trial request", id))
}

async fn lock_row(work: &mut UnitOfWork, id: FreeTrialId) -> Result<FreeTrialRow> {
    work.lock("free_trials", &[id]).await?;
    load_row(work, id).await
}

const SELECT: &str = "t.id, t.order_id, t.proof_url, t.quantity, t.name, t.url, t.status, t.user_id, u.name AS user_name, u.email AS user_email, t.approved_by,
  a.name AS approved_by_name, t.approved_at, t.created_at, t.free_trial_quest_id, q.service_id, q.created_at AS valid_from, q.deadline AS valid_to,
  q.deadline, q.is_repeatable, q.repeats_count, q.is_allowed_with_spend_above, q.min_user_spend_amount, u.spent,
  u.status = 'active' AS customer_is_active,
  (SELECT count(*) FROM free_trials f WHERE f.user_id = t.user_id AND f.free_trial_quest_id = t.free_trial_quest_id AND f.status = 'approved') AS approved_count,
  (SELECT value FROM settings WHERE key = 'free_trials_is_enabled') AS trials_setting";
const FROM: &str = " FROM free_trials t JOIN free_trial_quests q ON q.id = t.free_trial_quest_id JOIN users u ON u.id = t.user_id
  LEFT JOIN users a ON a.id = t.approved_by WHERE t.id = ?";

/// A row of `free_trials`, with its quest and customer.
#[derive(Debug, sqlx::FromRow)]
pub struct FreeTrialRow {
    id: FreeTrialId,
    order_id: Option<OrderId>,
    proof_url: Option<String>,
    quantity: i64,
    name: String,
    url: String,
    status: FreeTrialStatus,
    user_id: UserId,
    user_name: String,
    user_email: String,
    approved_by: Option<UserId>,
    approved_by_name: Option<String>,
    approved_at: Option<Time>,
    created_at: Time,
    free_trial_quest_id: FreeTrialQuestId,
    service_id: ServiceId,
    valid_from: Time,
    valid_to: Option<Time>,
    #[sqlx(flatten)]
    terms: QuestTerms,
    customer_is_active: bool,
    /// Number of approved requests of the customer for the quest.
    approved_count: i64,
    /// The stored value of the setting that enables free trials.
    trials_setting: Option<String>,
}

impl FreeTrialRow {
    /// Whether the settings, the customer's status and the quest allow the approval now.
    fn is_approvable(&self, now: Time) -> bool {
        let setting = settings::parse_stored(settings::FREE_TRIALS_ENABLED, self.trials_setting.as_deref());
        check_open(self, TrialDecision::Approve).is_ok()
            && setting.as_bool().unwrap_or(false)
            && self.customer_is_active
            && self.terms.check(self.approved_count, now).is_ok()
    }

    /// The permission to read requests also allows decisions, so `actions` needs no permission check.
    fn into_response(self, now: Time) -> FreeTrial {
        let approvable = self.is_approvable(now);
        let rejectable = check_open(&self, TrialDecision::Reject).is_ok();
        FreeTrial {
            actions: FreeTrialActions { approvable, rejectable },
            id: self.id,
            order_id: self.order_id,
            proof_url: self.proof_url,
            quantity: self.quantity,
            name: self.name,
            url: self.url,
            status: self.status,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            approved_by: self.approved_by.zip(self.approved_by_name).map(|(id, name)| NamedRef { id, name }),
            approved_at: self.approved_at,
            created_at: self.created_at,
            free_trial_quest_id: self.free_trial_quest_id,
            service_id: self.service_id,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_a_quest_apply_at_the_approval() {
        let single_use = QuestTerms { repeats_count: Some(9), ..QuestTerms::default() };
        let code = |terms: QuestTerms, approved_count| {
            terms.check(approved_count, Time(100)).err().map(|rejection| rejection.code)
        };
        assert_eq!((code(single_use.clone(), 0), code(single_use.clone(), 1)), (None, Some("quest_used_up")));
        let three_uses = QuestTerms { is_repeatable: true, repeats_count: Some(3), ..single_use.clone() };
        assert_eq!((code(three_uses.clone(), 2), code(three_uses.clone(), 3)), (None, Some("quest_used_up")));
        assert_eq!(code(QuestTerms { repeats_count: None, ..three_uses }, 1_000), None);
        let with_deadline = |deadline| QuestTerms { deadline: Some(Time(deadline)), ..single_use.clone() };
        assert_eq!((code(with_deadline(100), 0), code(with_deadline(99), 0)), (None, Some("quest_over")));
        let with_required_spend = |spent| QuestTerms {
            is_allowed_with_spend_above: true,
            min_user_spend_amount: Some(Money(5)),
            spent: Money(spent),
            ..single_use.clone()
        };
        assert_eq!(
            (code(with_required_spend(5), 0), code(with_required_spend(4), 0)),
            (None, Some("quest_not_earned"))
        );
        let not_required = QuestTerms { is_allowed_with_spend_above: false, ..with_required_spend(4) };
        assert_eq!(code(not_required, 0), None, "the amount must not count if the quest does not require it");
        let auto_approvals = |spent| {
            let terms = QuestTerms { spent: Money(spent), ..QuestTerms::default() };
            let quest = Quest {
                name: String::new(),
                service_id: ServiceId::new(1),
                quantity: 0,
                is_on_offer: false,
                allow_proof_url: false,
                auto_approve_is_allowed: false,
                min_amount_for_auto_approve: Some(Money(5)),
                terms,
            };
            (quest.is_auto_approved(), Quest { auto_approve_is_allowed: true, ..quest }.is_auto_approved())
        };
        assert_eq!((auto_approvals(5), auto_approvals(4)), ((false, true), (false, false)));
    }
}
