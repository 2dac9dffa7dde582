//! Endpoints for sign-in, sessions and handoff codes, with which `panelctl open` signs a browser in.

use panel_contract::common::Data;
use panel_contract::endpoints::session::{
    ConfirmProfile, CreateHandoffCode, GetProfile, Handoff, Login, Logout, Refresh, Setup, ShowHandoff,
};
use panel_contract::session::{Confirmation, Profile, SignInCode, SignInCodeOwner, SignInResponse};
use panel_kernel::error::{Error, Result};

use crate::auth::{
    confirmation, handoff, login, own_password, own_sessions, passkeys, password_links, second_factor,
    sessions, setup, sign_in_audit, staff_accounts, store,
};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::typed_response::{SignedOut, WithToken};

/// Adds the endpoints of authentication.
pub fn routes(api: Api) -> Api {
    api.route::<Login, _, _, _>(sign_in)
        .route::<Refresh, _, _, _>(refresh)
        .route::<Logout, _, _, _>(logout)
        .route::<Handoff, _, _, _>(exchange_handoff)
        .route::<ShowHandoff, _, _, _>(show_handoff)
        .route::<Setup, _, _, _>(set_up)
        .route::<GetProfile, _, _, _>(get_profile)
        .route::<ConfirmProfile, _, _, _>(confirm_identity)
        .route::<CreateHandoffCode, _, _, _>(create_handoff_code)
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
    let issued_token = sessions::renew(&ctx, None).await?;
    let profile = staff_accounts::load_profile(&mut ctx.db(), ctx.caller()?).await?;
    Ok(WithToken::new(&ctx, profile, issued_token))
}

async fn logout(ctx: Ctx, _req: Req<Logout>) -> Result<SignedOut> {
    let hash = ctx.meta.token_hash.ok_or_else(|| Error::unauthenticated("unauthenticated"))?;
    if let Some(session) = store::load_session(&mut ctx.db(), &hash).await? {
        let mut work = ctx.without_replay_and_dry_run().acting_as(session.user_id).begin().await?;
        store::revoke_family(&mut work, &session.family_id, ctx.now()).await?;
        sign_in_audit::record_sign_out(&mut work, session.user_id).await?;
        work.finish(()).await?;
    }
    Ok(SignedOut::new(&ctx))
}

async fn exchange_handoff(ctx: Ctx, req: Req<Handoff>) -> Result<WithToken<SignInResponse>> {
    handoff::exchange(&ctx, &req.body.code).await
}

async fn show_handoff(ctx: Ctx, req: Req<ShowHandoff>) -> Result<Data<SignInCodeOwner>> {
    Ok(Data { data: handoff::load_owner(&ctx, &req.body.code).await? })
}

async fn set_up(ctx: Ctx, req: Req<Setup>) -> Result<WithToken<SignInResponse>> {
    setup::set_up_panel(&ctx, &req.body).await
}

async fn get_profile(ctx: Ctx, _req: Req<GetProfile>) -> Result<Data<Profile>> {
    Ok(Data { data: staff_accounts::load_profile(&mut ctx.db(), ctx.caller()?).await? })
}

async fn confirm_identity(ctx: Ctx, req: Req<ConfirmProfile>) -> Result<WithToken<Data<Confirmation>>> {
    let (data, issued_token) = confirmation::confirm(&ctx, &req.body).await?;
    Ok(WithToken::renewed(&ctx, Data { data }, issued_token))
}

async fn create_handoff_code(ctx: Ctx, _req: Req<CreateHandoffCode>) -> Result<Data<SignInCode>> {
    Ok(Data { data: handoff::create(&ctx).await? })
}
