//! Public `GET /settings`: the public settings, and the state of this server that the sign-in pages need.

use panel_contract::common::Data;
use panel_contract::endpoints::session::GetPublicSettings;
use panel_contract::session::{PublicSettings, RealtimeSettings};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::{self, captcha};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::settings::{self, SETUP_TOKEN};

pub fn routes(api: Api) -> Api {
    api.route::<GetPublicSettings, _, _, _>(get_public_settings)
}

async fn get_public_settings(ctx: Ctx, _req: Req<GetPublicSettings>) -> Result<Data<PublicSettings>> {
    let config = &ctx.app.config;
    let values = settings::load_all(&mut ctx.db()).await?;
    let mut fields = super::public_settings(&values);
    let needs_setup = settings::read_stored(&mut ctx.db(), SETUP_TOKEN).await?.is_some()
        && !auth::store::has_users(&mut ctx.db()).await?;
    fields.insert("panel_id".into(), json!(1));
    fields.insert("captcha_site_key".into(), json!(config.captcha.site_key));
    fields.insert("captcha_provider".into(), json!(captcha::detect_provider(&config.captcha)));
    fields.insert("site".into(), json!(super::site_settings(&values)));
    fields.insert("needs_setup".into(), json!(needs_setup));
    let realtime = RealtimeSettings { key: config.realtime_key.clone(), path: "/ws".into() };
    fields.insert("realtime".into(), json!(realtime));
    let data = serde_json::from_value(fields.into()).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(Data { data })
}
