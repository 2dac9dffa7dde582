//! Endpoints of order widgets, through which customers order on other sites. `widget_orders` determines the minimum cost of such
//! an order and the reward of the widget's owner; only `operations::orders::place` calls it.

mod rules;
mod statistics;
pub mod widget_orders;

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
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::table::{Join, RowSource, SearchTarget, Table, TextIndex, expr};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListOrderWidgets, _, _>(&ORDER_WIDGETS, |widget: StoredOrderWidget, scope| {
        widget.into_row(scope)
    })
    .route::<CreateOrderWidget, _, _, _>(create)
    .route::<GetOrderWidget, _, _, _>(get)
    .route::<UpdateOrderWidget, _, _, _>(update)
    .route::<GetOrderWidgetStatistics, _, _, _>(statistics::get_statistics)
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
            actions: OrderWidgetActions { editable: scope.has_permission(Permission::ManageOrderWidgets) },
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

    fn to_draft(&self) -> OrderWidgetDraft {
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
    Ok(Data { data: load_response(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateOrderWidget>) -> Result<Data<OrderWidget>> {
    let (draft, errors) = OrderWidgetDraft::default().apply_input(&req.body);
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
    let widget = load_widget(&mut work, req.path).await?;
    Error::check_not_stale("order widget", req.body.updated_at, widget.updated_at)?;
    let old_draft = widget.to_draft();
    let (new_draft, errors) = old_draft.clone().apply_input(&req.body);
    let mut field_errors = FieldErrorCollector::from(errors);
    field_errors.collect(check_references(&mut work, &old_draft, &new_draft).await)?;
    field_errors.into_result(())?;
    if new_draft != old_draft {
        update_row(&mut work, req.path, &new_draft).await?;
        let (old_values, new_values) = changed_fields(&json!(old_draft), &json!(new_draft));
        record_audit(&mut work, "order_widget.updated", req.path, old_values, new_values).await?;
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
    let data = load_response(&mut work, &scope, id).await?;
    work.finish(Data { data }).await
}

// Store

async fn load_response(db: &mut impl SqlExecutor, scope: &Scope, id: OrderWidgetId) -> Result<OrderWidget> {
    let row = load_widget(db, id).await?.into_row(scope);
    let site_url = settings::read_text(db, settings::LOGO_DESTINATION).await?;
    let embed_html =
        row.is_outer.then(|| rules::embed_html(site_url.as_deref()?, &row.api_token, &row.name)).flatten();
    Ok(OrderWidget { row, embed: embed_html })
}

async fn load_widget(db: &mut impl SqlExecutor, id: OrderWidgetId) -> Result<StoredOrderWidget> {
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
    old_draft: &OrderWidgetDraft,
    new_draft: &OrderWidgetDraft,
) -> Result<()> {
    let mut errors = panel_contract::fields::FieldErrors::default();
    let owner_sql = Sql::new("SELECT id FROM users WHERE id = ?").bind(new_draft.user_id);
    if let Some(id) = new_draft.user_id.filter(|id| id.get() != 0)
        && work.fetch_optional::<(UserId,)>(owner_sql).await?.is_none()
    {
        errors.add("user_id", format!("User {id} does not exist. Choose another one."));
    }
    let new_methods = new_draft.payment_methods.iter().filter(|id| !old_draft.payment_methods.contains(id));
    let new_methods: Vec<PaymentMethodId> = new_methods.copied().collect();
    let enabled_methods_sql =
        Sql::new("SELECT id FROM payment_methods WHERE is_enabled AND id IN ").ids(&new_methods);
    let enabled_methods: Vec<(PaymentMethodId,)> = work.fetch_all(enabled_methods_sql).await?;
    for id in new_methods.iter().filter(|id| !enabled_methods.contains(&(**id,))) {
        errors.add("payment_methods", format!("Payment method {id} is not enabled. Choose another one."));
    }
    Ok(errors.into_result(())?)
}

/// Returns the INSERT and the UPDATE of all fields of a widget.
fn insert_and_update_sql(draft: &OrderWidgetDraft, now: Timestamp) -> [Sql; 2] {
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
    let [insert_sql, _] = insert_and_update_sql(draft, work.timestamp());
    Ok(work.fetch_one::<(OrderWidgetId,)>(insert_sql.bind_named("api_token", token)).await?.0)
}

async fn update_row(work: &mut UnitOfWork, id: OrderWidgetId, draft: &OrderWidgetDraft) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(draft, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    Ok(())
}
