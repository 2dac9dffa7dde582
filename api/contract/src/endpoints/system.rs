//! Endpoints of health, metrics, the OpenAPI document and the doctor.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::system::*;

crate::endpoints! { $ for_each_system_endpoint "session";
    /// Reports that the process is alive.
    Healthz healthz: GET "/healthz" [public] ((), EmptyQuery, EmptyBody) -> Health;
    /// Reports whether the database can be read and written. If not, the response is 503 with the failed checks in `errors`.
    Readyz readyz: GET "/readyz" [public] ((), EmptyQuery, EmptyBody) -> Health;
    /// Returns Prometheus metrics. A request from another host needs the configured token; without it the response is 404.
    Metrics metrics: GET "/metrics" [public] ((), EmptyQuery, EmptyBody) -> String;
    /// Returns this OpenAPI document.
    OpenApi openapi: GET "/openapi.json" [public] ((), EmptyQuery, EmptyBody) -> serde_json::Value;
    /// Checks all invariants of the stored data and lists the records that violate them.
    RunDoctor doctor: GET "/api/v1/admin/system/doctor" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<DoctorReport>;
}
