//! Endpoints for the server of the customer site.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::site::{PrivateSiteSettings, SiteContent, SiteService, SiteServicesQuery};

crate::endpoints! { $ for_each_site_endpoint "site";
    /// Retrieves the settings of the customer site, including secrets. Only for the server of the customer site.
    GetSiteSettings get_site_settings: GET "/api/v1/site/settings" [UseSiteApi] ((), EmptyQuery, EmptyBody) -> Data<PrivateSiteSettings>;
    /// Retrieves the content of the customer site: menu, pages, banners, special offers and the auto-promotion.
    GetSiteContent get_site_content: GET "/api/v1/site/content" [UseSiteApi] ((), EmptyQuery, EmptyBody) -> Data<SiteContent>;
    /// Lists active services for the order form of the customer site, by id, 500 per page.
    ListSiteServices list_site_services: GET "/api/v1/site/services" [UseSiteApi] ((), SiteServicesQuery, EmptyBody) -> Data<Vec<SiteService>>;
}
