//! The external panels that this process works for, and the one way to start work for many of them side by side. It keeps no
//! more than their ids: what is due stands in the database.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use panel_kernel::error::Result;
use tokio::task::JoinSet;

use crate::app::App;

/// Ids of the external panels that one kind of work is running for.
#[derive(Clone, Default)]
pub(super) struct BusyPanels(Arc<Mutex<HashSet<i64>>>);

impl BusyPanels {
    fn ids(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks the panel as busy until the answer is dropped; none where it is busy already.
    fn take(&self, panel: i64) -> Option<Taken> {
        self.ids().insert(panel).then(|| Taken { busy: self.clone(), panel })
    }

    /// Spawns `work` for each of `panels` that is not busy, so that a panel that hangs delays no other one. A failure is
    /// logged as `what`; the work is found again as long as it is due.
    pub(super) fn start<W, F>(
        &self,
        app: &App,
        tasks: &mut JoinSet<()>,
        panels: Vec<i64>,
        what: &'static str,
        work: W,
    ) where
        W: Fn(App, i64) -> F,
        F: Future<Output = Result<()>> + Send + 'static,
    {
        for panel in panels {
            let Some(taken) = self.take(panel) else { continue };
            let ended = work(app.clone(), panel);
            tasks.spawn(async move {
                let _taken = taken;
                if let Err(error) = ended.await {
                    tracing::warn!(?error, panel_id = panel, what, "failed to work for an external panel");
                }
            });
        }
    }
}

/// A busy panel; free again also where the work panics.
struct Taken {
    busy: BusyPanels,
    panel: i64,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.busy.ids().remove(&self.panel);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panel_is_free_again_also_where_its_work_panics() {
        let busy = BusyPanels::default();
        let taken = busy.take(7);
        assert!(taken.is_some() && busy.take(7).is_none() && busy.take(8).is_some());
        let work = AssertUnwindSafe(|| {
            let _taken = taken;
            panic!("in the middle of it");
        });
        assert!(catch_unwind(work).is_err());
        assert!(busy.take(7).is_some());
    }
}
