//! The recorder of the process's metrics.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use panel_platform::metrics::{Kind, describe};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::metrics;
use crate::supply::dispatch::superseded;

/// How often observations of histograms are put into their buckets.
const UPKEEP: Duration = Duration::from_secs(5);

/// One recorder for the process, however many panels tests start in it.
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
            // A series that begins with its first event has no increase that an alert could see.
            metrics::EXTERNAL_ORDERS_UNRECORDED.only().increment(0);
            superseded::begin();
            handle
        })
        .clone()
}

/// Puts observations into their buckets until `stop` turns true. The recorder holds each one until then, and a panel that is not
/// scraped must not grow.
pub(crate) async fn upkeep(handle: PrometheusHandle, mut stop: watch::Receiver<bool>) {
    while timeout(UPKEEP, stop.wait_for(|stop| *stop)).await.is_err() {
        handle.run_upkeep();
    }
}
