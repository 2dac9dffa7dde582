//! A server with sample data and a fixed clock, and functions that run panelctl as a staff member.

use std::process::{Output, Stdio};
use std::sync::Arc;

use panel_client::Client;
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::{BalanceType, ManualPaymentInput, TransactionType};
use panel_contract::permission::Permission;
use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_server::app::App;
use panel_server::auth::{sessions, store};
use panel_server::context::Ctx;
use panel_server::operations::orders::place::{NewOrder, place};
use panel_server::run::RunningServer;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

/// The time of every test: 2026-11-20 16:00:00.
pub(crate) const NOW: i64 = 1_795_190_400_000_000;
/// A customer name with control characters that clear the screen and reverse the text.
pub(crate) const HOSTILE_NAME: &str = "Eve \u{1b}[2J\u{202e}gnp.exe";
const UNMODERATED_SERVICE: ServiceId = ServiceId::new(1);
const MODERATED_SERVICE: ServiceId = ServiceId::new(2);

const CATALOGUE_SQL: &[&str] = &[
    "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 1, 1)",
    "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 1, 1)",
    "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, moderation_is_enabled, has_active_providers, created_at, updated_at)
     VALUES (1, 1, 'Plain views', 100, 100000, 1, 10000000, FALSE, TRUE, 1, 1), (2, 1, 'Moderated views', 100, 100000, 1, 10000000, TRUE, TRUE, 1, 1)",
    "INSERT INTO providers (id, name, status, created_at, updated_at) VALUES (1, 'Boost', 'active', 1, 1), (2, 'Second', 'active', 1, 1)",
    "INSERT INTO service_providers (service_id, provider_id) VALUES (1, 1), (2, 1), (1, 2)",
];

/// A running server, and a home folder for panelctl.
pub(crate) struct Panel {
    pub(crate) app: App,
    pub(crate) address: String,
    pub(crate) home: tempfile::TempDir,
    _server: RunningServer,
    _data_folder: tempfile::TempDir,
}

/// The result of running panelctl.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Formats the exit code and both outputs for a snapshot.
    pub(crate) fn transcript(&self) -> String {
        format!("exit {}\n--- out\n{}--- err\n{}", self.code, self.stdout, self.stderr)
    }

    /// Standard output; panics if the command failed.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.transcript());
        &self.stdout
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("not JSON: {}", self.transcript()))
    }
}

impl Panel {
    /// Starts a server without customers and orders. Its only user is the owner.
    pub(crate) async fn empty() -> Self {
        let data_folder = tempfile::tempdir().unwrap();
        let mut config = Config { data_dir: data_folder.path().into(), ..Config::default() };
        config.database_is_durable = false;
        config.limits.requests_per_minute = u32::MAX;
        config.limits.address_requests_per_minute = u32::MAX;
        let app = App::start(config, Arc::new(FixedClock::new(Time(NOW))), Random::seeded(7)).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = RunningServer::start(app.clone(), listener).unwrap();
        let address = format!("http://{}", server.address);
        let panel = Self {
            app,
            address,
            home: tempfile::tempdir().unwrap(),
            _server: server,
            _data_folder: data_folder,
        };
        panel.create_staff_member(1_000_001, "owner", Permission::ALL).await;
        panel
    }

    /// Starts a server with two services, two providers, three customers who have a balance, and eight orders. Orders 1 to 4 are in
    /// processing, orders 5 to 8 in moderation.
    pub(crate) async fn with_sample_data() -> Self {
        let panel = Self::empty().await;
        let mut tx = panel.app.db.begin().await.unwrap();
        for sql in CATALOGUE_SQL {
            tx.execute(Sql::new(sql)).await.unwrap();
        }
        for (id, name) in [(1, "Anna Berg"), (2, "鈴木 一郎"), (3, HOSTILE_NAME)] {
            let sql = sql!(
                "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
                { id, name, email: format!("c{id}@shop.example"), now: NOW },
            );
            tx.execute(sql).await.unwrap();
        }
        tx.commit().await.unwrap();
        let owner = panel.client("owner");
        for user_id in [1, 2, 3] {
            let deposit = ManualPaymentInput {
                user_id: UserId::new(user_id),
                transaction_type: TransactionType::Income,
                amount: Money(100_000_000),
                comment: Some("Test".into()),
                balance_type: BalanceType::Main,
            };
            owner.with_new_idempotency_key().create_payment((), &DryRun::NO, &deposit).await.unwrap();
        }
        for number in 1..=8 {
            let service = if number <= 4 { UNMODERATED_SERVICE } else { MODERATED_SERVICE };
            let order = NewOrder::without_options(
                UserId::new(1 + number % 3),
                service,
                &format!("https://video.example/{number}"),
                100 * number,
            );
            let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
            place(&mut work, &order).await.unwrap();
            work.finish(()).await.unwrap();
        }
        panel
    }

