//! Removing the second factor of another member of staff, as after a lost phone. It never enrols for others.

use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::second_factor::ResetSecondFactor;
use panel_kernel::error::{Error, Result};

use crate::auth::{people, second_factor, store};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;

/// Adds the endpoint.
pub(super) fn routes(api: Api) -> Api {
    api.on::<ResetSecondFactor, _, _, _>(reset)
}

async fn reset(ctx: Ctx, req: Req<ResetSecondFactor>) -> Result<NoBody> {
    let user = req.path;
    if user == ctx.caller()?.user_id {
        let message = "Switch your own second factor off in your profile.";
        return Err(Error::forbidden("own_second_factor", message));
    }
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    store::hold_access(&mut work).await?;
    let grants = people::grants(&mut work, user).await?;
    if grants.is_empty() {
        return Err(Error::not_found("member of staff", user));
    }
    if !second_factor::reset(&mut work, user).await? {
        let message = "This member of staff has no second factor.";
        return Err(Error::conflict("no_second_factor", message));
    }
    work.finish(NoBody {}).await
}
