//! Well-behaved clients: a request with an idempotency key is repeated until it is answered, one without a key is never
//! repeated. They record what the servers promised.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use panel_kernel::random::Random;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::faults::{below, choose};
use crate::judge::{Outcome, Promises, Request, WithdrawalStep, forbidden};
use crate::shop::{CUSTOMERS, SERVICE, STAFF};

/// Time for repeating a request with a key before it counts as a violation.
const RETRY_DEADLINE: Duration = Duration::from_secs(180);
/// Timeout of one attempt.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout of the doctor; the server under test is not optimised.
const DOCTOR_TIMEOUT: Duration = Duration::from_secs(60);
/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(250);
/// One of this many orders is canceled.
const ONE_CANCELED_OF: u64 = 3;
/// The unit of credits, in millionths.
const CREDIT: i64 = 1_000_000;

/// State that all clients share.
pub struct Clients {
    http: reqwest::Client,
    ports: Vec<u16>,
    keys: BTreeMap<i64, String>,
    most_orders: u64,
    /// Start and length of the fault phase; orders and decisions are spread over it.
    started: Instant,
    length: Duration,
    is_over: AtomicBool,
    marks: AtomicU64,
    orders: AtomicU64,
    promises: Mutex<Promises>,
    /// Orders to cancel.
    placed: Mutex<Vec<i64>>,
    withdrawals: Mutex<Vec<i64>>,
    most_withdrawals: u64,
    /// Number of answers of each kind.
    seen: Mutex<BTreeMap<String, u64>>,
}

/// One answer.
struct Answer {
    status: u16,
    has_retry_after: bool,
    body: Value,
}

/// A request of staff.
struct Call<'c> {
    staff: usize,
    path: &'c str,
    key: &'c str,
    body: Value,
}

fn open<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates an HTTP client.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "callers from outside of the panel")]
pub fn http() -> reqwest::Client {
    reqwest::Client::builder()
        .timeout(TIMEOUT)
        .connect_timeout(Duration::from_secs(2))
        .build()
        .unwrap_or_else(|_| reqwest::Client::new())
}

impl Clients {
    /// Clients of the servers at these ports.
    #[must_use]
    pub fn new(ports: Vec<u16>, keys: BTreeMap<i64, String>) -> Self {
        Self {
            http: http(),
            ports,
            keys,
            most_orders: 0,
            started: Instant::now(),
            length: Duration::ZERO,
            is_over: AtomicBool::new(false),
            marks: AtomicU64::new(0),
            orders: AtomicU64::new(0),
            promises: Mutex::default(),
            placed: Mutex::default(),
            withdrawals: Mutex::default(),
            most_withdrawals: 0,
            seen: Mutex::default(),
        }
    }

    /// The same clients and promises with other servers: at most `most_orders` orders, spread over `length` from now on.
    #[must_use]
    pub fn at(self, ports: Vec<u16>, most_orders: u64, length: Duration) -> Self {
        Self { ports, most_orders, length, started: Instant::now(), ..self }
    }

    /// Whether the next of `most` is due after `done` of them, if they are spread evenly.
    fn is_due(&self, done: u64, most: u64) -> bool {
        let (elapsed, length) = (self.started.elapsed().as_millis(), self.length.as_millis().max(1));
        u128::from(done) < u128::from(most) && u128::from(done) * length <= u128::from(most) * elapsed
    }

    /// Stops all clients from starting new requests.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }

    /// Sets the withdrawals that wait for a decision.
    pub fn decide(&mut self, withdrawals: Vec<i64>) {
        self.most_withdrawals = count(&withdrawals);
        *open(&self.withdrawals) = withdrawals;
    }

    /// The promises so far.
    #[must_use]
    pub fn promises(&self) -> Promises {
        open(&self.promises).clone()
    }

    /// How often clients saw each kind of answer.
    #[must_use]
    pub fn seen(&self) -> BTreeMap<String, u64> {
        open(&self.seen).clone()
    }

    fn mark(&self, what: &str) -> String {
        format!("torture-{what}-{}", self.marks.fetch_add(1, Ordering::SeqCst))
    }

    /// Records a violation that a client saw.
    pub fn report(&self, what: String) {
        *open(&self.promises).forbidden_answers.entry(what).or_default() += 1;
    }

    fn note(&self, what: String) {
        *open(&self.seen).entry(what).or_default() += 1;
    }

