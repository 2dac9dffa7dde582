//! Endpoints of coupons.

use crate::common::{Data, DryRun};
use crate::coupons::*;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::CouponId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_coupons_endpoint "coupons";
    /// Lists coupons, newest first; `is_all=0` omits archived coupons.
    ListCoupons list_coupons: GET "/api/v1/admin/coupons" [ManageCoupons] ((), TableQuery, EmptyBody) -> Page<CouponRow>;
    /// Creates a coupon.
    CreateCoupon create_coupon: POST "/api/v1/admin/coupons" [ManageCoupons] ((), EmptyQuery, CouponInput) -> Data<Coupon>;
    /// Lists the options of the coupon form.
    GetCouponCollections coupon_collections: GET "/api/v1/admin/coupons/collections" [ManageCoupons] ((), EmptyQuery, EmptyBody) -> Data<CouponCollections>;
    /// Reports payments, bonuses and uses by coupon.
    CouponStatisticsByCoupon coupon_statistics: POST "/api/v1/admin/coupons/statistics" [ManageCoupons] ((), EmptyQuery, CouponStatisticsInput) -> CouponStatistics;
    /// Reports payments, bonuses and uses of coupons by date.
    CouponStatisticsByDate coupon_statistics_by_date: POST "/api/v1/admin/coupons/statistic-by-date" [ManageCoupons] ((), EmptyQuery, CouponStatisticsInput) -> CouponStatistics;
    /// Retrieves a coupon with its texts.
    GetCoupon get_coupon: GET "/api/v1/admin/coupons/{id}" [ManageCoupons] (CouponId, EmptyQuery, EmptyBody) -> Data<Coupon>;
    /// Updates a coupon.
    UpdateCoupon update_coupon: PATCH "/api/v1/admin/coupons/{id}" [ManageCoupons] (CouponId, EmptyQuery, CouponInput) -> Data<Coupon>;
    /// Archives a coupon; customers can no longer use it.
    ArchiveCoupon archive_coupon: POST "/api/v1/admin/coupons/{id}/archive" [ManageCoupons] (CouponId, DryRun, EmptyBody) -> Data<Coupon>;
    /// Restores an archived coupon.
    UnarchiveCoupon unarchive_coupon: POST "/api/v1/admin/coupons/{id}/unarchive" [ManageCoupons] (CouponId, DryRun, EmptyBody) -> Data<Coupon>;
}
