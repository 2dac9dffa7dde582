//! Endpoints of coupons.

use crate::common::{Data, DryRun};
use crate::coupons::*;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::CouponId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_coupons_endpoint "coupons";
    /// Coupons, newest first; `is_all` 0 leaves out archived ones.
    ListCoupons list_coupons: GET "/api/v1/admin/coupons" [ManageCoupons] ((), TableQuery, NoBody) -> Page<CouponRow>;
    /// A new coupon.
    CreateCoupon create_coupon: POST "/api/v1/admin/coupons" [ManageCoupons] ((), NoQuery, CouponInput) -> Data<Coupon>;
    /// What pickers of a coupon offer.
    GetCouponCollections coupon_collections: GET "/api/v1/admin/coupons/collections" [ManageCoupons] ((), NoQuery, NoBody) -> Data<CouponCollections>;
    /// What coupons came to, by coupon.
    CouponStatisticsByCoupon coupon_statistics: POST "/api/v1/admin/coupons/statistics" [ManageCoupons] ((), NoQuery, CouponStatisticsInput) -> CouponStatistics;
    /// What coupons came to, by date.
    CouponStatisticsByDate coupon_statistics_by_date: POST "/api/v1/admin/coupons/statistic-by-date" [ManageCoupons] ((), NoQuery, CouponStatisticsInput) -> CouponStatistics;
    /// One coupon with its texts.
    GetCoupon get_coupon: GET "/api/v1/admin/coupons/{id}" [ManageCoupons] (CouponId, NoQuery, NoBody) -> Data<Coupon>;
    /// Changes a coupon.
    UpdateCoupon update_coupon: PATCH "/api/v1/admin/coupons/{id}" [ManageCoupons] (CouponId, NoQuery, CouponInput) -> Data<Coupon>;
    /// Puts a coupon away; nobody can use it any more.
    ArchiveCoupon archive_coupon: POST "/api/v1/admin/coupons/{id}/archive" [ManageCoupons] (CouponId, DryRun, NoBody) -> Data<Coupon>;
    /// Brings an archived coupon back.
    UnarchiveCoupon unarchive_coupon: POST "/api/v1/admin/coupons/{id}/unarchive" [ManageCoupons] (CouponId, DryRun, NoBody) -> Data<Coupon>;
}
