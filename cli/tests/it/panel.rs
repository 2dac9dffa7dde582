//! A panel with a small shop in it, whose clock stands still, and the real program as one of its staff.

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

/// The moment of every test: 2026-11-20 16:00:00.
pub(crate) const NOW: i64 = 1_795_190_400_000_000;
/// A customer's name that would clear the screen and turn the text around.
pub(crate) const HOSTILE: &str = "Eve \u{1b}[2J\u{202e}gnp.exe";
/// The service without moderation.
const PLAIN: ServiceId = ServiceId::new(1);
/// The one with.
const MODERATED: ServiceId = ServiceId::new(2);

const SHOP: &[&str] = &[
    "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 1, 1)",
    "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 1, 1)",
    "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, moderation_is_enabled, has_active_providers, created_at, updated_at)
     VALUES (1, 1, 'Plain views', 100, 100000, 1, 10000000, FALSE, TRUE, 1, 1), (2, 1, 'Moderated views', 100, 100000, 1, 10000000, TRUE, TRUE, 1, 1)",
    "INSERT INTO providers (id, name, status, created_at, updated_at) VALUES (1, 'Boost', 'active', 1, 1), (2, 'Second', 'active', 1, 1)",
    "INSERT INTO service_providers (service_id, provider_id) VALUES (1, 1), (2, 1), (1, 2)",
];

/// A panel that listens, and a home for the program.
pub(crate) struct Panel {
    pub(crate) app: App,
    pub(crate) base: String,
    pub(crate) home: tempfile::TempDir,
    _running: Running,
    _data: tempfile::TempDir,
}

/// What the program did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Everything, for a snapshot.
    pub(crate) fn told(&self) -> String {
        format!("exit {}\n--- out\n{}--- err\n{}", self.code, self.out, self.err)
    }

    /// Standard output, after success.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.told());
        &self.out
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("no JSON: {}", self.told()))
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

    /// A shop: three customers with money; orders 1 to 4 run, 5 to 8 wait for moderation.
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
            let paid = ManualPaymentInput {
                user_id: UserId::new(user_id),
                transaction_type: TransactionType::Income,
                amount: Money(100_000_000),
                comment: Some("Test".into()),
                balance_type: BalanceType::Main,
            };
            owner.once().create_payment((), &DryRun::NO, &paid).await.unwrap();
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

    /// Places an order of the first customer that their balance of referrals does not cover.
    pub(crate) async fn unpaid(&self, quantity: i64) -> OrderId {
        let pays = vec![BalanceType::Referral];
        let order = NewOrder::plain(UserId::new(1), PLAIN, "https://video.example/unpaid", quantity);
        let order = NewOrder { pays, ..order };
        let mut work = Ctx::system(self.app.clone(), "test").begin().await.unwrap();
        let id = place(&mut work, &order).await.unwrap().id;
        work.finish(()).await.unwrap();
        id
    }

    /// An amount of the first customer.
    pub(crate) async fn money(&self, column: &'static str) -> Money {
        let sql = Sql::new("SELECT ").push(column).push(" FROM users WHERE id = 1");
        (&mut &self.app.db).one::<(Money,)>(sql).await.unwrap().0
    }

    /// Makes a staff member who is signed in with their name as token.
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
            // Long after now: tests that move the clock on are about something else.
            confirmed_at: Some(Time(NOW + 31_536_000_000_000)),
        };
        store::insert_session(&mut tx, session, Time(NOW)).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The client library as one of the staff.
    pub(crate) fn client(&self, who: &str) -> Client {
        Client::builder(&self.base).token(who).build().unwrap()
    }

    /// The program as the owner.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ran {
        self.run_as("owner", arguments, "").await
    }

    /// The program as somebody, with something on standard input.
    pub(crate) async fn run_as(&self, who: &str, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command.env("PANELCTL_SERVER", &self.base);
        if !who.is_empty() {
            command.env("PANELCTL_TOKEN", who);
        }
        finish(command, input).await
    }

    /// The program with this home, without any address or token.
    pub(crate) fn command(&self, arguments: &[&str]) -> tokio::process::Command {
        command(self.home.path(), arguments)
    }
}

/// The program with nothing of this machine's configuration.
pub(crate) fn command(home: &std::path::Path, arguments: &[&str]) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_panelctl"));
    command.env_clear().env("PANELCTL_HOME", home).env("COLUMNS", "120").args(arguments);
    command
}

/// Runs it to its end.
pub(crate) async fn finish(mut command: tokio::process::Command, input: &str) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input may be gone by now.
    drop(stdin.write_all(input.as_bytes()).await);
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

/// Runs it without a panel.
pub(crate) async fn alone(arguments: &[&str]) -> Ran {
    let home = tempfile::tempdir().unwrap();
    finish(command(home.path(), arguments), "").await
}
