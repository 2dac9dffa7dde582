//! Manages the payment methods that a customer can use, and the customer's key for the reseller API. Only the response to the
//! creation of a key contains it; the database stores its hash.

use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::user_access::{
    CreateUserApiKey, ListUserPaymentMethods, RemoveApiKey, SyncPaymentMethods,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::permission::Permission;
use panel_contract::user_access::{ApiKey, UserPaymentMethod, UserPaymentMethods};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::sessions;
use crate::context::Ctx;
use crate::emails::{self, ApiKeyChange, Recipient};
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;
use crate::operations::user_services::user_exists;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor, names};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::UnitOfWork;

/// Maximum number of payment methods in one request.
const MAX_METHODS: usize = 1_000;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListUserPaymentMethods, _, _, _>(list_payment_methods)
        .route::<SyncPaymentMethods, _, _, _>(sync_payment_methods)
        .route::<CreateUserApiKey, _, _, _>(create_key)
        .route::<RemoveApiKey, _, _, _>(remove_key)
}

async fn list_payment_methods(
    ctx: Ctx,
    req: Req<ListUserPaymentMethods>,
) -> Result<Data<Vec<UserPaymentMethod>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: load_all_methods(db, req.path).await? })
}

async fn sync_payment_methods(ctx: Ctx, req: Req<SyncPaymentMethods>) -> Result<Data<UserPaymentMethods>> {
    let requested_ids = req.body.payment_methods.as_deref().unwrap_or_default();
    if requested_ids.len() > MAX_METHODS {
        let message = format!("Choose at most {MAX_METHODS} payment methods.");
        return Err(Error::invalid("payment_methods", "too_many", message));
    }
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, req.path).await?;
    let existing_ids: Vec<PaymentMethodId> =
        names::load_names(&mut work, "payment_methods", requested_ids).await?.into_keys().collect();
    let mut errors = FieldErrors::default();
    for (index, id) in requested_ids.iter().enumerate().filter(|(_, id)| !existing_ids.contains(id)) {
        errors.add(format!("payment_methods.{index}"), format!("There is no payment method {id}."));
    }
    errors.into_result(())?;
    let old_methods =
        UserPaymentMethods { payment_methods: load_enabled_methods(&mut work, req.path).await? };
    if req.body.payment_methods.is_none() {
        return work.finish(Data { data: hide_without_permission(&ctx, old_methods) }).await;
    }
    replace_methods(&mut work, req.path, &existing_ids).await?;
    let data = UserPaymentMethods { payment_methods: load_enabled_methods(&mut work, req.path).await? };
    let change = AuditChange { id: req.path.as_record_id(), old: json!(old_methods), new: json!(data) };
    audit::record(&mut work, "user.payment_methods_synced", "user", change).await?;
    work.finish(Data { data: hide_without_permission(&ctx, data) }).await
}

/// Staff without the permission to view payment methods may replace those of a customer, but cannot read their names.
fn hide_without_permission(ctx: &Ctx, methods: UserPaymentMethods) -> UserPaymentMethods {
    match ctx.has_permission(Permission::ViewPaymentMethods) {
        true => methods,
        false => UserPaymentMethods { payment_methods: Vec::new() },
    }
}

async fn create_key(ctx: Ctx, req: Req<CreateUserApiKey>) -> Result<Data<ApiKey>> {
    // The response contains a secret, so it is not stored under the idempotency key.
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    rank::lock_user(&mut work, req.path).await?;
    let key = ctx.app.random.token();
    let created_at = work.now;
    let had_key = write_key(&mut work, req.path, Some(sessions::hash(&key))).await?;
    let change = AuditChange {
        id: req.path.as_record_id(),
        old: json!({ "api_key": had_key }),
        new: json!({ "api_key": true }),
    };
    audit::record(&mut work, "user.api_key_made", "user", change).await?;
    let change = if had_key { ApiKeyChange::Replaced } else { ApiKeyChange::Created };
    email_customer(&mut work, req.path, change).await?;
    work.finish(()).await?;
    Ok(Data { data: ApiKey { key, created_at } })
}

