//! Well-behaved clients: they repeat a request with an idempotency key until the server responds, never repeat a request without
//! such a key, and record what the servers acknowledged.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use panel_kernel::random::Random;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::faults::{random_below, random_index};
use crate::setup::{CUSTOMER_COUNT, SERVICE_ID, STAFF_TOKENS};
use crate::violations::{ClientLog, RequestOutcome, WithdrawalStep, WriteRequest, forbidden_response_reason};

/// If no server responds to a request with an idempotency key for this long, the run has a violation.
const RETRY_DEADLINE: Duration = Duration::from_secs(180);
/// Timeout of one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout of the request that checks the stored data (`system/doctor`). It is long because the server under test is a debug build.
const DOCTOR_TIMEOUT: Duration = Duration::from_secs(60);
const RETRY_PAUSE: Duration = Duration::from_millis(250);
/// On average, the clients cancel one of this many orders.
const ORDERS_PER_CANCEL: u64 = 3;
const MILLIONTHS_PER_UNIT: i64 = 1_000_000;

/// State that all clients share.
pub struct Clients {
    http_client: reqwest::Client,
    ports: Vec<u16>,
    api_keys: BTreeMap<i64, String>,
    max_orders: u64,
    /// Orders and decisions are spread evenly over the fault phase.
    fault_phase_started_at: Instant,
    fault_phase_duration: Duration,
    is_stopped: AtomicBool,
    next_unique_number: AtomicU64,
    placed_order_count: AtomicU64,
    client_log: Mutex<ClientLog>,
    /// Ids of orders that a client may cancel.
    cancelable_orders: Mutex<Vec<i64>>,
    /// Ids of withdrawals that wait for a decision.
    pending_withdrawals: Mutex<Vec<i64>>,
    withdrawal_count: u64,
    /// Number of responses by status.
    response_counts: Mutex<BTreeMap<String, u64>>,
}

struct ApiResponse {
    status: u16,
    has_retry_after: bool,
    body: Value,
}

/// A write request of a staff member.
struct StaffRequest<'r> {
    /// Index in `STAFF_TOKENS`.
    staff_index: usize,
    path: &'r str,
    idempotency_key: &'r str,
    body: Value,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[must_use]
#[expect(clippy::disallowed_methods, reason = "the clients run outside of the panel")]
pub fn http_client() -> reqwest::Client {
    reqwest::Client::builder()
        .timeout(ATTEMPT_TIMEOUT)
        .connect_timeout(Duration::from_secs(2))
        .build()
        .unwrap_or_else(|_| reqwest::Client::new())
}

impl Clients {
    /// Creates clients of the servers at these ports on loopback.
    #[must_use]
    pub fn new(ports: Vec<u16>, api_keys: BTreeMap<i64, String>) -> Self {
        Self {
            http_client: http_client(),
            ports,
            api_keys,
            max_orders: 0,
            fault_phase_started_at: Instant::now(),
            fault_phase_duration: Duration::ZERO,
            is_stopped: AtomicBool::new(false),
            next_unique_number: AtomicU64::new(0),
            placed_order_count: AtomicU64::new(0),
            client_log: Mutex::default(),
            cancelable_orders: Mutex::default(),
            pending_withdrawals: Mutex::default(),
            withdrawal_count: 0,
            response_counts: Mutex::default(),
        }
    }

    /// Changes the servers of all later requests. The clients place at most `max_orders` orders, spread evenly over
    /// `fault_phase_duration` from now on.
    #[must_use]
    pub fn with_servers(self, ports: Vec<u16>, max_orders: u64, fault_phase_duration: Duration) -> Self {
        Self { ports, max_orders, fault_phase_duration, fault_phase_started_at: Instant::now(), ..self }
    }

