//! What a customer may use: the payment methods they are offered, and their key to the reseller API. A key is shown
//! once, to whoever makes it; its hash is all that is kept.

use panel_contract::common::{Data, Named};
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::user_access::{
    ListUserPaymentMethods, MakeApiKey, RemoveApiKey, SyncPaymentMethods,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{PaymentMethodId, UserId};
use panel_contract::permission::Permission;
use panel_contract::user_access::{ApiKey, OfferedMethod, UserPaymentMethods};
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
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql, names};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::work::Work;

/// Payment methods of one call; no panel has as many.
const MOST: usize = 1_000;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListUserPaymentMethods, _, _, _>(list)
        .on::<SyncPaymentMethods, _, _, _>(sync)
        .on::<MakeApiKey, _, _, _>(make_key)
        .on::<RemoveApiKey, _, _, _>(remove_key)
}

async fn list(ctx: Ctx, req: Req<ListUserPaymentMethods>) -> Result<Data<Vec<OfferedMethod>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: all(db, req.path).await? })
}

async fn sync(ctx: Ctx, req: Req<SyncPaymentMethods>) -> Result<Data<UserPaymentMethods>> {
    let wanted = req.body.payment_methods.as_deref().unwrap_or_default();
    if wanted.len() > MOST {
        let message = format!("Choose at most {MOST} payment methods.");
        return Err(Error::invalid("payment_methods", "too_many", message));
    }
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, req.path).await?;
    let known: Vec<PaymentMethodId> =
        names::of(&mut work, "payment_methods", wanted).await?.into_keys().collect();
    let mut errors = FieldErrors::default();
    for (at, id) in wanted.iter().enumerate().filter(|(_, id)| !known.contains(id)) {
        errors.add(format!("payment_methods.{at}"), format!("There is no payment method {id}."));
    }
    errors.or(())?;
    let old = UserPaymentMethods { payment_methods: methods(&mut work, req.path).await? };
    if req.body.payment_methods.is_none() {
        return work.finish(Data { data: visible_to(&ctx, old) }).await;
    }
    replace(&mut work, req.path, &known).await?;
    let data = UserPaymentMethods { payment_methods: methods(&mut work, req.path).await? };
    let change = Change { id: req.path.record(), old: json!(old), new: json!(data) };
    audit::record(&mut work, "user.payment_methods_synced", "user", change).await?;
    work.finish(Data { data: visible_to(&ctx, data) }).await
}

/// Staff without the permission to view payment methods may replace a customer's, but do not learn their names.
fn visible_to(ctx: &Ctx, methods: UserPaymentMethods) -> UserPaymentMethods {
    match ctx.may(Permission::ViewPaymentMethods) {
        true => methods,
        false => UserPaymentMethods { payment_methods: Vec::new() },
    }
}

async fn make_key(ctx: Ctx, req: Req<MakeApiKey>) -> Result<Data<ApiKey>> {
    // The answer holds a secret, so it is not kept under the request's key.
    let mut work = ctx.once().begin().await?;
    rank::lock_user(&mut work, req.path).await?;
    let key = ctx.app.random.token();
    let created_at = work.now;
    let had = write_key(&mut work, req.path, Some(sessions::hash(&key))).await?;
    let change =
        Change { id: req.path.record(), old: json!({ "api_key": had }), new: json!({ "api_key": true }) };
    audit::record(&mut work, "user.api_key_made", "user", change).await?;
    let change = if had { ApiKeyChange::Replaced } else { ApiKeyChange::Created };
    email_customer(&mut work, req.path, change).await?;
    work.finish(()).await?;
    Ok(Data { data: ApiKey { key, created_at } })
}

async fn remove_key(ctx: Ctx, req: Req<RemoveApiKey>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, req.path).await?;
    if !write_key(&mut work, req.path, None).await? {
        return Err(Error::conflict("no_api_key", "This customer has no API key."));
    }
    let change =
        Change { id: req.path.record(), old: json!({ "api_key": true }), new: json!({ "api_key": false }) };
    audit::record(&mut work, "user.api_key_removed", "user", change).await?;
    email_customer(&mut work, req.path, ApiKeyChange::Removed).await?;
    work.finish(NoBody {}).await
}

// Rules

/// Queues the email with the change, whatever else the customer gets by email: a key that they know nothing of would
/// spend their balance.
async fn email_customer(work: &mut Work, user: UserId, change: ApiKeyChange) -> Result<()> {
    let (name, email) = recipient(work, user).await?;
    let email = emails::api_key_changed(Recipient { name, email }, change);
    let now = work.now;
    jobs::enqueue(work, &[Job::Mail(email)], now).await
}

// Store

async fn recipient(work: &mut Work, user: UserId) -> DbResult<(String, String)> {
    work.one(Sql::new("SELECT name, email FROM users WHERE id = ?").bind(user)).await
}

async fn all(db: &mut impl Source, user: UserId) -> DbResult<Vec<OfferedMethod>> {
    let sql = Sql::new(
        "SELECT m.id, m.name, m.is_enabled, EXISTS (SELECT 1 FROM user_payment_methods x WHERE x.payment_method_id = m.id AND x.user_id = ?) AS offered
         FROM payment_methods m ORDER BY m.position, m.id",
    );
    let rows: Vec<(PaymentMethodId, String, bool, bool)> = db.all(sql.bind(user)).await?;
    let shown = |(id, name, is_enabled, is_offered)| OfferedMethod { id, name, is_enabled, is_offered };
    Ok(rows.into_iter().map(shown).collect())
}

/// The payment methods chosen for a user, by position.
pub async fn methods(db: &mut impl Source, user: UserId) -> DbResult<Vec<Named<PaymentMethodId>>> {
    let sql = Sql::new(
        "SELECT m.id, m.name FROM user_payment_methods x JOIN payment_methods m ON m.id = x.payment_method_id WHERE x.user_id = ? ORDER BY m.position, m.id",
    );
    let rows: Vec<(PaymentMethodId, String)> = db.all(sql.bind(user)).await?;
    Ok(rows.into_iter().map(|(id, name)| Named { id, name }).collect())
}

async fn replace(work: &mut Work, user: UserId, ids: &[PaymentMethodId]) -> DbResult<()> {
    work.exec(Sql::new("DELETE FROM user_payment_methods WHERE user_id = ?").bind(user)).await?;
    let sql = Sql::new(
        "INSERT INTO user_payment_methods (user_id, payment_method_id) SELECT ?, id FROM payment_methods WHERE id IN ",
    );
    work.exec(sql.bind(user).ids(ids)).await?;
    Ok(())
}

/// Puts a key's hash in the place of the old one; whether there was one.
async fn write_key(work: &mut Work, user: UserId, hash: Option<Vec<u8>>) -> DbResult<bool> {
    let now = work.now;
    let had = work.exec(Sql::new("DELETE FROM api_keys WHERE user_id = ?").bind(user)).await? == 1;
    if let Some(hash) = hash {
        let sql = Sql::new("INSERT INTO api_keys (user_id, key_hash, created_at) VALUES (?, ?, ?)");
        work.exec(sql.bind(user).bind(hash).bind(now)).await?;
    }
    Ok(had)
}
