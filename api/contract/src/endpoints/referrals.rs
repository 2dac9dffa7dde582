//! Endpoint of the referral statistics.

use crate::common::Data;
use crate::endpoint::EmptyBody;
use crate::referrals::*;

crate::endpoints! { $ for_each_referrals_endpoint "users";
    /// Reports purchases of referred customers and commission of their affiliates, by period, affiliate or referred customer.
    GetReferralStatistics referral_statistics: GET "/api/v1/admin/referral-program-statistics" [ViewReferralStatistics] ((), ReferralQuery, EmptyBody) -> Data<ReferralStatistics>;
}
