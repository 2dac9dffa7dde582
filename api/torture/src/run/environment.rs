//! Starts and ends faults in the environment of a run, and checks the servers between two phases.

use std::time::Duration;

use panel_kernel::random::Random;
use tokio::time::{Instant, sleep};

use super::{ActiveFault, CATCH_UP_TIMEOUT, MAX_JUMP_SECS, RunResult, TestEnvironment};
use crate::evidence::Diagnosis;
use crate::faults::{self, Fault, FaultCounts, SmallDisk, random_index};
use crate::proxy::ProxyMode;
use crate::setup::error_text;

impl TestEnvironment {
    /// Restarts servers that exited without a fault, as an orchestrator does. If a fault stopped a server, the end of the fault
    /// restarts it.
    pub(super) fn restart_exited_servers(&mut self) -> Result<(), String> {
        for (index, server) in self.servers.iter_mut().enumerate() {
            let has_stopped_server = |active: &ActiveFault| {
                matches!(active.fault, Fault::Kill | Fault::Restart) && active.target_index == index
            };
            if !self.active_faults.iter().any(has_stopped_server) {
                server.start_if_stopped(&self.launch).map_err(error_text)?;
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
        let server_index = random_index(random, self.servers.len());
        let panel_index = random_index(random, self.setup.external_panel_proxies.len());
        let mut duration = faults::random_duration(random);
        let mut target_index = server_index;
        match fault {
            Fault::Kill => {
                self.servers[server_index].kill();
                duration /= 4;
            }
            Fault::Restart => self.servers[server_index].terminate(),
            Fault::Freeze => self.servers[server_index].freeze(),
            Fault::CutDatabase => self.set_database_proxy_mode(ProxyMode::Cut),
            Fault::FreezeDatabase => self.set_database_proxy_mode(ProxyMode::Frozen),
            Fault::SlowDatabase => self.set_database_proxy_mode(ProxyMode::Slow),
            Fault::CutClients => {
                self.servers[server_index].proxy.set_mode(ProxyMode::Cut);
                duration /= 8;
            }
            Fault::CutPanel | Fault::SlowPanel => {
                target_index = panel_index;
                let mode = if fault == Fault::CutPanel { ProxyMode::Cut } else { ProxyMode::Slow };
                self.setup.external_panel_proxies[panel_index].set_mode(mode);
            }
            Fault::FullDisk => self.disk.iter().for_each(SmallDisk::fill),
            Fault::FailingWrites => {
                let interval = 1 + i64::try_from(faults::random_below(random, 9)).unwrap_or_default();
                self.fault_control.fail_writes(interval).map_err(error_text)?;
                duration /= 2;
            }
            Fault::ClockJump => {
                let shift_secs =
                    i64::try_from(faults::random_below(random, 2 * MAX_JUMP_SECS)).unwrap_or_default();
                self.fault_control
                    .shift_clock_secs(shift_secs - i64::try_from(MAX_JUMP_SECS).unwrap_or_default())
                    .map_err(error_text)?;
            }
        }
        *counts.entry(fault).or_default() += 1;
        self.active_faults.push(ActiveFault { ends_at: Instant::now() + duration, fault, target_index });
        Ok(())
    }

    fn set_database_proxy_mode(&self, mode: ProxyMode) {
        self.database_proxy.iter().for_each(|proxy| proxy.set_mode(mode));
    }

    pub(super) fn end_expired_faults(&mut self) -> Result<(), String> {
        let now = Instant::now();
        self.end_faults(|active| active.ends_at <= now)
    }

    fn end_faults(&mut self, is_ending: impl Fn(&ActiveFault) -> bool) -> Result<(), String> {
        let (ending_faults, remaining_faults): (Vec<_>, Vec<_>) =
            self.active_faults.drain(..).partition(|active| is_ending(active));
        self.active_faults = remaining_faults;
        for ActiveFault { fault, target_index, .. } in ending_faults {
            match fault {
                Fault::Kill | Fault::Restart => {
                    _ = self.servers[target_index].start_if_stopped(&self.launch).map_err(error_text)?;
                }
                Fault::Freeze => self.servers[target_index].resume(),
                Fault::CutDatabase | Fault::FreezeDatabase | Fault::SlowDatabase => {
                    self.set_database_proxy_mode(ProxyMode::Forwarding)
                }
                Fault::CutClients => self.servers[target_index].proxy.set_mode(ProxyMode::Forwarding),
                Fault::CutPanel | Fault::SlowPanel => {
                    self.setup.external_panel_proxies[target_index].set_mode(ProxyMode::Forwarding)
                }
                Fault::FullDisk => self.disk.iter().for_each(SmallDisk::free),
                Fault::FailingWrites => self.fault_control.fail_writes(0).map_err(error_text)?,
                // The next jump, or the end of the phase, resets the clock.
                Fault::ClockJump => {}
            }
        }
        Ok(())
    }

    /// Ends all faults. Every server must become ready again, and the doctor must find no violation.
    pub(super) async fn end_phase(&mut self, result: &mut RunResult) -> Result<(), String> {
        self.end_faults(|_| true)?;
        self.fault_control.shift_clock_secs(0).map_err(error_text)?;
        for server in &mut self.servers {
            server.resume();
        }
        for server in &mut self.servers {
            if let Err(violation) = server.wait_until_ready(&self.launch, &self.http_client).await {
                result.violations.push(violation);
            }
        }
        result.violations.extend(self.run_doctor_between_phases().await);
        Ok(())
    }

    /// Returns the violations that the doctor finds. If work is only late, it runs the doctor again until `CATCH_UP_TIMEOUT`: work
    /// that became due while the clock was behind is late until a server has done it.
    async fn run_doctor_between_phases(&self) -> Vec<String> {
        let started_at = Instant::now();
        loop {
            let diagnosis = match self.clients.run_doctor(self.servers[0].proxy.port).await {
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
