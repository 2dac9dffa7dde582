//! Installs the metrics recorder of the process.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use panel_platform::metrics::{Kind, describe};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::metrics;
use crate::supply::dispatch::superseded;

/// Interval at which histogram observations are moved to their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// One recorder per process, even if tests start several panels in it.
pub(super) fn metrics_of_process() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let all = metrics::all();
            let mut builder = PrometheusBuilder::new();
            for metric in &all {
                if let Kind::Histogram(buckets) = metric.kind {
                    let matcher = Matcher::Full(metric.name.into());
                    builder = builder.set_buckets_for_metric(matcher, buckets).unwrap_or_default();
                }
            }
            let handle = builder
                .install_recorder()
                .unwrap_or_else(|_| PrometheusBuilder::new().build_recorder().handle());
            describe(&all);
            // A series that only begins with its first event shows no increase to an alert, so it begins at 0.
            metrics::EXTERNAL_ORDERS_UNRECORDED.only().increment(0);
            superseded::begin();
            handle
        })
        .clone()
}

/// Moves observations to their buckets until `stop` turns true. The recorder holds each observation until then, and the memory
/// of an unscraped panel must not grow.
pub(crate) async fn upkeep(handle: PrometheusHandle, mut stop: watch::Receiver<bool>) {
    while timeout(UPKEEP, stop.wait_for(|stop| *stop)).await.is_err() {
        handle.run_upkeep();
    }
}
