//! Endpoints of order widgets, through which customers order on other sites. `intake` determines the minimum cost of such an order
//! and the reward of the widget's owner; only `operations::orders::place` calls it.

pub mod intake;
mod rules;
mod statistics;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Data;
use panel_contract::endpoints::order_widgets::{
    CreateOrderWidget, GetOrderWidget, GetOrderWidgetStatistics, ListOrderWidgets, UpdateOrderWidget,
};
use panel_contract::ids::{OrderWidgetId, PaymentMethodId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::order_widgets::{OrderWidget, OrderWidgetActions, OrderWidgetRow};
use panel_contract::payments::UserSummary;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::order_widgets::rules::OrderWidgetDraft;
use crate::records::search_texts;
use panel_domain::difference::changed_fields;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, TextIndex, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.table::<ListOrderWidgets, _, _>(&ORDER_WIDGETS, |widget: StoredOrderWidget, scope| {
        widget.into_row(scope)
    })
    .on::<CreateOrderWidget, _, _, _>(create)
    .on::<GetOrderWidget, _, _, _>(get)
    .on::<UpdateOrderWidget, _, _, _>(update)
    .on::<GetOrderWidgetStatistics, _, _, _>(statistics::statistics)
}

const SELECT: &str = "w.id, w.name, w.user_id, u.name AS user_name, u.email AS user_email, w.is_outer, w.api_token, w.minimum_purchase_amount, w.reward_ppm,
  w.payment_methods, w.created_at, w.updated_at";

static NAMES_AND_TOKENS: TextIndex = TextIndex::rows("order_widgets", &["name", "api_token"]);

/// All order widgets, newest first.
pub static ORDER_WIDGETS: Table = Table::new(
    &panel_contract::lists::order_widgets::ORDER_WIDGETS,
    RowSource {
        base: "order_widgets",
        alias: "w",
        key: "w.id",
        joins: &[Join { alias: "u", sql: "JOIN users u ON u.id = w.user_id" }],
        select: SELECT,
        ..RowSource::NONE
    },
    &[
        expr("user", "u.email").join("u").text_index("w.user_id", &search_texts::USERS, ""),
        expr("user.id", "w.user_id"),
        expr("user.name", "u.name").join("u").text_index("w.user_id", &search_texts::USERS, "name"),
        expr("user.email", "u.email").join("u").text_index("w.user_id", &search_texts::USERS, "email"),
        expr("reward_fraction", "w.reward_ppm"),
    ],
)
.global_search(&[
    SearchTarget::new("w.id", &NAMES_AND_TOKENS, "name").own_columns(&["w.name", "w.api_token"]),
    SearchTarget::new("w.user_id", &search_texts::USERS, "user"),
]);

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct StoredOrderWidget {
    id: OrderWidgetId,
    name: String,
    user_id: UserId,
    user_name: String,
    user_email: String,
    is_outer: bool,
    api_token: String,
    minimum_purchase_amount: Option<Money>,
    reward_ppm: Fraction,
    payment_methods: String,
    created_at: Time,
    updated_at: Timestamp,
}

