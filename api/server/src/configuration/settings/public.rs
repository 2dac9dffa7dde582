//! Public `GET /settings`: the settings declared as public, and facts of the running server.

use panel_contract::common::Data;
use panel_contract::endpoints::session::GetPublicSettings;
use panel_contract::session::{PublicSettings, Realtime};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::{self, captcha};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::settings::{self, SETUP_TOKEN};

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    api.on::<GetPublicSettings, _, _, _>(public)
}

async fn public(ctx: Ctx, _req: Req<GetPublicSettings>) -> Result<Data<PublicSettings>> {
    let config = &ctx.app.config;
    let values = settings::load_all(&mut ctx.db()).await?;
    let mut all = super::public_settings(&values);
    let needs_setup = settings::get(&mut ctx.db(), SETUP_TOKEN).await?.is_some()
        && !auth::store::has_users(&mut ctx.db()).await?;
    all.insert("panel_id".into(), json!(1));
    all.insert("captcha_site_key".into(), json!(config.captcha.site_key));
    all.insert("captcha_provider".into(), json!(captcha::provider(&config.captcha)));
    all.insert("site".into(), json!(super::site_settings(&values)));
    all.insert("needs_setup".into(), json!(needs_setup));
    let realtime = Realtime { key: config.realtime_key.clone(), path: "/ws".into() };
    all.insert("realtime".into(), json!(realtime));
    let data = serde_json::from_value(all.into()).map_err(|error| Error::Fault(error.to_string()))?;
    Ok(Data { data })
}
