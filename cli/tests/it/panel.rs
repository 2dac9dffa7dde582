//! A panel with a small shop and a fixed clock, and the real panelctl as one of its staff.

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
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_server::app::App;
use panel_server::auth::{sessions, store};
use panel_server::context::Ctx;
use panel_server::operations::orders::place::{NewOrder, place};
use panel_server::run::Running;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

/// The time of every test: 2026-11-20 16:00:00.
pub(crate) const NOW: i64 = 1_795_190_400_000_000;
/// A customer's name that would clear the screen and reverse the text.
pub(crate) const HOSTILE: &str = "Eve \u{1b}[2J\u{202e}gnp.exe";
/// The service without moderation.
const PLAIN: ServiceId = ServiceId::new(1);
/// The service with moderation.
const MODERATED: ServiceId = ServiceId::new(2);

const SHOP: &[&str] = &[
    "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 1, 1)",
    "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 1, 1)",
    "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, moderation_is_enabled, has_active_providers, created_at, updated_at)
     VALUES (1, 1, 'Plain views', 100, 100000, 1, 10000000, FALSE, TRUE, 1, 1), (2, 1, 'Moderated views', 100, 100000, 1, 10000000, TRUE, TRUE, 1, 1)",
    "INSERT INTO providers (id, name, status, created_at, updated_at) VALUES (1, 'Boost', 'active', 1, 1), (2, 'Second', 'active', 1, 1)",
    "INSERT INTO service_providers (service_id, provider_id) VALUES (1, 1), (2, 1), (1, 2)",
];

/// A running panel, and a home folder for panelctl.
pub(crate) struct Panel {
    pub(crate) app: App,
    pub(crate) base: String,
    pub(crate) home: tempfile::TempDir,
    _running: Running,
    _data: tempfile::TempDir,
}

/// The result of running panelctl.
#[derive(Debug)]
pub(crate) struct CmdOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CmdOutput {
    /// Exit code and both outputs, for a snapshot.
    pub(crate) fn transcript(&self) -> String {
        format!("exit {}\n--- out\n{}--- err\n{}", self.code, self.out, self.err)
    }

    /// Standard output; panics if the command failed.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.transcript());
        &self.out
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("not JSON: {}", self.transcript()))
    }
}

impl Panel {
    /// A panel without orders.
    pub(crate) async fn empty() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut config = Config { data_dir: data.path().into(), ..Config::default() };
        config.database_is_durable = false;
        config.limits.requests_per_minute = u32::MAX;
        config.limits.address_requests_per_minute = u32::MAX;
        let app = App::start(config, Arc::new(FixedClock::at(Time(NOW))), Random::seeded(7)).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let running = Running::start(app.clone(), listener).unwrap();
        let base = format!("http://{}", running.address);
        let panel = Self { app, base, home: tempfile::tempdir().unwrap(), _running: running, _data: data };
        panel.staff(1_000_001, "owner", Permission::ALL).await;
        panel
    }

    /// A shop with three customers who have a balance; orders 1 to 4 are in processing, 5 to 8 in moderation.
    pub(crate) async fn shop() -> Self {
        let panel = Self::empty().await;
        let mut tx = panel.app.db.begin().await.unwrap();
        for sql in SHOP {
            tx.exec(Sql::new(sql)).await.unwrap();
        }
        for (id, name) in [(1, "Anna Berg"), (2, "鈴木 一郎"), (3, HOSTILE)] {
            let sql = sql!(
                "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
                { id, name, email: format!("c{id}@shop.example"), now: NOW },
            );
            tx.exec(sql).await.unwrap();
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
            owner.once().create_payment((), &DryRun::NO, &deposit).await.unwrap();
        }
        for n in 1..=8 {
            let service = if n <= 4 { PLAIN } else { MODERATED };
            let order = NewOrder::plain(
                UserId::new(1 + n % 3),
                service,
                &format!("https://video.example/{n}"),
                100 * n,
            );
            let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
            place(&mut work, &order).await.unwrap();
            work.finish(()).await.unwrap();
        }
        panel
    }

    /// Places an order of the first customer that their referral balance does not cover.
    pub(crate) async fn unpaid(&self, quantity: i64) -> OrderId {
        let pays = vec![BalanceType::Referral];
        let order = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/unpaid", quantity);
        let order = NewOrder { pays, ..order };
        let mut work = Ctx::system(self.app.clone(), "test").begin().await.unwrap();
        let id = place(&mut work, &order).await.unwrap().id;
        work.finish(()).await.unwrap();
        id
    }

    /// A money column of the first customer.
    pub(crate) async fn money(&self, column: &'static str) -> Money {
        let sql = Sql::new("SELECT ").push(column).push(" FROM users WHERE id = 1");
        (&mut &self.app.db).one::<(Money,)>(sql).await.unwrap().0
    }

    /// Creates a staff member with a session whose token is the name.
    pub(crate) async fn staff(&self, id: i64, name: &str, permissions: &[Permission]) {
        let mut tx = self.app.db.begin().await.unwrap();
        let sql = sql!(
            "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (@id, @name, @email, @now, @now)",
            { id, name, email: format!("{name}@panel.test"), now: NOW },
        );
        tx.exec(sql).await.unwrap();
        for permission in permissions {
            let sql = Sql::new("INSERT INTO user_permissions (user_id, permission) VALUES (?, ?)");
            tx.exec(sql.bind(id).bind(permission.as_str())).await.unwrap();
        }
        let session = store::NewSession {
            user_id: UserId::new(id),
            family_id: name.into(),
            token_hash: sessions::hash(name),
            signed_in_at: Time(NOW),
            expires_at: Time(NOW + 30 * 86_400_000_000),
            ip: "127.0.0.1".into(),
            user_agent: "test".into(),
            // Long after now, so that tests that advance the clock need no confirmation.
            confirmed_at: Some(Time(NOW + 31_536_000_000_000)),
        };
        store::insert_session(&mut tx, session, Time(NOW)).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The client library, signed in with this token.
    pub(crate) fn client(&self, token: &str) -> Client {
        Client::builder(&self.base).token(token).build().unwrap()
    }

    /// Runs panelctl as the owner.
    pub(crate) async fn run(&self, arguments: &[&str]) -> CmdOutput {
        self.run_as("owner", arguments, "").await
    }

    /// Runs panelctl with this token and standard input; without a token if it is empty.
    pub(crate) async fn run_as(&self, token: &str, arguments: &[&str], input: &str) -> CmdOutput {
        let mut command = self.command(arguments);
        command.env("PANELCTL_SERVER", &self.base);
        if !token.is_empty() {
            command.env("PANELCTL_TOKEN", token);
        }
        finish(command, input).await
    }

    /// panelctl with this home folder, without a server address or token.
    pub(crate) fn command(&self, arguments: &[&str]) -> tokio::process::Command {
        command(self.home.path(), arguments)
    }
}

/// panelctl without any configuration of this machine.
pub(crate) fn command(home: &std::path::Path, arguments: &[&str]) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_panelctl"));
    command.env_clear().env("PANELCTL_HOME", home).env("COLUMNS", "120").args(arguments);
    command
}

/// Runs a command to its end.
pub(crate) async fn finish(mut command: tokio::process::Command, input: &str) -> CmdOutput {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input may have ended already.
    drop(stdin.write_all(input.as_bytes()).await);
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CmdOutput { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

/// Runs panelctl without a panel.
pub(crate) async fn run_without_panel(arguments: &[&str]) -> CmdOutput {
    let home = tempfile::tempdir().unwrap();
    finish(command(home.path(), arguments), "").await
}