impl StoredOrderWidget {
    fn into_row(self, scope: &Scope) -> OrderWidgetRow {
        OrderWidgetRow {
            actions: OrderWidgetActions { editable: scope.may(Permission::ManageOrderWidgets) },
            payment_methods: serde_json::from_str(&self.payment_methods).unwrap_or_default(),
            id: self.id,
            name: self.name,
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            is_outer: self.is_outer,
            api_token: self.api_token,
            minimum_purchase_amount: self.minimum_purchase_amount,
            reward_fraction: self.reward_ppm,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn draft(&self) -> OrderWidgetDraft {
        OrderWidgetDraft {
            name: self.name.clone(),
            user_id: Some(self.user_id),
            is_outer: self.is_outer,
            minimum_purchase_amount: self.minimum_purchase_amount,
            reward_fraction: self.reward_ppm,
            payment_methods: serde_json::from_str(&self.payment_methods).unwrap_or_default(),
        }
    }
}

async fn get(ctx: Ctx, req: Req<GetOrderWidget>) -> Result<Data<OrderWidget>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateOrderWidget>) -> Result<Data<OrderWidget>> {
    let (draft, errors) = OrderWidgetDraft::default().with_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    let mut work = ctx.begin().await?;
    field_errors.collect(check_references(&mut work, &OrderWidgetDraft::default(), &draft).await)?;
    field_errors.into_result(())?;
    let id = insert(&mut work, &draft, &ctx.app.random.token()).await?;
    record_audit(&mut work, "order_widget.created", id, json!({}), json!(draft)).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateOrderWidget>) -> Result<Data<OrderWidget>> {
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let stored = find(&mut work, req.path).await?;
    Error::check_not_stale("order widget", req.body.updated_at, stored.updated_at)?;
    let before = stored.draft();
    let (after, errors) = before.clone().with_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    field_errors.collect(check_references(&mut work, &before, &after).await)?;
    field_errors.into_result(())?;
    if after != before {
        write(&mut work, req.path, &after).await?;
        let (old, new) = changed_fields(&json!(before), &json!(after));
        record_audit(&mut work, "order_widget.updated", req.path, old, new).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn record_audit(
    work: &mut UnitOfWork,
    event: &str,
    id: OrderWidgetId,
    old: Value,
    new: Value,
) -> Result<()> {
    audit::record(work, event, "order_widget", AuditChange { id: id.as_record_id(), old, new }).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: OrderWidgetId) -> Result<Data<OrderWidget>> {
    let scope = work.scope().clone();
    let data = load(&mut work, &scope, id).await?;
    work.finish(Data { data }).await
}

// Store

async fn load(db: &mut impl Source, scope: &Scope, id: OrderWidgetId) -> Result<OrderWidget> {
    let row = find(db, id).await?.into_row(scope);
    let site_url = settings::read_text(db, settings::LOGO_DESTINATION).await?;
    let embed =
        row.is_outer.then(|| rules::embed_html(site_url.as_deref()?, &row.api_token, &row.name)).flatten();
    Ok(OrderWidget { row, embed })
}

async fn find(db: &mut impl Source, id: OrderWidgetId) -> Result<StoredOrderWidget> {
    let sql = Sql::new("SELECT ").push(SELECT).push(" FROM order_widgets w JOIN users u ON u.id = w.user_id");
    let widget: Option<StoredOrderWidget> = db.fetch_optional(sql.push(" WHERE w.id = ?").bind(id)).await?;
    widget.ok_or_else(|| Error::not_found("order widget", id))
}

async fn lock(work: &mut UnitOfWork, id: OrderWidgetId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM order_widgets WHERE id = ?").bind(id).for_update();
    let row: Option<(OrderWidgetId,)> = work.fetch_optional(sql).await?;
    row.map(|_| ()).ok_or_else(|| Error::not_found("order widget", id))
}

/// Checks the owner and new payment methods. A payment method that was disabled later may stay.
async fn check_references(
    work: &mut UnitOfWork,
    before: &OrderWidgetDraft,
    after: &OrderWidgetDraft,
) -> Result<()> {
    let mut errors = panel_contract::fields::FieldErrors::default();
    let select_owner = Sql::new("SELECT id FROM users WHERE id = ?").bind(after.user_id);
    if let Some(id) = after.user_id.filter(|id| id.get() != 0)
        && work.fetch_optional::<(UserId,)>(select_owner).await?.is_none()
    {
        errors.add("user_id", format!("User {id} does not exist. Choose another one."));
    }
    let new_methods = after.payment_methods.iter().filter(|id| !before.payment_methods.contains(id));
    let new_methods: Vec<PaymentMethodId> = new_methods.copied().collect();
    let select_enabled =
        Sql::new("SELECT id FROM payment_methods WHERE is_enabled AND id IN ").ids(&new_methods);
    let enabled: Vec<(PaymentMethodId,)> = work.fetch_all(select_enabled).await?;
    for id in new_methods.iter().filter(|id| !enabled.contains(&(**id,))) {
        errors.add("payment_methods", format!("Payment method {id} is not enabled. Choose another one."));
    }
    Ok(errors.into_result(())?)
}

/// The INSERT and the UPDATE of all fields of a widget.
fn statements(draft: &OrderWidgetDraft, now: Timestamp) -> [Sql; 2] {
    let OrderWidgetDraft {
        name,
        user_id,
        is_outer,
        minimum_purchase_amount,
        reward_fraction,
        payment_methods,
    } = draft;
    sql!(
        [
            "INSERT INTO order_widgets (name, user_id, is_outer, minimum_purchase_amount, reward_ppm, payment_methods, api_token, \
               created_at, updated_at)
             VALUES (@name, @user_id, @is_outer, @minimum_purchase_amount, @reward_ppm, @payment_methods, @api_token, @now, @now) \
               RETURNING id",
            "UPDATE order_widgets SET name = @name, user_id = @user_id, is_outer = @is_outer, \
               minimum_purchase_amount = @minimum_purchase_amount, reward_ppm = @reward_ppm, payment_methods = @payment_methods, \
               updated_at = @now WHERE id = @id",
        ],
        {
            name: name.as_str(),
            user_id,
            is_outer,
            minimum_purchase_amount,
            reward_ppm: reward_fraction,
            payment_methods: json!(payment_methods).to_string(),
            now,
        },
        bound_later: [api_token, id],
    )
}

async fn insert(work: &mut UnitOfWork, draft: &OrderWidgetDraft, token: &str) -> Result<OrderWidgetId> {
    let [insert, _] = statements(draft, work.timestamp());
    Ok(work.fetch_one::<(OrderWidgetId,)>(insert.bind_named("api_token", token)).await?.0)
}

async fn write(work: &mut UnitOfWork, id: OrderWidgetId, draft: &OrderWidgetDraft) -> Result<()> {
    let [_, update] = statements(draft, work.timestamp());
    work.execute(update.bind_named("id", id)).await?;
    Ok(())
}
