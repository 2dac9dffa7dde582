//! Measures the cost of telemetry: CPU time per request for the default page of orders with the program of `BENCH_BEFORE` (built
//! before a change), with the current program, and with the current program while it exports spans. The rounds alternate, so that
//! other load on the machine affects all three.

use std::path::Path;
use std::time::Instant;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::load::CLIENT_COUNT;
use crate::server_process::{ServerProcess, program_under_test};

const ROUNDS_PER_PROGRAM: usize = 10;
const SECONDS_PER_ROUND: u64 = 4;
const ORDERS_PATH: &str = "/api/v1/admin/orders";

/// The measurements of one program.
pub(crate) struct ProgramCost {
    pub(crate) name: &'static str,
    /// CPU time per request in each round, in microseconds.
    pub(crate) cpu_micros: Vec<f64>,
    /// Requests per second in each round.
    pub(crate) requests_per_second: Vec<f64>,
}

pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

struct ProgramVariant<'p> {
    /// As the report shows it.
    name: &'static str,
    path: &'p str,
    env_variables: &'p [(&'p str, &'p str)],
}

/// Result of one round.
pub(crate) struct RoundResult {
    pub(crate) cpu_micros_per_request: f64,
    pub(crate) requests_per_second: f64,
}

/// Measures all programs in alternating rounds.
pub(crate) async fn measure(folder: &Path, database_url: Option<&str>) -> Vec<ProgramCost> {
    let program_before = std::env::var("BENCH_BEFORE").ok();
    let current_program = program_under_test();
    let endpoint = format!("http://{}/v1/traces", start_collector().await);
    let export_variables = [("PANEL_TELEMETRY__OTLP_ENDPOINT", endpoint.as_str())];
    let mut programs: Vec<ProgramVariant<'_>> = Vec::new();
    if let Some(program_before) = &program_before {
        programs.push(ProgramVariant { name: "before", path: program_before, env_variables: &[] });
    }
    let path = &current_program;
    programs.push(ProgramVariant { name: "export off", path, env_variables: &[] });
    programs.push(ProgramVariant { name: "export on, every trace", path, env_variables: &export_variables });
    let empty_cost = |program: &ProgramVariant<'_>| ProgramCost {
        name: program.name,
        cpu_micros: Vec::new(),
        requests_per_second: Vec::new(),
    };
    let mut costs: Vec<ProgramCost> = programs.iter().map(empty_cost).collect();
    for _ in 0..ROUNDS_PER_PROGRAM {
        for (program, cost) in programs.iter().zip(&mut costs) {
            let ProgramVariant { name, path, env_variables } = program;
            let server = ServerProcess::start_program(path, env_variables, folder, database_url).await;
            let round = measure_round(&server, ORDERS_PATH, SECONDS_PER_ROUND).await;
            println!(
                "{name:<24} {:>7.0} us per request {:>7.0} requests/s",
                round.cpu_micros_per_request, round.requests_per_second
            );
            cost.cpu_micros.push(round.cpu_micros_per_request);
            cost.requests_per_second.push(round.requests_per_second);
        }
    }
    costs
}

/// Measures the server while sixteen clients request `path`.
pub(crate) async fn measure_round(server: &ServerProcess, path: &str, seconds: u64) -> RoundResult {
    let mut connections = Vec::new();
    for _ in 0..CLIENT_COUNT {
        let mut connection = server.open_connection(path).await;
        connection.send_request().await;
        connections.push(connection);
    }
    let (started_at, cpu_seconds_before) = (Instant::now(), server.cpu_seconds());
    let tasks = connections.into_iter().map(async |mut connection| {
        let mut request_count = 0_u32;
        while started_at.elapsed().as_secs() < seconds {
            connection.send_request().await;
            request_count += 1;
        }
        request_count
    });
    let request_counts = futures_util::future::join_all(tasks).await;
    let total_requests = f64::from(request_counts.into_iter().sum::<u32>());
    let cpu_seconds = server.cpu_seconds() - cpu_seconds_before;
    RoundResult {
        cpu_micros_per_request: cpu_seconds * 1_000_000.0 / total_requests,
        requests_per_second: total_requests / started_at.elapsed().as_secs_f64(),
    }
}

/// Starts a trace collector that discards all spans. Returns its address.
async fn start_collector() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut buffer = vec![0; 1 << 20];
                // The response does not depend on the request, and closes the connection.
                while stream.read(&mut buffer).await.is_ok_and(|count| count == buffer.len()) {}
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
