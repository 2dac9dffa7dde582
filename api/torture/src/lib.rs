//! A stress test with fault injection: the real server processes orders and payments while the test kills processes, fills disks,
//! makes writes fail, breaks networks and shifts clocks. Then it compares what the servers acknowledged to clients with the
//! database and the external panels. It starts its own servers on this machine and must never use a panel that is in use.

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
