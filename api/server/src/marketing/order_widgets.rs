//! Order widgets: through which orders come in from other pages. What an order through one has to cost and what its
//! owner gets for it stands in `intake`; orders reach that by `operations::orders::place` alone.

pub mod intake;
mod rules;
mod statistics;

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Data;
use panel_contract::endpoints::order_widgets::{
    CreateOrderWidget, GetOrderWidget, ListOrderWidgets, OrderWidgetStatisticsOp, UpdateOrderWidget,
};
use panel_contract::ids::{OrderWidgetId, PaymentMethodId, UserId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::order_widgets::{OrderWidget, OrderWidgetActions, OrderWidgetRow};
use panel_contract::payments::PaymentUser;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde_json::{Value, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::order_widgets::rules::Draft;
use crate::records::search_texts;
use panel_domain::difference::differing;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::table::{Arm, Index, Join, RowSource, Table, expr};
use panel_platform::work::Work;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListOrderWidgets, _, _>(&ORDER_WIDGETS, |record: Record, ctx| record.shown(ctx))
        .on::<CreateOrderWidget, _, _, _>(create)
        .on::<GetOrderWidget, _, _, _>(get)
        .on::<UpdateOrderWidget, _, _, _>(update)
        .on::<OrderWidgetStatisticsOp, _, _, _>(statistics::statistics)
}

const SELECT: &str = "w.id, w.name, w.user_id, u.name AS user_name, u.email AS user_email, w.is_outer, w.api_token, w.minimum_purchase_amount, w.reward_ppm,
  w.payment_methods, w.created_at, w.updated_at";

static NAMES: Index = Index::rows("order_widgets", &["name", "api_token"]);

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
        expr("reward_percent", "w.reward_ppm"),
    ],
)
.common_search(&[
    Arm::new("w.id", &NAMES, "name").here(&["w.name", "w.api_token"]),
    Arm::new("w.user_id", &search_texts::USERS, "user"),
]);

/// A widget as the database has it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Record {
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
    updated_at: Stamp,
}

impl Record {
    fn shown(self, scope: &Scope) -> OrderWidgetRow {
        OrderWidgetRow {
            actions: OrderWidgetActions { editable: scope.may(Permission::ManageOrderWidgets) },
            payment_methods: serde_json::from_str(&self.payment_methods).unwrap_or_default(),
            id: self.id,
            name: self.name,
            user: PaymentUser { id: self.user_id, name: self.user_name, email: self.user_email },
            is_outer: self.is_outer,
            api_token: self.api_token,
            minimum_purchase_amount: self.minimum_purchase_amount,
            reward_percent: self.reward_ppm,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn draft(&self) -> Draft {
        Draft {
            name: self.name.clone(),
            user_id: Some(self.user_id),
            is_outer: self.is_outer,
            minimum_purchase_amount: self.minimum_purchase_amount,
            reward_percent: self.reward_ppm,
            payment_methods: serde_json::from_str(&self.payment_methods).unwrap_or_default(),
        }
    }
}

async fn get(ctx: Ctx, req: Req<GetOrderWidget>) -> Result<Data<OrderWidget>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateOrderWidget>) -> Result<Data<OrderWidget>> {
    let (draft, errors) = Draft::default().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    wrong.note(check_references(&mut work, &Draft::default(), &draft).await)?;
    wrong.or(())?;
    let id = insert(&mut work, &draft, &ctx.app.random.token()).await?;
    audited(&mut work, "order_widget.created", id, json!({}), json!(draft)).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateOrderWidget>) -> Result<Data<OrderWidget>> {
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let record = find(&mut work, req.path).await?;
    Error::unless_newest("order widget", req.body.updated_at, record.updated_at)?;
    let before = record.draft();
    let (after, errors) = before.clone().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    wrong.note(check_references(&mut work, &before, &after).await)?;
    wrong.or(())?;
    if after != before {
        write(&mut work, req.path, &after).await?;
        let (old, new) = differing(&json!(before), &json!(after));
        audited(&mut work, "order_widget.updated", req.path, old, new).await?;
    }
    answer(work, req.path).await
}

async fn audited(work: &mut Work, event: &str, id: OrderWidgetId, old: Value, new: Value) -> Result<()> {
    audit::record(work, event, "order_widget", Change { id: id.record(), old, new }).await
}

async fn answer(mut work: Work, id: OrderWidgetId) -> Result<Data<OrderWidget>> {
    let ctx = work.scope().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

// Store

async fn load(db: &mut impl Source, scope: &Scope, id: OrderWidgetId) -> Result<OrderWidget> {
    let row = find(db, id).await?.shown(scope);
    let site = settings::text(db, settings::LOGO_DESTINATION).await?;
    let embed = row.is_outer.then(|| rules::embed(site.as_deref()?, &row.api_token, &row.name)).flatten();
    Ok(OrderWidget { row, embed })
}

async fn find(db: &mut impl Source, id: OrderWidgetId) -> Result<Record> {
    let sql = Sql::new("SELECT ").push(SELECT).push(" FROM order_widgets w JOIN users u ON u.id = w.user_id");
    let record: Option<Record> = db.opt(sql.push(" WHERE w.id = ?").bind(id)).await?;
    record.ok_or_else(|| Error::not_found("order widget", id))
}

async fn lock(work: &mut Work, id: OrderWidgetId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM order_widgets WHERE id = ?").bind(id).for_update();
    let known: Option<(OrderWidgetId,)> = work.opt(sql).await?;
    known.map(|_| ()).ok_or_else(|| Error::not_found("order widget", id))
}

/// Only what is new has to be there: a payment method that was switched off since may stay.
async fn check_references(work: &mut Work, before: &Draft, after: &Draft) -> Result<()> {
    let mut errors = panel_contract::fields::FieldErrors::default();
    let owner = Sql::new("SELECT id FROM users WHERE id = ?").bind(after.user_id);
    if let Some(id) = after.user_id.filter(|id| id.get() != 0)
        && work.opt::<(UserId,)>(owner).await?.is_none()
    {
        errors.add("user_id", format!("There is no user {id}; choose one."));
    }
    let new = after.payment_methods.iter().filter(|id| !before.payment_methods.contains(id));
    let new: Vec<PaymentMethodId> = new.copied().collect();
    let enabled = Sql::new("SELECT id FROM payment_methods WHERE is_enabled AND id IN ").ids(&new);
    let known: Vec<(PaymentMethodId,)> = work.all(enabled).await?;
    for id in new.iter().filter(|id| !known.contains(&(**id,))) {
        errors.add("payment_methods", format!("Payment method {id} is not enabled; choose another."));
    }
    Ok(errors.or(())?)
}

/// The INSERT and the UPDATE of all fields of a widget.
fn statements(draft: &Draft, now: Stamp) -> [Sql; 2] {
    let Draft { name, user_id, is_outer, minimum_purchase_amount, reward_percent, payment_methods } = draft;
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
            reward_ppm: reward_percent,
            payment_methods: json!(payment_methods).to_string(),
            now,
        },
        later: [api_token, id],
    )
}

async fn insert(work: &mut Work, draft: &Draft, token: &str) -> Result<OrderWidgetId> {
    let [insert, _] = statements(draft, work.stamp());
    Ok(work.one::<(OrderWidgetId,)>(insert.named("api_token", token)).await?.0)
}

async fn write(work: &mut Work, id: OrderWidgetId, draft: &Draft) -> Result<()> {
    let [_, update] = statements(draft, work.stamp());
    work.exec(update.named("id", id)).await?;
    Ok(())
}