    async fn send(&self, request: reqwest::RequestBuilder, is_reseller: bool) -> Option<Answer> {
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(_) => {
                self.note("no answer".into());
                return None;
            }
        };
        let (status, has_retry_after) =
            (answer.status().as_u16(), answer.headers().contains_key("retry-after"));
        let text = answer.text().await.ok();
        self.note(status.to_string());
        let body: Value = text.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
        if let Some(why) = forbidden(status, has_retry_after, is_reseller) {
            self.report(format!("{why} ({})", body["code"].as_str().unwrap_or_default()));
        }
        // A truncated answer counts as no answer.
        text.map(|_| Answer { status, has_retry_after, body })
    }

    /// Repeats a request with its key until it is answered; `None` if it never is.
    async fn keyed(&self, random: &Random, call: Call<'_>) -> Option<Answer> {
        let started = Instant::now();
        while started.elapsed() < RETRY_DEADLINE {
            let port = self.ports[choose(random, self.ports.len())];
            let request = self
                .http
                .post(format!("http://127.0.0.1:{port}{}", call.path))
                .bearer_auth(STAFF[call.staff])
                .header("idempotency-key", call.key)
                .json(&call.body);
            if let Some(answer) = self.send(request, false).await {
                let is_running = answer.body["code"] == "idempotency_key_in_use";
                if answer.status < 500 && !matches!(answer.status, 408 | 429) && !is_running {
                    return Some(answer);
                }
            }
            sleep(PAUSE).await;
        }
        self.report(format!("no answer to {} within {} s", call.path, RETRY_DEADLINE.as_secs()));
        None
    }

    /// Credits a customer.
    pub async fn credit(&self, random: &Random, user: i64, units: i64) {
        let mark = self.mark("payment");
        let body = json!({ "user_id": user, "transaction_type": "income", "balance_type": "main",
            "amount": format!("{units}.000000"), "comment": mark });
        let call = Call { staff: 0, path: "/api/v1/admin/payments", key: &mark, body };
        let Some(answer) = self.keyed(random, call).await else { return };
        let is_done = answer.status < 300;
        if !is_done {
            self.report(format!("a payment was refused: {} {}", answer.status, answer.body));
        }
        let mut promises = open(&self.promises);
        promises.payments.push(Request { mark, outcome: outcome(is_done) });
        if is_done {
            *promises.credited.entry(user).or_default() += units * CREDIT;
        }
    }

    async fn place(&self, random: &Random) {
        let mark = format!("https://video.example/{}", self.mark("order"));
        let quantity = 100 + i64::try_from(below(random, 50)).unwrap_or_default() * 10;
        let user = customer(random);
        let body = json!({ "user_id": user, "service_id": SERVICE, "url": mark, "quantity": quantity });
        let call = Call { staff: 0, path: "/api/v1/admin/orders", key: &mark, body };
        let Some(answer) = self.keyed(random, call).await else { return };
        let is_done = answer.status < 300;
        if !is_done {
            self.report(format!("an order was refused: {} {}", answer.status, answer.body));
        }
        if below(random, ONE_CANCELED_OF) == 0 {
            open(&self.placed).extend(answer.body["data"]["id"].as_i64());
        }
        open(&self.promises).orders.push(Request { mark, outcome: outcome(is_done) });
    }

    /// An order through the reseller API, which has no idempotency key.
    async fn resell(&self, random: &Random) {
        let mark = format!("https://video.example/{}", self.mark("reseller"));
        let user = customer(random);
        let port = self.ports[choose(random, self.ports.len())];
        let form = [
            ("key", self.keys.get(&user).cloned().unwrap_or_default()),
            ("action", "add".into()),
            ("service", SERVICE.to_string()),
            ("link", mark.clone()),
            ("quantity", "200".into()),
        ];
        let request = self.http.post(format!("http://127.0.0.1:{port}/api/v2")).form(&form);
        let outcome = match self.send(request, true).await {
            Some(answer) if answer.body["order"].is_number() => Outcome::Done,
            Some(answer) if answer.status < 500 => Outcome::Refused,
            // Retry-After means that nothing was executed.
            Some(answer) if answer.has_retry_after => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        open(&self.promises).orders.push(Request { mark, outcome });
    }

    async fn cancel(&self, random: &Random) {
        let id = {
            let mut placed = open(&self.placed);
            if placed.is_empty() {
                return;
            }
            let at = choose(random, placed.len());
            placed.swap_remove(at)
        };
        let (path, key) = (format!("/api/v1/admin/orders/{id}/cancel"), self.mark("cancel"));
        let body = json!({ "return_money": true, "send_email_notification": id % 2 == 0 });
        let Some(answer) = self.keyed(random, Call { staff: 0, path: &path, key: &key, body }).await else {
            return;
        };
        match answer.status {
            200..300 => open(&self.promises).canceled.push(id),
            // It ended before.
            409 | 422 => {}
            status => self.report(format!("an order could not be canceled: {status} {}", answer.body)),
        }
    }

    async fn decide_one(&self, random: &Random) {
        let id = {
            let mut withdrawals = open(&self.withdrawals);
            let done = self.most_withdrawals - count(&withdrawals);
            if !self.is_due(done, self.most_withdrawals) {
                return;
            }
            withdrawals.pop()
        };
        let Some(id) = id else { return };
        let mut status = "pending";
        let steps: &[(usize, &str, Value, &str)] = match below(random, 3) {
            0 => &[(0, "reject", json!({ "admin_note": "The account is not yours" }), "rejected")],
            1 => &[(0, "approve", json!({}), "approved")],
            _ => &[
                (0, "approve", json!({}), "approved"),
                (1, "mark-as-paid", json!({ "transaction_id": format!("transfer-{id}") }), "paid"),
            ],
        };
        for (staff, step, body, then) in steps {
            let (path, key) = (format!("/api/v1/admin/withdrawals/{id}/{step}"), self.mark(step));
            let call = Call { staff: *staff, path: &path, key: &key, body: body.clone() };
            match self.keyed(random, call).await {
                Some(answer) if answer.status < 300 => status = then,
                Some(answer) => {
                    self.report(format!(
                        "a withdrawal could not be {then}: {} {}",
                        answer.status, answer.body
                    ));
                }
                None => return,
            }
        }
        open(&self.promises).withdrawals.push(WithdrawalStep { id, status });
    }

    async fn read(&self, random: &Random) {
        let port = self.ports[choose(random, self.ports.len())];
        let path = [
            "/api/v1/admin/orders?length=20",
            "/api/v1/admin/payments?length=20",
            "/api/v1/admin/application",
        ][choose(random, 3)];
        let request = self.http.get(format!("http://127.0.0.1:{port}{path}")).bearer_auth(STAFF[0]);
        self.send(request, false).await;
    }

    /// The doctor's report of a server, or the reason why there is none.
    pub async fn doctor(&self, port: u16) -> Result<Value, String> {
        let request = self.http.get(format!("http://127.0.0.1:{port}/api/v1/admin/system/doctor"));
        let request = request.bearer_auth(STAFF[0]).timeout(DOCTOR_TIMEOUT);
        let answer = request.send().await.map_err(|error| format!("{error:?}"))?;
        let (status, text) = (answer.status(), answer.text().await.map_err(|error| format!("{error:?}"))?);
        let body: Value = text.parse().map_err(|_| format!("{status} {text}"))?;
        if status == 200 { Ok(body["data"].clone()) } else { Err(format!("{status} {text}")) }
    }

    /// Releases a quarantined record. Returns whether the server accepted it.
    pub async fn release(&self, id: i64) -> bool {
        let port = self.ports.first().copied().unwrap_or_default();
        let path = format!("http://127.0.0.1:{port}/api/v1/admin/quarantine/{id}/release");
        let answer = self.send(self.http.post(path).bearer_auth(STAFF[0]), false).await;
        answer.is_some_and(|answer| answer.status < 300)
    }

    /// Runs one client until `end` is called.
    pub async fn run(self: Arc<Self>, random: Random) {
        while !self.is_over.load(Ordering::SeqCst) {
            let may_order = self.is_due(self.orders.load(Ordering::SeqCst), self.most_orders);
            match below(&random, 20) {
                0..7 if may_order => {
                    self.orders.fetch_add(1, Ordering::SeqCst);
                    self.place(&random).await;
                }
                7..11 if may_order => {
                    self.orders.fetch_add(1, Ordering::SeqCst);
                    self.resell(&random).await;
                }
                11..13 => self.cancel(&random).await,
                13..16 => self.credit(&random, customer(&random), 1).await,
                16..18 => self.decide_one(&random).await,
                _ => self.read(&random).await,
            }
            sleep(Duration::from_millis(30 + below(&random, 120))).await;
        }
    }
}

fn count(ids: &[i64]) -> u64 {
    u64::try_from(ids.len()).unwrap_or(u64::MAX)
}

const fn outcome(is_done: bool) -> Outcome {
    if is_done { Outcome::Done } else { Outcome::Refused }
}

fn customer(random: &Random) -> i64 {
    1 + i64::try_from(choose(random, usize::try_from(CUSTOMERS).unwrap_or(1))).unwrap_or_default()
}
