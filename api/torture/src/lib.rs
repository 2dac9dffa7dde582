//! The torture run: the real server works on orders and money while processes are killed, disks fill up or fail, networks break
//! and clocks jump; then a check compares the promises to clients with the contents of the database and the external panels.
//! For this machine only: it must never be pointed at a panel that is in use.

pub mod clients;
pub mod evidence;
pub mod faults;
pub mod final_phase;
pub mod proxy;
pub mod report;
pub mod run;
pub mod servers;
pub mod setup;
pub mod violations;
