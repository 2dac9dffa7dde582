//! The SQL of the ledger: one statement for each step, regardless of the number of postings.

use std::collections::{BTreeMap, HashMap};

use panel_contract::amount::Money;
use panel_contract::ids::{LedgerTxnId, RecordId, UserId};
use panel_contract::payments::BalanceType;
use panel_kernel::error::{Error, Result};

use crate::db::{Sql, SqlExecutor, Val};
use crate::ledger::{Account, Posting};
use crate::metrics::catalogue::LEDGER_REJECTIONS;
use crate::work::UnitOfWork;

/// The balances of a customer whose row is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Balances {
    pub id: UserId,
    pub balance_main: Money,
    /// Earned by quests.
    pub balance_task: Money,
    /// Earned by referrals.
    pub balance_referral: Money,
    /// On hold; not contained in `balance_main`.
    pub hold_main: Money,
    /// On hold; not contained in `balance_task`.
    pub hold_task: Money,
    /// On hold; not contained in `balance_referral`.
    pub hold_referral: Money,
    pub spent: Money,
    /// Whether the erasure of the customer's personal data was requested. Such an account gets no money and no orders any more.
    pub erasure_is_requested: bool,
}

impl Balances {
    /// The balance that the customer can spend, without amounts on hold.
    #[must_use]
    pub fn spendable(&self, kind: BalanceType) -> Money {
        match kind {
            BalanceType::Main => self.balance_main,
            BalanceType::Task => self.balance_task,
            BalanceType::Referral => self.balance_referral,
        }
    }

    /// The balance of one of this customer's accounts; `None` for an account of the panel.
    pub(super) fn balance_mut(&mut self, account: Account) -> Option<&mut Money> {
        let (balance_type, is_on_hold) = match account {
            Account::User(_, balance_type) => (balance_type, false),
            Account::Hold(_, balance_type) => (balance_type, true),
            _ => return None,
        };
        Some(match (balance_type, is_on_hold) {
            (BalanceType::Main, false) => &mut self.balance_main,
            (BalanceType::Task, false) => &mut self.balance_task,
            (BalanceType::Referral, false) => &mut self.balance_referral,
            (BalanceType::Main, true) => &mut self.hold_main,
            (BalanceType::Task, true) => &mut self.hold_task,
            (BalanceType::Referral, true) => &mut self.hold_referral,
        })
    }
}

/// Locks customers in the order of their ids, so that two transactions cannot deadlock.
pub(super) async fn lock_users(
    db: &mut impl SqlExecutor,
    ids: &[UserId],
) -> Result<BTreeMap<UserId, Balances>> {
    let sql = Sql::new(
        "SELECT id, balance_main, balance_task, balance_referral, hold_main, hold_task, hold_referral, spent, erasure_requested_at IS NOT NULL AS erasure_is_requested
         FROM users WHERE id IN ",
    )
    .ids(ids);
    let rows: Vec<Balances> = db.fetch_all(sql.push(" ORDER BY id").for_update()).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Inserts ledger transactions and entries, and updates the balances of `users`. `balances_after` has the balance after each leg of
/// each posting. Returns the ids of the transactions in the order of `postings`.
pub(super) async fn write(
    work: &mut UnitOfWork,
    postings: &[Posting],
    balances_after: &[Vec<Option<Money>>],
    users: &BTreeMap<UserId, Balances>,
) -> Result<Vec<LedgerTxnId>> {
    if postings.is_empty() {
        return Ok(Vec::new());
    }
    let ids = insert_transactions(work, postings).await?;
    insert_entries(work, postings, balances_after, &ids).await?;
    let rows = users.values().map(|user| {
        let amounts = [
            user.balance_main,
            user.balance_task,
            user.balance_referral,
            user.hold_main,
            user.hold_task,
            user.hold_referral,
            user.spent,
        ];
        std::iter::once(Val::from(user.id)).chain(amounts.map(Val::from)).collect()
    });
    let sql = Sql::new(
        "UPDATE users SET balance_main = r.main, balance_task = r.task, balance_referral = r.referral, hold_main = r.h_main,
           hold_task = r.h_task, hold_referral = r.h_referral, spent = r.total FROM ",
    );
    let sql = sql.rows(
        "r",
        &["id", "main", "task", "referral", "h_main", "h_task", "h_referral", "total"],
        rows.collect(),
    );
    work.execute(sql.push(" WHERE users.id = r.id")).await?;
    Ok(ids)
}

async fn insert_transactions(work: &mut UnitOfWork, postings: &[Posting]) -> Result<Vec<LedgerTxnId>> {
    let (actor, now) = (work.actor(), work.now);
    let rows = postings.iter().map(|posting| {
        let cause = posting.cause;
        vec![
            cause.kind.into(),
            cause.ref_type.into(),
            cause.ref_id.into(),
            cause.seq.into(),
            posting.comment.clone().into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO ledger_txns (kind, ref_type, ref_id, seq, actor_id, comment, created_at)
         SELECT r.kind, r.ref_type, r.ref_id, r.seq, ?, r.comment, ? FROM ",
    );
    let sql = sql.bind(actor).bind(now).rows(
        "r",
        &["kind", "ref_type", "ref_id", "seq", "comment"],
        rows.collect(),
    );
    let inserted: Vec<(LedgerTxnId, String, RecordId, i64)> = work
        .fetch_all(sql.push(" RETURNING id, kind, ref_id, seq"))
        .await
        .map_err(|error| match error.is_unique() {
            true => {
                LEDGER_REJECTIONS.with_labels(["already_posted"]).increment(1);
                Error::conflict("already_posted", "This payment was posted already. Reload to see it.")
            }
            false => error.into(),
        })?;
    let ids_by_cause: HashMap<(&str, RecordId, i64), LedgerTxnId> =
        inserted.iter().map(|row| ((row.1.as_str(), row.2, row.3), row.0)).collect();
    let find_id = |posting: &Posting| {
        ids_by_cause.get(&(posting.cause.kind, posting.cause.ref_id, posting.cause.seq)).copied()
    };
    postings
        .iter()
        .map(|posting| {
            find_id(posting).ok_or_else(|| {
                Error::Internal("the database returned no id for an inserted ledger transaction".into())
            })
        })
        .collect()
}

async fn insert_entries(
    work: &mut UnitOfWork,
    postings: &[Posting],
    balances_after: &[Vec<Option<Money>>],
    ids: &[LedgerTxnId],
) -> Result<()> {
    let now = work.now;
    let mut rows = Vec::new();
    for ((posting, balances_after), id) in postings.iter().zip(balances_after).zip(ids) {
        for ((account, amount), balance_after) in
            posting.legs.iter().zip(balances_after).filter(|(leg, _)| leg.1 != Money::ZERO)
        {
            let user = account.user();
            rows.push(vec![
                (*id).into(),
                account.name().into(),
                user.into(),
                (*amount).into(),
                (*balance_after).into(),
                posting.kind.as_str().into(),
                posting.order_id.into(),
                posting.payment_method_id.into(),
            ]);
        }
    }
    let columns =
        ["txn_id", "account", "user_id", "amount", "balance_after", "type", "order_id", "payment_method_id"];
    let sql = Sql::new(
        "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, payment_method_id, created_at)
         SELECT r.txn_id, r.account, r.user_id, r.amount, r.balance_after, r.type, CASE WHEN r.amount > 0 THEN 'income' ELSE 'outcome' END, r.order_id, r.payment_method_id, ? FROM ",
    );
    work.execute(sql.bind(now).rows("r", &columns, rows)).await?;
    Ok(())
}
