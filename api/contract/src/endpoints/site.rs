//! Endpoints for the server of the customers' site.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::site::{PrivateSiteSettings, SiteContent, SiteService, SiteServicesQuery};

crate::endpoints! { $ for_each_site_endpoint "site";
    /// The settings that the customers' site obeys, secrets opened; for the site's server only.
    GetSiteSettings get_site_settings: GET "/api/v1/site/settings" [UseSiteApi] ((), NoQuery, NoBody) -> Data<PrivateSiteSettings>;
    /// What staff put on the site: menu, pages, banners, special offers and the auto-promotion.
    GetSiteContent get_site_content: GET "/api/v1/site/content" [UseSiteApi] ((), NoQuery, NoBody) -> Data<SiteContent>;
    /// Services on sale as the site's order form needs them, by id, 500 at a time.
    ListSiteServices list_site_services: GET "/api/v1/site/services" [UseSiteApi] ((), SiteServicesQuery, NoBody) -> Data<Vec<SiteService>>;
}
