//! Captures the log of a test, so that tests can check which events are logged and that secrets are not.

use std::cell::RefCell;
use std::io::Write;
use std::sync::{Arc, Mutex, Once};

use tracing::Level;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::prelude::*;

thread_local! {
    /// The most verbose level and the log that the current thread captures.
    static CAPTURED: RefCell<Option<(Level, Log)>> = const { RefCell::new(None) };
}

/// The captured log of one thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

/// Ends the capture when it is dropped.
pub(crate) struct CaptureGuard(());

impl Drop for CaptureGuard {
    fn drop(&mut self) {
        CAPTURED.set(None);
    }
}

/// One subscriber serves all threads: tracing caches per call site whether any subscriber is interested, so subscribers of single
/// threads that come and go at the same time can miss events.
fn install_subscriber() {
    static INSTALLED: Once = Once::new();
    let is_captured = |metadata: &tracing::Metadata<'_>| {
        CAPTURED.with_borrow(|captured| captured.as_ref().is_some_and(|(level, _)| metadata.level() <= level))
    };
    INSTALLED.call_once(|| {
        let current_log = || {
            CAPTURED.with_borrow(|captured| captured.as_ref().map(|(_, log)| log.clone())).unwrap_or_default()
        };
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_writer(current_log)
            .with_filter(dynamic_filter_fn(move |metadata, _| is_captured(metadata)));
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer)).unwrap();
    });
}

impl Log {
    /// Captures the log of this thread down to `level` until the guard is dropped. Each test runs on one thread.
    pub(crate) fn capture(level: Level) -> (Self, CaptureGuard) {
        install_subscriber();
        let log = Self::default();
        CAPTURED.set(Some((level, log.clone())));
        (log, CaptureGuard(()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