    /// Places an order of the first customer. The order stays unpaid, because it may only be paid from the empty referral balance.
    pub(crate) async fn place_unpaid_order(&self, quantity: i64) -> OrderId {
        let paying_balances = vec![BalanceType::Referral];
        let order = NewOrder::without_options(
            UserId::new(1),
            UNMODERATED_SERVICE,
            "https://video.example/unpaid",
            quantity,
        );
        let order = NewOrder { paying_balances, ..order };
        let mut work = Ctx::system(self.app.clone(), "test").begin().await.unwrap();
        let id = place(&mut work, &order).await.unwrap().id;
        work.finish(()).await.unwrap();
        id
    }

    /// Loads a money column of the first customer.
    pub(crate) async fn load_customer_money(&self, column: &'static str) -> Money {
        let sql = Sql::new("SELECT ").push(column).push(" FROM users WHERE id = 1");
        (&mut &self.app.db).fetch_one::<(Money,)>(sql).await.unwrap().0
    }

    /// Creates a staff member and a session. The token of the session is the name of the staff member.
    pub(crate) async fn create_staff_member(&self, id: i64, name: &str, permissions: &[Permission]) {
        let mut tx = self.app.db.begin().await.unwrap();
        let sql = sql!(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
            { id, name, email: format!("{name}@panel.test"), now: NOW },
        );
        tx.execute(sql).await.unwrap();
        for permission in permissions {
            let sql = Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (?, ?)");
            tx.execute(sql.bind(id).bind(permission.as_str())).await.unwrap();
        }
        let session = store::NewSession {
            user_id: UserId::new(id),
            family_id: name.into(),
            token_hash: sessions::hash(name),
            signed_in_at: Time(NOW),
            expires_at: Time(NOW + 30 * 86_400_000_000),
            ip: "127.0.0.1".into(),
            user_agent: "test".into(),
            // A year in the future, so that tests that advance the clock need no confirmation.
            confirmed_at: Some(Time(NOW + 31_536_000_000_000)),
        };
        store::insert_session(&mut tx, session, Time(NOW)).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Creates a client with this token.
    pub(crate) fn client(&self, token: &str) -> Client {
        Client::builder(&self.address).token(token).build().unwrap()
    }

    /// Runs panelctl as the owner.
    pub(crate) async fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_as("owner", arguments, "").await
    }

    /// Runs panelctl with this token and standard input. If `token` is empty, panelctl runs without a token.
    pub(crate) async fn run_as(&self, token: &str, arguments: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command(arguments);
        command.env("PANELCTL_SERVER", &self.address);
        if !token.is_empty() {
            command.env("PANELCTL_TOKEN", token);
        }
        run_to_exit(command, input).await
    }

    /// Builds the command that runs panelctl with the home folder of this test, without a server address or token.
    pub(crate) fn command(&self, arguments: &[&str]) -> tokio::process::Command {
        command(self.home.path(), arguments)
    }
}

/// Builds the command that runs panelctl without the configuration of this machine.
pub(crate) fn command(home: &std::path::Path, arguments: &[&str]) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_panelctl"));
    command.env_clear().env("PANELCTL_HOME", home).env("COLUMNS", "120").args(arguments);
    command
}

/// Runs a command until it exits.
pub(crate) async fn run_to_exit(mut command: tokio::process::Command, input: &str) -> CommandOutput {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input may have exited already.
    drop(stdin.write_all(input.as_bytes()).await);
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().await.unwrap();
    let decode = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandOutput { code: status.code().unwrap_or(-1), stdout: decode(stdout), stderr: decode(stderr) }
}

/// Runs panelctl without a server.
pub(crate) async fn run_without_server(arguments: &[&str]) -> CommandOutput {
    let home = tempfile::tempdir().unwrap();
    run_to_exit(command(home.path(), arguments), "").await
}
