//! Endpoints of sign-in, sessions and handoff codes.

use panel_contract::common::Data;
use panel_contract::endpoints::session::{
    ConfirmProfile, CreateHandoffCode, GetProfile, Handoff, Login, Logout, Refresh, Setup, ShowHandoff,
};
use panel_contract::session::{Confirmation, HandoffCode, HandoffOwner, Profile, SignInResponse};
use panel_kernel::error::{Error, Result};

use crate::auth::{
    confirmation, handoff, login, own_password, own_sessions, passkeys, password_links, second_factor,
    sessions, setup, sign_in_audit, staff_accounts, store,
};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::reply::{SignedOut, WithToken};

/// Adds the endpoints of authentication.
pub fn routes(api: Api) -> Api {
    api.on::<Login, _, _, _>(sign_in)
        .on::<Refresh, _, _, _>(refresh)
        .on::<Logout, _, _, _>(logout)
        .on::<Handoff, _, _, _>(exchange_handoff)
        .on::<ShowHandoff, _, _, _>(show_handoff)
        .on::<Setup, _, _, _>(set_up)
        .on::<GetProfile, _, _, _>(profile)
        .on::<ConfirmProfile, _, _, _>(confirm)
        .on::<CreateHandoffCode, _, _, _>(create_handoff_code)
        .with(own_password::routes)
        .with(password_links::routes)
        .with(second_factor::routes)
        .with(passkeys::routes)
        .with(own_sessions::routes)
}

async fn sign_in(ctx: Ctx, req: Req<Login>) -> Result<WithToken<SignInResponse>> {
    login::login(&ctx, &req.body).await
}

async fn refresh(ctx: Ctx, _req: Req<Refresh>) -> Result<WithToken<SignInResponse>> {
    let issued = sessions::renew(&ctx, None).await?;
    let profile = staff_accounts::profile(&mut ctx.db(), ctx.caller()?).await?;
    Ok(WithToken::new(&ctx, profile, issued))
}

async fn logout(ctx: Ctx, _req: Req<Logout>) -> Result<SignedOut> {
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    if let Some(session) = store::session(&mut ctx.db(), &hash).await? {
        let mut work = ctx.once().acting_as(session.user_id).begin().await?;
        store::revoke_family(&mut work, &session.family_id, ctx.now()).await?;
        sign_in_audit::record_sign_out(&mut work, session.user_id).await?;
        work.finish(()).await?;
    }
    Ok(SignedOut::new(&ctx))
}

async fn exchange_handoff(ctx: Ctx, req: Req<Handoff>) -> Result<WithToken<SignInResponse>> {
    handoff::exchange(&ctx, &req.body.code).await
}

async fn show_handoff(ctx: Ctx, req: Req<ShowHandoff>) -> Result<Data<HandoffOwner>> {
    Ok(Data { data: handoff::show(&ctx, &req.body.code).await? })
}

async fn set_up(ctx: Ctx, req: Req<Setup>) -> Result<WithToken<SignInResponse>> {
    setup::setup(&ctx, &req.body).await
}

async fn profile(ctx: Ctx, _req: Req<GetProfile>) -> Result<Data<Profile>> {
    Ok(Data { data: staff_accounts::profile(&mut ctx.db(), ctx.caller()?).await? })
}

async fn confirm(ctx: Ctx, req: Req<ConfirmProfile>) -> Result<WithToken<Data<Confirmation>>> {
    let (data, issued) = confirmation::confirm(&ctx, &req.body).await?;
    Ok(WithToken::renewed(&ctx, Data { data }, issued))
}

async fn create_handoff_code(ctx: Ctx, _req: Req<CreateHandoffCode>) -> Result<Data<HandoffCode>> {
    Ok(Data { data: handoff::create(&ctx).await? })
}
