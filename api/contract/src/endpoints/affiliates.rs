//! Endpoints of affiliates.

use crate::affiliates::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{AffiliateId, UserId};

crate::endpoints! { $ for_each_affiliates_endpoint "users";
    /// Lists the affiliates who referred a user, latest first.
    ListAffiliates list_affiliates: GET "/api/v1/admin/users/{id}/affiliates" [ViewUsers] (UserId, EmptyQuery, EmptyBody) -> Data<Vec<Affiliate>>;
    /// Records that an affiliate referred a user, for a time range.
    AddAffiliate add_affiliate: POST "/api/v1/admin/users/{id}/affiliates" [ManageUsers] (UserId, EmptyQuery, AffiliateInput) -> Data<Affiliate>;
    /// Changes the affiliate or the time range of an assignment.
    UpdateAffiliate update_affiliate: PUT "/api/v1/admin/users/{id}/affiliates/{affiliate_id}" [ManageUsers] ((UserId, AffiliateId), EmptyQuery, AffiliateInput) -> Data<Affiliate>;
    /// Removes an affiliate of a user, as if the affiliate had never referred the user.
    RemoveAffiliate remove_affiliate: DELETE "/api/v1/admin/users/{id}/affiliates/{affiliate_id}" [ManageUsers] ((UserId, AffiliateId), DryRun, EmptyBody) -> EmptyBody;
}
