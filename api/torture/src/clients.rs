//! Well-behaved clients: they repeat a request with an idempotency key until the server answers, never repeat one without a key,
//! and record what the servers acknowledged.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use panel_kernel::random::Random;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::faults::{random_below, random_index};
use crate::setup::{CUSTOMER_COUNT, SERVICE_ID, STAFF_TOKENS};
use crate::violations::{Outcome, Promises, WithdrawalStep, WriteRequest, forbidden_answer_reason};

/// Time after which a request with an idempotency key that got no answer counts as a violation.
const RETRY_DEADLINE: Duration = Duration::from_secs(180);
/// Timeout of one attempt.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout of the doctor; the server under test is not optimised.
const DOCTOR_TIMEOUT: Duration = Duration::from_secs(60);
const RETRY_PAUSE: Duration = Duration::from_millis(250);
/// The clients cancel one of this many orders.
const CANCEL_ONE_OF: u64 = 3;
const MILLIONTHS_PER_UNIT: i64 = 1_000_000;

/// State that all clients share.
pub struct Clients {
    http: reqwest::Client,
    ports: Vec<u16>,
    api_keys: BTreeMap<i64, String>,
    max_orders: u64,
    /// Start and length of the fault phase; orders and decisions are spread over it.
    started: Instant,
    fault_phase: Duration,
    is_stopped: AtomicBool,
    next_marker_number: AtomicU64,
    orders: AtomicU64,
    promises: Mutex<Promises>,
    /// Ids of orders that a client may cancel.
    cancelable_orders: Mutex<Vec<i64>>,
    /// Ids of withdrawals that wait for a decision.
    pending_withdrawals: Mutex<Vec<i64>>,
    withdrawal_count: u64,
    /// Number of answers by status.
    answer_counts: Mutex<BTreeMap<String, u64>>,
}

struct Answer {
    status: u16,
    has_retry_after: bool,
    body: Value,
}

/// A write request of a staff member.
struct StaffCall<'c> {
    /// Index in `STAFF_TOKENS`.
    staff_index: usize,
    path: &'c str,
    idempotency_key: &'c str,
    body: Value,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates an HTTP client.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "callers from outside of the panel")]
pub fn http_client() -> reqwest::Client {
    reqwest::Client::builder()
        .timeout(TIMEOUT)
        .connect_timeout(Duration::from_secs(2))
        .build()
        .unwrap_or_else(|_| reqwest::Client::new())
}

impl Clients {
    /// Clients of the servers at these ports.
    #[must_use]
    pub fn new(ports: Vec<u16>, api_keys: BTreeMap<i64, String>) -> Self {
        Self {
            http: http_client(),
            ports,
            api_keys,
            max_orders: 0,
            started: Instant::now(),
            fault_phase: Duration::ZERO,
            is_stopped: AtomicBool::new(false),
            next_marker_number: AtomicU64::new(0),
            orders: AtomicU64::new(0),
            promises: Mutex::default(),
            cancelable_orders: Mutex::default(),
            pending_withdrawals: Mutex::default(),
            withdrawal_count: 0,
            answer_counts: Mutex::default(),
        }
    }

    /// Sends further requests to these servers: at most `max_orders` orders, spread evenly over `fault_phase` from now on.
    #[must_use]
    pub fn with_servers(self, ports: Vec<u16>, max_orders: u64, fault_phase: Duration) -> Self {
        Self { ports, max_orders, fault_phase, started: Instant::now(), ..self }
    }

    /// Whether the next action is due after `done` of `total` actions, if they are spread evenly over the fault phase.
    fn is_due(&self, done: u64, total: u64) -> bool {
        let (elapsed, fault_phase) =
            (self.started.elapsed().as_millis(), self.fault_phase.as_millis().max(1));
        u128::from(done) < u128::from(total) && u128::from(done) * fault_phase <= u128::from(total) * elapsed
    }

    /// Stops all clients from starting new requests.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }

    pub fn set_pending_withdrawals(&mut self, withdrawals: Vec<i64>) {
        self.withdrawal_count = len_u64(&withdrawals);
        *lock(&self.pending_withdrawals) = withdrawals;
    }

    #[must_use]
    pub fn promises(&self) -> Promises {
        lock(&self.promises).clone()
    }

    /// Number of answers by status; `no answer` counts the requests without one.
    #[must_use]
    pub fn answer_counts(&self) -> BTreeMap<String, u64> {
        lock(&self.answer_counts).clone()
    }

    fn next_marker(&self, subject: &str) -> String {
        format!("torture-{subject}-{}", self.next_marker_number.fetch_add(1, Ordering::SeqCst))
    }

    pub fn report_violation(&self, violation: String) {
        *lock(&self.promises).forbidden_answers.entry(violation).or_default() += 1;
    }

    fn count_answer(&self, status: String) {
        *lock(&self.answer_counts).entry(status).or_default() += 1;
    }

