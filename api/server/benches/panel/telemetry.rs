//! The cost of telemetry: CPU time of one request for the default page of orders, with the program of `BENCH_BEFORE` (from before a
//! change), with this one, and with this one exporting spans. They alternate, so that other load on the machine affects all of
//! them.

use std::path::Path;
use std::time::Instant;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::load::CALLERS;
use crate::server_process::{ServerProcess, measured_program};

/// The number of rounds of each program.
const ROUNDS: usize = 10;
/// The duration of each round, in seconds.
const SECONDS: u64 = 4;
const PATH: &str = "/api/v1/admin/orders";

/// The measurements of one program.
pub(crate) struct ProgramCost {
    pub(crate) name: &'static str,
    /// CPU time per request in each round, in microseconds.
    pub(crate) cpu_micros: Vec<f64>,
    /// Requests per second in each round.
    pub(crate) per_second: Vec<f64>,
}

pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// A measured program: its name in the table, its path, and its environment.
type ProgramVariant<'a> = (&'static str, &'a str, &'a [(&'a str, &'a str)]);

/// Measures all programs in alternating rounds.
pub(crate) async fn measure(folder: &Path, url: Option<&str>) -> Vec<ProgramCost> {
    let (before, current) = (std::env::var("BENCH_BEFORE").ok(), measured_program());
    let endpoint = format!("http://{}/v1/traces", start_collector().await);
    let exporting = [("PANEL_TELEMETRY__OTLP_ENDPOINT", endpoint.as_str())];
    let mut programs: Vec<ProgramVariant<'_>> = Vec::new();
    if let Some(before) = &before {
        programs.push(("before", before, &[]));
    }
    programs.push(("export off", &current, &[]));
    programs.push(("export on, every trace", &current, &exporting));
    let cost = |name| ProgramCost { name, cpu_micros: Vec::new(), per_second: Vec::new() };
    let mut costs: Vec<ProgramCost> = programs.iter().map(|(name, ..)| cost(*name)).collect();
    for _ in 0..ROUNDS {
        for ((name, program, variables), cost) in programs.iter().zip(&mut costs) {
            let server = ServerProcess::start_program(program, variables, folder, url).await;
            let (cpu_micros, per_second) = measure_round(&server, PATH, SECONDS).await;
            println!("{name:<24} {cpu_micros:>7.0} us a request {per_second:>7.0}/s");
            cost.cpu_micros.push(cpu_micros);
            cost.per_second.push(per_second);
        }
    }
    costs
}

/// Measures sixteen callers that request `path`. Returns the CPU time per request in microseconds, and requests per second.
pub(crate) async fn measure_round(server: &ServerProcess, path: &str, seconds: u64) -> (f64, f64) {
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        let mut caller = server.caller(path).await;
        caller.call().await;
        callers.push(caller);
    }
    let (started, before) = (Instant::now(), server.cpu_seconds());
    let tasks = callers.into_iter().map(async |mut caller| {
        let mut calls = 0_u32;
        while started.elapsed().as_secs() < seconds {
            caller.call().await;
            calls += 1;
        }
        calls
    });
    let calls = f64::from(futures_util::future::join_all(tasks).await.into_iter().sum::<u32>());
    let cpu_seconds = server.cpu_seconds() - before;
    (cpu_seconds * 1_000_000.0 / calls, calls / started.elapsed().as_secs_f64())
}

/// Starts a trace collector that discards all spans. Returns its address.
async fn start_collector() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut read = vec![0; 1 << 20];
                // The response does not depend on the batch, and the connection ends with it.
                while stream.read(&mut read).await.is_ok_and(|bytes| bytes == read.len()) {}
                drop(
                    stream
                        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                        .await,
                );
            });
        }
    });
    address
}