    /// Whether the next action is due after `done_count` of `total_count` actions, if they are spread evenly over the fault phase.
    fn is_next_action_due(&self, done_count: u64, total_count: u64) -> bool {
        let (done_count, total_count) = (u128::from(done_count), u128::from(total_count));
        let elapsed_ms = self.fault_phase_started_at.elapsed().as_millis();
        let fault_phase_ms = self.fault_phase_duration.as_millis().max(1);
        done_count < total_count && done_count * fault_phase_ms <= total_count * elapsed_ms
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
    pub fn client_log(&self) -> ClientLog {
        lock(&self.client_log).clone()
    }

    /// Number of responses by status; `no response` counts the requests without a response.
    #[must_use]
    pub fn response_counts(&self) -> BTreeMap<String, u64> {
        lock(&self.response_counts).clone()
    }

    fn next_marker(&self, subject: &str) -> String {
        format!("torture-{subject}-{}", self.next_unique_number.fetch_add(1, Ordering::SeqCst))
    }

    pub fn report_violation(&self, violation: String) {
        *lock(&self.client_log).violations_by_text.entry(violation).or_default() += 1;
    }

    fn count_response(&self, status: String) {
        *lock(&self.response_counts).entry(status).or_default() += 1;
    }

    async fn send(&self, request: reqwest::RequestBuilder, is_reseller: bool) -> Option<ApiResponse> {
        let response = match request.send().await {
            Ok(response) => response,
            Err(_) => {
                self.count_response("no response".into());
                return None;
            }
        };
        let (status, has_retry_after) =
            (response.status().as_u16(), response.headers().contains_key("retry-after"));
        let text = response.text().await.ok();
        self.count_response(status.to_string());
        let body: Value = text.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
        if let Some(reason) = forbidden_response_reason(status, has_retry_after, is_reseller) {
            self.report_violation(format!("{reason} ({})", body["code"].as_str().unwrap_or_default()));
        }
        // A truncated response counts as no response.
        text.map(|_| ApiResponse { status, has_retry_after, body })
    }

    /// Repeats a request with its idempotency key until a server responds; returns `None` after `RETRY_DEADLINE`.
    async fn send_until_response(
        &self,
        random: &Random,
        staff_request: StaffRequest<'_>,
    ) -> Option<ApiResponse> {
        let started = Instant::now();
        while started.elapsed() < RETRY_DEADLINE {
            let port = self.ports[random_index(random, self.ports.len())];
            let request = self
                .http_client
                .post(format!("http://127.0.0.1:{port}{}", staff_request.path))
                .bearer_auth(STAFF_TOKENS[staff_request.staff_index])
                .header("idempotency-key", staff_request.idempotency_key)
                .json(&staff_request.body);
            if let Some(response) = self.send(request, false).await {
                let is_first_request_running = response.body["code"] == "idempotency_key_in_use";
                if response.status < 500 && !matches!(response.status, 408 | 429) && !is_first_request_running
                {
                    return Some(response);
                }
            }
            sleep(RETRY_PAUSE).await;
        }
        self.report_violation(format!(
            "no response to {} within {} s",
            staff_request.path,
            RETRY_DEADLINE.as_secs()
        ));
        None
    }

    pub async fn credit_customer(&self, random: &Random, user_id: i64, units: i64) {
        let marker = self.next_marker("payment");
        let body = json!({ "user_id": user_id, "transaction_type": "income", "balance_type": "main",
            "amount": format!("{units}.000000"), "comment": marker });
        let staff_request =
            StaffRequest { staff_index: 0, path: "/api/v1/admin/payments", idempotency_key: &marker, body };
        let Some(response) = self.send_until_response(random, staff_request).await else { return };
        let is_acknowledged = response.status < 300;
        if !is_acknowledged {
            self.report_violation(format!(
                "the server rejected a payment: {} {}",
                response.status, response.body
            ));
        }
        let mut client_log = lock(&self.client_log);
        client_log.payments.push(WriteRequest { marker, outcome: outcome_of(is_acknowledged) });
        if is_acknowledged {
            *client_log.credited.entry(user_id).or_default() += units * MILLIONTHS_PER_UNIT;
        }
    }

    async fn place_order(&self, random: &Random) {
        let marker = format!("https://video.example/{}", self.next_marker("order"));
        let quantity = 100 + i64::try_from(random_below(random, 50)).unwrap_or_default() * 10;
        let user_id = random_customer(random);
        let body =
            json!({ "user_id": user_id, "service_id": SERVICE_ID, "url": marker, "quantity": quantity });
        let staff_request =
            StaffRequest { staff_index: 0, path: "/api/v1/admin/orders", idempotency_key: &marker, body };
        let Some(response) = self.send_until_response(random, staff_request).await else { return };
        let is_acknowledged = response.status < 300;
        if !is_acknowledged {
            self.report_violation(format!(
                "the server rejected an order: {} {}",
                response.status, response.body
            ));
        }
        if random_below(random, ORDERS_PER_CANCEL) == 0 {
            lock(&self.cancelable_orders).extend(response.body["data"]["id"].as_i64());
        }
        lock(&self.client_log).orders.push(WriteRequest { marker, outcome: outcome_of(is_acknowledged) });
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
        let request = self.http_client.post(format!("http://127.0.0.1:{port}/api/v2")).form(&form);
        let outcome = match self.send(request, true).await {
            Some(response) if response.body["order"].is_number() => RequestOutcome::Acknowledged,
            Some(response) if response.status < 500 => RequestOutcome::Rejected,
            // Retry-After means that the server did not execute the request.
            Some(response) if response.has_retry_after => RequestOutcome::Rejected,
            _ => RequestOutcome::Unknown,
        };
        lock(&self.client_log).orders.push(WriteRequest { marker, outcome });
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
        let path = format!("/api/v1/admin/orders/{id}/cancel");
        let idempotency_key = self.next_marker("cancel");
        let body = json!({ "return_money": true, "send_email_notification": id % 2 == 0 });
        let staff_request =
            StaffRequest { staff_index: 0, path: &path, idempotency_key: &idempotency_key, body };
        let Some(response) = self.send_until_response(random, staff_request).await else { return };
        match response.status {
            200..300 => lock(&self.client_log).canceled.push(id),
            // The order had already ended.
            409 | 422 => {}
            status => self.report_violation(format!(
                "the server rejected the cancel of an order: {status} {}",
                response.body
            )),
        }
    }

    async fn decide_next_withdrawal(&self, random: &Random) {
        let id = {
            let mut withdrawals = lock(&self.pending_withdrawals);
            let decided_count = self.withdrawal_count - len_u64(&withdrawals);
            if !self.is_next_action_due(decided_count, self.withdrawal_count) {
                return;
            }
            withdrawals.pop()
        };
        let Some(id) = id else { return };
        let mut acknowledged_status = "pending";
        let steps: &[(usize, &str, Value, &str)] = match random_below(random, 3) {
            0 => &[(0, "reject", json!({ "admin_note": "The account is not yours" }), "rejected")],
            1 => &[(0, "approve", json!({}), "approved")],
            _ => &[
                (0, "approve", json!({}), "approved"),
                (1, "marker-as-paid", json!({ "transaction_id": format!("transfer-{id}") }), "paid"),
            ],
        };
        for (staff_index, action, body, new_status) in steps {
            let path = format!("/api/v1/admin/withdrawals/{id}/{action}");
            let idempotency_key = self.next_marker(action);
            let staff_request = StaffRequest {
                staff_index: *staff_index,
                path: &path,
                idempotency_key: &idempotency_key,
                body: body.clone(),
            };
            match self.send_until_response(random, staff_request).await {
                Some(response) if response.status < 300 => acknowledged_status = new_status,
                Some(response) => {
                    self.report_violation(format!(
                        "the server rejected the change of a withdrawal to {new_status}: {} {}",
                        response.status, response.body
                    ));
                }
                None => return,
            }
        }
        lock(&self.client_log).withdrawals.push(WithdrawalStep { id, status: acknowledged_status });
    }

    async fn read_list(&self, random: &Random) {
        let port = self.ports[random_index(random, self.ports.len())];
        let path = [
            "/api/v1/admin/orders?length=20",
            "/api/v1/admin/payments?length=20",
            "/api/v1/admin/application",
        ][random_index(random, 3)];
        let request =
            self.http_client.get(format!("http://127.0.0.1:{port}{path}")).bearer_auth(STAFF_TOKENS[0]);
        self.send(request, false).await;
    }

    /// Runs the doctor of a server. Returns its report, or the reason why the server returned none.
    pub async fn run_doctor(&self, port: u16) -> Result<Value, String> {
        let request = self.http_client.get(format!("http://127.0.0.1:{port}/api/v1/admin/system/doctor"));
        let request = request.bearer_auth(STAFF_TOKENS[0]).timeout(DOCTOR_TIMEOUT);
        let response = request.send().await.map_err(|error| format!("{error:?}"))?;
        let (status, text) =
            (response.status(), response.text().await.map_err(|error| format!("{error:?}"))?);
        let body: Value = text.parse().map_err(|_| format!("{status} {text}"))?;
        if status == 200 { Ok(body["data"].clone()) } else { Err(format!("{status} {text}")) }
    }

    /// Releases a quarantined record. Returns whether the server accepted the request.
    pub async fn release_quarantined_record(&self, id: i64) -> bool {
        let port = self.ports.first().copied().unwrap_or_default();
        let path = format!("http://127.0.0.1:{port}/api/v1/admin/quarantine/{id}/release");
        let response = self.send(self.http_client.post(path).bearer_auth(STAFF_TOKENS[0]), false).await;
        response.is_some_and(|response| response.status < 300)
    }

    /// Runs one client until `stop` is called.
    pub async fn run(self: Arc<Self>, random: Random) {
        while !self.is_stopped.load(Ordering::SeqCst) {
            let is_order_due =
                self.is_next_action_due(self.placed_order_count.load(Ordering::SeqCst), self.max_orders);
            match random_below(&random, 20) {
                0..7 if is_order_due => {
                    self.placed_order_count.fetch_add(1, Ordering::SeqCst);
                    self.place_order(&random).await;
                }
                7..11 if is_order_due => {
                    self.placed_order_count.fetch_add(1, Ordering::SeqCst);
                    self.place_reseller_order(&random).await;
                }
                11..13 => self.cancel_order(&random).await,
                13..16 => self.credit_customer(&random, random_customer(&random), 1).await,
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

const fn outcome_of(is_acknowledged: bool) -> RequestOutcome {
    if is_acknowledged { RequestOutcome::Acknowledged } else { RequestOutcome::Rejected }
}

fn random_customer(random: &Random) -> i64 {
    1 + i64::try_from(random_index(random, usize::try_from(CUSTOMER_COUNT).unwrap_or(1))).unwrap_or_default()
}
