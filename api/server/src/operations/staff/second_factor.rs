//! Removes the second factor of another member of staff, for example after a lost phone. It never enrols one for others.

use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::second_factor::ResetSecondFactor;
use panel_kernel::error::{Error, Result};

use crate::auth::{second_factor, staff_accounts, store};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;

pub(super) fn routes(api: Api) -> Api {
    api.on::<ResetSecondFactor, _, _, _>(reset)
}

async fn reset(ctx: Ctx, req: Req<ResetSecondFactor>) -> Result<EmptyBody> {
    let user = req.path;
    if user == ctx.caller()?.user_id {
        let message = "Disable your own second factor in your profile.";
        return Err(Error::forbidden("own_second_factor", message));
    }
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    store::lock_access_version(&mut work).await?;
    let grants = staff_accounts::grants(&mut work, user).await?;
    if grants.is_empty() {
        return Err(Error::not_found("member of staff", user));
    }
    if !second_factor::reset(&mut work, user).await? {
        let message = "This member of staff has no second factor.";
        return Err(Error::conflict("no_second_factor", message));
    }
    work.finish(EmptyBody {}).await
}
