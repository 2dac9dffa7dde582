-- The ledger: double entry, written once. Only the ledger room writes here.

CREATE TABLE payment_methods (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  icon TEXT,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger_txns (
  id INTEGER PRIMARY KEY,
  -- A cause pays once: the database itself refuses the second refund, credit or hold.
  kind TEXT NOT NULL,
  ref_type TEXT NOT NULL,
  ref_id INTEGER NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  actor_id INTEGER REFERENCES users (id),
  comment TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (kind, ref_type, ref_id, seq)
) STRICT;

CREATE TABLE ledger_entries (
  id INTEGER PRIMARY KEY,
  txn_id INTEGER NOT NULL REFERENCES ledger_txns (id),
  account TEXT NOT NULL CHECK (account IN ('main', 'task', 'referral', 'hold_main', 'hold_task', 'hold_referral',
    'revenue', 'gateway_clearing', 'payouts', 'bonus', 'adjustments', 'referral_expense')),
  -- Set on user accounts, with the balance after the entry; system accounts have neither.
  user_id INTEGER REFERENCES users (id),
  amount INTEGER NOT NULL CHECK (amount <> 0),
  balance_after INTEGER,
  type TEXT NOT NULL,
  transaction_type TEXT NOT NULL CHECK (transaction_type IN ('income', 'outcome')),
  order_id INTEGER REFERENCES orders (id),
  payment_method_id INTEGER REFERENCES payment_methods (id),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_entries_txn ON ledger_entries (txn_id);
CREATE INDEX ledger_entries_user ON ledger_entries (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX ledger_entries_order ON ledger_entries (order_id) WHERE order_id IS NOT NULL;
-- The payments list: movements on customers' balances, not on holds.
CREATE INDEX ledger_entries_payments ON ledger_entries (id) WHERE account IN ('main', 'task', 'referral');
