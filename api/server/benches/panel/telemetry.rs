//! What observing costs: processor time of one request for the default page of orders, by the program of `BENCH_BEFORE` (one from before
//! a change), by this one, and by this one with spans exported. They take turns, so that what else the machine does is shared.

use std::path::Path;
use std::time::Instant;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::load::CALLERS;
use crate::served::{Served, measured_program};

/// Turns of each program.
const TURNS: usize = 10;
/// How long each turn is measured.
const SECONDS: u64 = 4;
const PATH: &str = "/api/v1/admin/orders";

/// The turns of one program.
pub(crate) struct Cost {
    pub(crate) name: &'static str,
    /// Microseconds of processor time for a request, of each turn.
    pub(crate) micros: Vec<f64>,
    /// Requests a second, of each turn.
    pub(crate) per_second: Vec<f64>,
}

/// The middle of some numbers.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// A program that is measured: its name in the table, its path, and its environment.
type Measured<'a> = (&'static str, &'a str, &'a [(&'a str, &'a str)]);

/// Measures all programs in turns.
pub(crate) async fn measure(folder: &Path, url: Option<&str>) -> Vec<Cost> {
    let (before, now) = (std::env::var("BENCH_BEFORE").ok(), measured_program());
    let endpoint = format!("http://{}/v1/traces", collector().await);
    let exporting = [("PANEL_TELEMETRY__OTLP_ENDPOINT", endpoint.as_str())];
    let mut programs: Vec<Measured<'_>> = Vec::new();
    if let Some(before) = &before {
        programs.push(("before", before, &[]));
    }
    programs.push(("export off", &now, &[]));
    programs.push(("export on, every trace", &now, &exporting));
    let cost = |name| Cost { name, micros: Vec::new(), per_second: Vec::new() };
    let mut costs: Vec<Cost> = programs.iter().map(|(name, ..)| cost(*name)).collect();
    for _ in 0..TURNS {
        for ((name, program, variables), cost) in programs.iter().zip(&mut costs) {
            let served = Served::of(program, variables, folder, url).await;
            let (micros, per_second) = turn(&served, PATH, SECONDS).await;
            println!("{name:<24} {micros:>7.0} us a request {per_second:>7.0}/s");
            cost.micros.push(micros);
            cost.per_second.push(per_second);
        }
    }
    costs
}

/// Processor time of a request in microseconds, and requests a second, while sixteen callers ask for `path`.
pub(crate) async fn turn(served: &Served, path: &str, seconds: u64) -> (f64, f64) {
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        let mut caller = served.caller(path).await;
        caller.call().await;
        callers.push(caller);
    }
    let (begun, before) = (Instant::now(), served.cpu_seconds());
    let calls = callers.into_iter().map(async |mut caller| {
        let mut calls = 0_u32;
        while begun.elapsed().as_secs() < seconds {
            caller.call().await;
            calls += 1;
        }
        calls
    });
    let calls = f64::from(futures_util::future::join_all(calls).await.into_iter().sum::<u32>());
    let spent = served.cpu_seconds() - before;
    (spent * 1_000_000.0 / calls, calls / begun.elapsed().as_secs_f64())
}

/// A collector that takes everything and keeps nothing; its address.
async fn collector() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut read = vec![0; 1 << 20];
                // The answer is the same however much of the batch was read, and the connection ends with it.
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
