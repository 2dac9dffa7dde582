//! The endpoint that removes the second factor of another staff member, for example after the loss of a phone. Never sets up a
//! second factor for another staff member.

use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::second_factor::ResetSecondFactor;
use panel_kernel::error::{Error, Result};

use crate::auth::{second_factor, staff_accounts, store};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;

pub(super) fn routes(api: Api) -> Api {
    api.route::<ResetSecondFactor, _, _, _>(reset_second_factor)
}

async fn reset_second_factor(ctx: Ctx, req: Req<ResetSecondFactor>) -> Result<EmptyBody> {
    let user_id = req.path;
    if user_id == ctx.caller()?.user_id {
        let message = "Disable your own second factor in your profile.";
        return Err(Error::forbidden("own_second_factor", message));
    }
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user_id).await?;
    store::lock_access_version(&mut work).await?;
    let grants = staff_accounts::load_grants(&mut work, user_id).await?;
    if grants.is_empty() {
        return Err(Error::not_found("member of staff", user_id));
    }
    if !second_factor::reset(&mut work, user_id).await? {
        let message = "This member of staff has no second factor.";
        return Err(Error::conflict("no_second_factor", message));
    }
    work.finish(EmptyBody {}).await
}
