//! Begins and ends faults in the environment of a run.

use std::time::Duration;

use panel_kernel::random::Random;
use tokio::time::{Instant, sleep};

use super::{ActiveFault, CATCH_UP_TIMEOUT, MAX_JUMP_SECS, RunResult, TestEnvironment};
use crate::evidence::Diagnosis;
use crate::faults::{self, Fault, FaultCounts, SmallDisk, random_index};
use crate::proxy::LineState;
use crate::setup::error_text;

impl TestEnvironment {
    /// Restarts servers that ended by themselves, as an orchestrator does. Servers ended by a fault are restarted at its end.
    pub(super) fn restart_ended_servers(&mut self) -> Result<(), String> {
        for (index, server) in self.servers.iter_mut().enumerate() {
            let is_down_by_fault = |active: &ActiveFault| {
                matches!(active.fault, Fault::Kill | Fault::Restart) && active.target == index
            };
            if !self.active_faults.iter().any(is_down_by_fault) {
                server.restart(&self.launch).map_err(error_text)?;
            }
        }
        Ok(())
    }

    pub(super) fn start_fault(
        &mut self,
        fault: Fault,
        random: &Random,
        counts: &mut FaultCounts,
    ) -> Result<(), String> {
        let server = random_index(random, self.servers.len());
        let panel = random_index(random, self.setup.proxies.len());
        let mut duration = faults::random_duration(random);
        let mut target = server;
        match fault {
            Fault::Kill => {
                self.servers[server].kill();
                duration /= 4;
            }
            Fault::Restart => self.servers[server].terminate(),
            Fault::Freeze => self.servers[server].freeze(),
            Fault::CutDatabase => self.set_database_line(LineState::Cut),
            Fault::FreezeDatabase => self.set_database_line(LineState::Frozen),
            Fault::SlowDatabase => self.set_database_line(LineState::Slow),
            Fault::CutClients => {
                self.servers[server].proxy.set(LineState::Cut);
                duration /= 8;
            }
            Fault::CutPanel | Fault::SlowPanel => {
                target = panel;
                let line = if fault == Fault::CutPanel { LineState::Cut } else { LineState::Slow };
                self.setup.proxies[panel].set(line);
            }
            Fault::FullDisk => self.disk.iter().for_each(SmallDisk::fill),
            Fault::BrokenDisk => {
                let interval = 1 + i64::try_from(faults::random_below(random, 9)).unwrap_or_default();
                self.control.fail_writes(interval).map_err(error_text)?;
                duration /= 2;
            }
            Fault::Clock => {
                let shift_secs =
                    i64::try_from(faults::random_below(random, 2 * MAX_JUMP_SECS)).unwrap_or_default();
                self.control
                    .shift_clock_secs(shift_secs - i64::try_from(MAX_JUMP_SECS).unwrap_or_default())
                    .map_err(error_text)?;
            }
        }
        *counts.entry(fault).or_default() += 1;
        self.active_faults.push(ActiveFault { ends_at: Instant::now() + duration, fault, target });
        Ok(())
    }

    fn set_database_line(&self, line: LineState) {
        self.database.iter().for_each(|proxy| proxy.set(line));
    }

    /// Ends expired faults, or all of them.
    pub(super) fn end_expired_faults(&mut self, all: bool) -> Result<(), String> {
        let now = Instant::now();
        let (expired, remaining): (Vec<_>, Vec<_>) =
            self.active_faults.drain(..).partition(|active| all || active.ends_at <= now);
        self.active_faults = remaining;
        for ActiveFault { fault, target, .. } in expired {
            match fault {
                Fault::Kill | Fault::Restart => {
                    _ = self.servers[target].restart(&self.launch).map_err(error_text)?;
                }
                Fault::Freeze => self.servers[target].thaw(),
                Fault::CutDatabase | Fault::FreezeDatabase | Fault::SlowDatabase => {
                    self.set_database_line(LineState::Up)
                }
                Fault::CutClients => self.servers[target].proxy.set(LineState::Up),
                Fault::CutPanel | Fault::SlowPanel => self.setup.proxies[target].set(LineState::Up),
                Fault::FullDisk => self.disk.iter().for_each(SmallDisk::free),
                Fault::BrokenDisk => self.control.fail_writes(0).map_err(error_text)?,
                // The next jump, or the end of the phase, resets the clock.
                Fault::Clock => {}
            }
        }
        Ok(())
    }

    /// Ends all faults. Every server must become ready again, and the doctor must find no violation.
    pub(super) async fn end_phase(&mut self, result: &mut RunResult) -> Result<(), String> {
        self.end_expired_faults(true)?;
        self.control.shift_clock_secs(0).map_err(error_text)?;
        for server in &mut self.servers {
            server.thaw();
        }
        for server in &mut self.servers {
            if let Err(reason) = server.wait_until_ready(&self.launch, &self.http_client).await {
                result.violations.push(reason);
            }
        }
        result.violations.extend(self.doctor_between_phases().await);
        Ok(())
    }

    /// The doctor's violations. Work that became due while the clock was behind counts as late until the server has done it.
    async fn doctor_between_phases(&self) -> Vec<String> {
        let started_at = Instant::now();
        loop {
            let diagnosis = match self.clients.doctor(self.servers[0].proxy.port).await {
                Ok(report) => Diagnosis::from_report(&report),
                Err(reason) => Diagnosis::unavailable(&reason),
            };
            if !matches!(diagnosis, Diagnosis::Pending(_)) || started_at.elapsed() > CATCH_UP_TIMEOUT {
                return diagnosis.into_violations();
            }
            sleep(Duration::from_millis(500)).await;
        }
    }
}