    async fn send(&self, request: reqwest::RequestBuilder, is_reseller: bool) -> Option<Answer> {
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(_) => {
                self.count_answer("no answer".into());
                return None;
            }
        };
        let (status, has_retry_after) =
            (answer.status().as_u16(), answer.headers().contains_key("retry-after"));
        let text = answer.text().await.ok();
        self.count_answer(status.to_string());
        let body: Value = text.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
        if let Some(reason) = forbidden_answer_reason(status, has_retry_after, is_reseller) {
            self.report_violation(format!("{reason} ({})", body["code"].as_str().unwrap_or_default()));
        }
        // A truncated answer counts as no answer.
        text.map(|_| Answer { status, has_retry_after, body })
    }

    /// Repeats a request with its idempotency key until the server answers; `None` after `RETRY_DEADLINE`.
    async fn send_until_answered(&self, random: &Random, staff_call: StaffCall<'_>) -> Option<Answer> {
        let started = Instant::now();
        while started.elapsed() < RETRY_DEADLINE {
            let port = self.ports[random_index(random, self.ports.len())];
            let request = self
                .http
                .post(format!("http://127.0.0.1:{port}{}", staff_call.path))
                .bearer_auth(STAFF_TOKENS[staff_call.staff_index])
                .header("idempotency-key", staff_call.idempotency_key)
                .json(&staff_call.body);
            if let Some(answer) = self.send(request, false).await {
                let is_running = answer.body["code"] == "idempotency_key_in_use";
                if answer.status < 500 && !matches!(answer.status, 408 | 429) && !is_running {
                    return Some(answer);
                }
            }
            sleep(RETRY_PAUSE).await;
        }
        self.report_violation(format!(
            "no answer to {} within {} s",
            staff_call.path,
            RETRY_DEADLINE.as_secs()
        ));
        None
    }

    pub async fn credit(&self, random: &Random, user_id: i64, units: i64) {
        let marker = self.next_marker("payment");
        let body = json!({ "user_id": user_id, "transaction_type": "income", "balance_type": "main",
            "amount": format!("{units}.000000"), "comment": marker });
        let staff_call =
            StaffCall { staff_index: 0, path: "/api/v1/admin/payments", idempotency_key: &marker, body };
        let Some(answer) = self.send_until_answered(random, staff_call).await else { return };
        let is_done = answer.status < 300;
        if !is_done {
            self.report_violation(format!("a payment was refused: {} {}", answer.status, answer.body));
        }
        let mut promises = lock(&self.promises);
        promises.payments.push(WriteRequest { marker, outcome: outcome_of(is_done) });
        if is_done {
            *promises.credited.entry(user_id).or_default() += units * MILLIONTHS_PER_UNIT;
        }
    }

    async fn place_order(&self, random: &Random) {
        let marker = format!("https://video.example/{}", self.next_marker("order"));
        let quantity = 100 + i64::try_from(random_below(random, 50)).unwrap_or_default() * 10;
        let user_id = random_customer(random);
        let body =
            json!({ "user_id": user_id, "service_id": SERVICE_ID, "url": marker, "quantity": quantity });
        let staff_call =
            StaffCall { staff_index: 0, path: "/api/v1/admin/orders", idempotency_key: &marker, body };
        let Some(answer) = self.send_until_answered(random, staff_call).await else { return };
        let is_done = answer.status < 300;
        if !is_done {
            self.report_violation(format!("an order was refused: {} {}", answer.status, answer.body));
        }
        if random_below(random, CANCEL_ONE_OF) == 0 {
            lock(&self.cancelable_orders).extend(answer.body["data"]["id"].as_i64());
        }
        lock(&self.promises).orders.push(WriteRequest { marker, outcome: outcome_of(is_done) });
    }

    /// The reseller API has no idempotency key.
    async fn place_reseller_order(&self, random: &Random) {
        let marker = format!("https://video.example/{}", self.next_marker("reseller"));
        let user_id = random_customer(random);
        let port = self.ports[random_index(random, self.ports.len())];
        let form = [
            ("key", self.api_keys.get(&user_id).cloned().unwrap_or_default()),
            ("action", "add".into()),
            ("service", SERVICE_ID.to_string()),
            ("link", marker.clone()),
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
        lock(&self.promises).orders.push(WriteRequest { marker, outcome });
    }

    async fn cancel_order(&self, random: &Random) {
        let id = {
            let mut cancelable_orders = lock(&self.cancelable_orders);
            if cancelable_orders.is_empty() {
                return;
            }
            let index = random_index(random, cancelable_orders.len());
            cancelable_orders.swap_remove(index)
        };
        let (path, key) = (format!("/api/v1/admin/orders/{id}/cancel"), self.next_marker("cancel"));
        let body = json!({ "return_money": true, "send_email_notification": id % 2 == 0 });
        let staff_call = StaffCall { staff_index: 0, path: &path, idempotency_key: &key, body };
        let Some(answer) = self.send_until_answered(random, staff_call).await else { return };
        match answer.status {
            200..300 => lock(&self.promises).canceled.push(id),
            // The order had already ended.
            409 | 422 => {}
            status => {
                self.report_violation(format!("an order could not be canceled: {status} {}", answer.body))
            }
        }
    }

    async fn decide_next_withdrawal(&self, random: &Random) {
        let id = {
            let mut withdrawals = lock(&self.pending_withdrawals);
            let done = self.withdrawal_count - len_u64(&withdrawals);
            if !self.is_due(done, self.withdrawal_count) {
                return;
            }
            withdrawals.pop()
        };
        let Some(id) = id else { return };
        let mut status = "pending";
        let steps: &[(usize, &str, Value, &str)] = match random_below(random, 3) {
            0 => &[(0, "reject", json!({ "admin_note": "The account is not yours" }), "rejected")],
            1 => &[(0, "approve", json!({}), "approved")],
            _ => &[
                (0, "approve", json!({}), "approved"),
                (1, "marker-as-paid", json!({ "transaction_id": format!("transfer-{id}") }), "paid"),
            ],
        };
        for (staff_index, action, body, new_status) in steps {
            let (path, key) = (format!("/api/v1/admin/withdrawals/{id}/{action}"), self.next_marker(action));
            let staff_call = StaffCall {
                staff_index: *staff_index,
                path: &path,
                idempotency_key: &key,
                body: body.clone(),
            };
            match self.send_until_answered(random, staff_call).await {
                Some(answer) if answer.status < 300 => status = new_status,
                Some(answer) => {
                    self.report_violation(format!(
                        "a withdrawal could not be {new_status}: {} {}",
                        answer.status, answer.body
                    ));
                }
                None => return,
            }
        }
        lock(&self.promises).withdrawals.push(WithdrawalStep { id, status });
    }

    async fn read_list(&self, random: &Random) {
        let port = self.ports[random_index(random, self.ports.len())];
        let path = [
            "/api/v1/admin/orders?length=20",
            "/api/v1/admin/payments?length=20",
            "/api/v1/admin/application",
        ][random_index(random, 3)];
        let request = self.http.get(format!("http://127.0.0.1:{port}{path}")).bearer_auth(STAFF_TOKENS[0]);
        self.send(request, false).await;
    }

    /// The doctor's report of a server, or the reason why there is none.
    pub async fn doctor(&self, port: u16) -> Result<Value, String> {
        let request = self.http.get(format!("http://127.0.0.1:{port}/api/v1/admin/system/doctor"));
        let request = request.bearer_auth(STAFF_TOKENS[0]).timeout(DOCTOR_TIMEOUT);
        let answer = request.send().await.map_err(|error| format!("{error:?}"))?;
        let (status, text) = (answer.status(), answer.text().await.map_err(|error| format!("{error:?}"))?);
        let body: Value = text.parse().map_err(|_| format!("{status} {text}"))?;
        if status == 200 { Ok(body["data"].clone()) } else { Err(format!("{status} {text}")) }
    }

    /// Releases a quarantined record. Returns whether the server accepted it.
    pub async fn release_quarantined(&self, id: i64) -> bool {
        let port = self.ports.first().copied().unwrap_or_default();
        let path = format!("http://127.0.0.1:{port}/api/v1/admin/quarantine/{id}/release");
        let answer = self.send(self.http.post(path).bearer_auth(STAFF_TOKENS[0]), false).await;
        answer.is_some_and(|answer| answer.status < 300)
    }

    /// Runs one client until `stop` is called.
    pub async fn run(self: Arc<Self>, random: Random) {
        while !self.is_stopped.load(Ordering::SeqCst) {
            let may_order = self.is_due(self.orders.load(Ordering::SeqCst), self.max_orders);
            match random_below(&random, 20) {
                0..7 if may_order => {
                    self.orders.fetch_add(1, Ordering::SeqCst);
                    self.place_order(&random).await;
                }
                7..11 if may_order => {
                    self.orders.fetch_add(1, Ordering::SeqCst);
                    self.place_reseller_order(&random).await;
                }
                11..13 => self.cancel_order(&random).await,
                13..16 => self.credit(&random, random_customer(&random), 1).await,
                16..18 => self.decide_next_withdrawal(&random).await,
                _ => self.read_list(&random).await,
            }
            sleep(Duration::from_millis(30 + random_below(&random, 120))).await;
        }
    }
}

fn len_u64(ids: &[i64]) -> u64 {
    u64::try_from(ids.len()).unwrap_or(u64::MAX)
}

const fn outcome_of(is_done: bool) -> Outcome {
    if is_done { Outcome::Done } else { Outcome::Refused }
}

fn random_customer(random: &Random) -> i64 {
    1 + i64::try_from(random_index(random, usize::try_from(CUSTOMER_COUNT).unwrap_or(1))).unwrap_or_default()
}
