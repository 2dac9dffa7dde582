//! Endpoint of the referral statistics.

use crate::common::Data;
use crate::endpoint::EmptyBody;
use crate::referrals::*;

crate::endpoints! { $ for_each_referrals_endpoint "users";
    /// Reports purchases of referrals and earnings of their affiliates, by period, affiliate or referral.
    GetReferralStatistics referral_statistics: GET "/api/v1/admin/referral-program-statistics" [ViewReferralStatistics] ((), ReferralQuery, EmptyBody) -> Data<ReferralStatistics>;
}
