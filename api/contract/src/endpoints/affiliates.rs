//! Endpoints of affiliates.

use crate::affiliates::*;
use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{AffiliateId, UserId};

crate::endpoints! { $ for_each_affiliates_endpoint "users";
    /// Who brought a user, the latest first.
    ListAffiliates list_affiliates: GET "/api/v1/admin/users/{id}/affiliates" [ViewUsers] (UserId, NoQuery, NoBody) -> Data<Vec<Affiliate>>;
    /// Adds an affiliate for a time.
    AddAffiliate add_affiliate: POST "/api/v1/admin/users/{id}/affiliates" [ManageUsers] (UserId, NoQuery, AffiliateInput) -> Data<Affiliate>;
    /// Changes an affiliate or their time.
    UpdateAffiliate update_affiliate: PUT "/api/v1/admin/users/{id}/affiliates/{affiliate_id}" [ManageUsers] ((UserId, AffiliateId), NoQuery, AffiliateInput) -> Data<Affiliate>;
    /// Removes an affiliate, as if they had never brought the user.
    RemoveAffiliate remove_affiliate: DELETE "/api/v1/admin/users/{id}/affiliates/{affiliate_id}" [ManageUsers] ((UserId, AffiliateId), DryRun, NoBody) -> NoBody;
}
