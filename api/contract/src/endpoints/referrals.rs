//! Endpoint of the referral statistics.

use crate::common::Data;
use crate::endpoint::NoBody;
use crate::referrals::*;

crate::endpoints! { $ for_each_referrals_endpoint "users";
    /// What referrals bought and what their affiliates earned, by period, affiliate or referral.
    GetReferralStatistics referral_statistics: GET "/api/v1/admin/referral-program-statistics" [ViewReferralStatistics] ((), ReferralQuery, NoBody) -> Data<ReferralStatistics>;
}
