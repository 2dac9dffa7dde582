//! Fills the data folder of a server with customers, money and orders.

use std::path::Path;
use std::sync::Arc;

use panel_contract::amount::Money;
use panel_contract::ids::{ServiceId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_kernel::clock::SystemClock;
use panel_kernel::random::Random;
use panel_platform::config::Config;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_server::app::App;
use panel_server::context::Ctx;
use panel_server::operations::orders::place::{NewOrder, place};

/// The deposit of every customer.
const DEPOSIT: Money = Money(1_000_000_000);
/// A service whose orders need moderation.
const MODERATED_SERVICE: ServiceId = ServiceId::new(1);
/// A service without moderation and without a provider.
const SERVICE_WITHOUT_PROVIDER: ServiceId = ServiceId::new(2);

const CATALOGUE_SQL: [&str; 4] = [
    "INSERT INTO networks (id, name, created_at, updated_at) VALUES (1, 'Video', 1, 1)",
    "INSERT INTO service_types (id, network_id, name, created_at, updated_at) VALUES (1, 1, 'Views', 1, 1)",
    "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per,
       moderation_is_enabled, has_active_providers, created_at, updated_at)
     VALUES (1, 1, 'Video views HQ', 100, 1000000, 100, 1, 10000000, 1000, 1, 1, 1, 1), (2, 1, 'Followers', 100, 1000000, 100, 1, 10000000, 1000, 0, 0, 1, 1)",
    "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (801, 'Anna', 'anna@shop.example', 1, 1), (802, '鈴木さん', 'suzuki@shop.example', 1, 1)",
];

/// Fills the folder with `moderated_count` orders in moderation and two orders without a provider.
pub(crate) async fn create_orders(folder: &Path, moderated_count: i64) {
    let config = Config { data_dir: folder.to_owned(), database_is_durable: false, ..Config::default() };
    let app = App::start(config, Arc::new(SystemClock), Random::system()).await.unwrap();
    let mut work = Ctx::system(app.clone(), "test").begin().await.unwrap();
    for sql in CATALOGUE_SQL {
        work.execute(Sql::new(sql)).await.unwrap();
    }
    ledger::post(&mut work, [801, 802].map(|user| deposit(UserId::new(user))).to_vec()).await.unwrap();
    for index in 0..moderated_count + 2 {
        let service = if index < moderated_count { MODERATED_SERVICE } else { SERVICE_WITHOUT_PROVIDER };
        let user = UserId::new(801 + index % 2);
        let order = NewOrder::without_options(
            user,
            service,
            &format!("https://video.example/{index}"),
            100 * (1 + index % 7),
        );
        place(&mut work, &order).await.unwrap();
    }
    work.finish(()).await.unwrap();
    app.db.close().await;
}

fn deposit(user: UserId) -> Posting {
    Posting {
        cause: PostingCause { kind: "deposit", ref_type: "user", ref_id: user.as_record_id(), seq: 0 },
        kind: PaymentType::Deposit,
        order_id: None,
        payment_method_id: None,
        comment: None,
        legs: vec![
            (Account::User(user, BalanceType::Main), DEPOSIT),
            (Account::GatewayClearing, Money(-DEPOSIT.0)),
        ],
        spent_change: None,
        cap_at_balance: false,
    }
}
