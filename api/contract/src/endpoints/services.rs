//! Endpoints of services.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::services::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_services_endpoint "services";
    /// Services; `is_archived` 0 or 1.
    ListServices list_services: GET "/api/v1/admin/services" [ViewServices] ((), TableQuery, NoBody) -> Page<ServiceRow>;
    /// One service with everything about it.
    GetService get_service: GET "/api/v1/admin/services/{id}" [ViewServices] (i64, NoQuery, NoBody) -> Data<Service>;
}