async fn remove_key(ctx: Ctx, req: Req<RemoveApiKey>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, req.path).await?;
    if !write_key(&mut work, req.path, None).await? {
        return Err(Error::conflict("no_api_key", "This customer has no API key."));
    }
    let change = AuditChange {
        id: req.path.as_record_id(),
        old: json!({ "api_key": true }),
        new: json!({ "api_key": false }),
    };
    audit::record(&mut work, "user.api_key_removed", "user", change).await?;
    email_customer(&mut work, req.path, ApiKeyChange::Removed).await?;
    work.finish(EmptyBody {}).await
}

// Rules

/// Enqueues the email with the change, even if the customer disabled other emails: a key unknown to the customer could spend
/// their balance.
async fn email_customer(work: &mut UnitOfWork, user: UserId, change: ApiKeyChange) -> Result<()> {
    let (name, email) = load_name_and_email(work, user).await?;
    let email = emails::api_key_changed(Recipient { name, email }, change);
    let now = work.now;
    jobs::enqueue(work, &[Job::Mail(email)], now).await
}

// Store

async fn load_name_and_email(work: &mut UnitOfWork, user: UserId) -> DbResult<(String, String)> {
    work.fetch_one(Sql::new("SELECT name, email FROM users WHERE id = ?").bind(user)).await
}

async fn load_all_methods(db: &mut impl SqlExecutor, user: UserId) -> DbResult<Vec<UserPaymentMethod>> {
    let sql = Sql::new(
        "SELECT m.id, m.name, m.is_enabled, EXISTS (SELECT 1 FROM user_payment_methods x WHERE x.payment_method_id = m.id AND x.user_id = ?) AS offered
         FROM payment_methods m ORDER BY m.position, m.id",
    );
    let rows: Vec<(PaymentMethodId, String, bool, bool)> = db.fetch_all(sql.bind(user)).await?;
    let to_response =
        |(id, name, is_enabled, is_offered)| UserPaymentMethod { id, name, is_enabled, is_offered };
    Ok(rows.into_iter().map(to_response).collect())
}

/// The payment methods that are enabled for a user, by position.
pub async fn load_enabled_methods(
    db: &mut impl SqlExecutor,
    user: UserId,
) -> DbResult<Vec<NamedRef<PaymentMethodId>>> {
    let sql = Sql::new(
        "SELECT m.id, m.name FROM user_payment_methods x JOIN payment_methods m ON m.id = x.payment_method_id WHERE x.user_id = ? ORDER BY m.position, m.id",
    );
    let rows: Vec<(PaymentMethodId, String)> = db.fetch_all(sql.bind(user)).await?;
    Ok(rows.into_iter().map(|(id, name)| NamedRef { id, name }).collect())
}

async fn replace_methods(work: &mut UnitOfWork, user: UserId, ids: &[PaymentMethodId]) -> DbResult<()> {
    work.execute(Sql::new("DELETE FROM user_payment_methods WHERE user_id = ?").bind(user)).await?;
    let sql = Sql::new(
        "INSERT INTO user_payment_methods (user_id, payment_method_id) SELECT ?, id FROM payment_methods WHERE id IN ",
    );
    work.execute(sql.bind(user).ids(ids)).await?;
    Ok(())
}

/// Replaces or removes the hash of the customer's key, and returns whether there was one.
async fn write_key(work: &mut UnitOfWork, user: UserId, hash: Option<Vec<u8>>) -> DbResult<bool> {
    let now = work.now;
    let had_key = work.execute(Sql::new("DELETE FROM api_keys WHERE user_id = ?").bind(user)).await? == 1;
    if let Some(hash) = hash {
        let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, ?)");
        work.execute(sql.bind(user).bind(hash).bind(now)).await?;
    }
    Ok(had_key)
}
