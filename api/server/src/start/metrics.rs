//! Installs the metrics recorder of the process.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use panel_platform::metrics::{MetricKind, describe};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::metrics;
use crate::supply::dispatch::superseded;

/// Interval at which histogram observations are moved to their buckets.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// One recorder per process, even if tests start several panels in it.
pub(super) fn metrics_of_process() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let all_metrics = metrics::all();
            let mut builder = PrometheusBuilder::new();
            for metric in &all_metrics {
                if let MetricKind::Histogram(buckets) = metric.kind {
                    let matcher = Matcher::Full(metric.name.into());
                    builder = builder.set_buckets_for_metric(matcher, buckets).unwrap_or_default();
                }
            }
            let handle = builder
                .install_recorder()
                .unwrap_or_else(|_| PrometheusBuilder::new().build_recorder().handle());
            describe(&all_metrics);
            // Starts the series at 0. If it started with its first event, an alert would see no increase.
            metrics::EXTERNAL_ORDERS_UNRECORDED.unlabeled().increment(0);
            superseded::initialize_metric();
            handle
        })
        .clone()
}

/// Moves observations to their buckets until `stop` turns true. The recorder holds each observation until then, and the memory
/// of an unscraped panel must not grow.
pub(crate) async fn run_histogram_upkeep(handle: PrometheusHandle, mut stop: watch::Receiver<bool>) {
    while timeout(UPKEEP_INTERVAL, stop.wait_for(|stop| *stop)).await.is_err() {
        handle.run_upkeep();
    }
}
