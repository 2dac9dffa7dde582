//! Endpoints of health, metrics, the OpenAPI document and the doctor.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::system::*;

crate::endpoints! { $ for_each_system_endpoint "session";
    /// The process is alive.
    Healthz healthz: GET "/healthz" [public] ((), NoQuery, NoBody) -> Health;
    /// The database can be read and takes changes; else 503 with the code of the reason, by check under `errors`.
    Readyz readyz: GET "/readyz" [public] ((), NoQuery, NoBody) -> Health;
    /// Prometheus text; only from loopback or with the configured token, else 404.
    Metrics metrics: GET "/metrics" [public] ((), NoQuery, NoBody) -> String;
    /// This document.
    OpenApi openapi: GET "/openapi.json" [public] ((), NoQuery, NoBody) -> serde_json::Value;
    /// Checks every invariant and names the records that break one.
    RunDoctor doctor: GET "/api/v1/admin/system/doctor" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<DoctorReport>;
}
