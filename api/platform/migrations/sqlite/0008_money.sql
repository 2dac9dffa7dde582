-- Money: payment methods, invoices, withdrawals, advances, uses of coupons, and the ledger.

CREATE TABLE payment_methods (
  -- A way to pay in or to be paid out. Staff write it. Rows are disabled, never deleted. Texts: translations
  -- (owner_type 'payment_method').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- As declared in the contract: 'card', 'bank', 'crypto', 'paypal', 'wallet', 'cash' or 'other'.
  type TEXT NOT NULL,
  -- Address of the uploaded image.
  icon TEXT,
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  -- Place in the list, from 1.
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Whether customers without rows in user_payment_methods are offered it.
  is_allowed_for_new_user INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_new_user IN (0, 1)),
  -- Fee of each payment.
  fee_ppm INTEGER NOT NULL DEFAULT 0 CHECK (fee_ppm BETWEEN 0 AND 1000000),
  -- The smallest payment, in millionths of the panel's currency.
  min_amount INTEGER NOT NULL DEFAULT 0 CHECK (min_amount >= 0),
  -- The largest payment, in millionths of the panel's currency; NULL for no limit.
  max_amount INTEGER,
  -- Currency that the gateway charges in.
  charge_currency TEXT NOT NULL DEFAULT 'USD',
  -- Whether the customer pays the fee on top, or it is deducted from what they get.
  charge_type TEXT NOT NULL DEFAULT 'on_top' CHECK (charge_type IN ('on_top', 'deducted')),
  -- How the panel learns of a payment: staff book it, or a gateway calls.
  strategy TEXT NOT NULL DEFAULT 'manual' CHECK (strategy IN ('manual', 'gateway')),
  allow_qr_code INTEGER NOT NULL DEFAULT 0 CHECK (allow_qr_code IN (0, 1)),
  -- Address of the uploaded QR code.
  payment_qr_code TEXT,
  -- Whether customers can write a comment with their payment.
  is_user_comment INTEGER NOT NULL DEFAULT 0 CHECK (is_user_comment IN (0, 1)),
  shows_qr_code INTEGER NOT NULL DEFAULT 0 CHECK (shows_qr_code IN (0, 1)),
  available_for_withdrawal INTEGER NOT NULL DEFAULT 0 CHECK (available_for_withdrawal IN (0, 1)),
  -- The smallest withdrawal, in millionths of the panel's currency.
  withdrawal_min_amount INTEGER NOT NULL DEFAULT 0 CHECK (withdrawal_min_amount >= 0),
  -- The largest withdrawal, in millionths of the panel's currency; NULL for no limit.
  withdrawal_max_amount INTEGER,
  -- The smallest fee of a withdrawal, in millionths of the panel's currency.
  withdrawal_min_fee INTEGER NOT NULL DEFAULT 0 CHECK (withdrawal_min_fee >= 0),
  -- Fee of a withdrawal.
  withdrawal_fee_ppm INTEGER NOT NULL DEFAULT 0 CHECK (withdrawal_fee_ppm BETWEEN 0 AND 1000000),
  -- JSON object of the gateway's secrets, encrypted as a whole with the panel's secret key.
  secrets BLOB,
  -- JSON list of the names in it, which can be shown.
  secret_names TEXT NOT NULL DEFAULT '[]'
) STRICT;
-- The list is sorted by these columns.
CREATE INDEX payment_methods_position ON payment_methods (position, id);

-- Materialized counts.
CREATE TRIGGER count_payment_methods_insert AFTER INSERT ON payment_methods BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'payment_methods', '', -1, 1
    UNION ALL SELECT 'payment_methods', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_payment_methods_delete AFTER DELETE ON payment_methods BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'payment_methods', '', -1, -1
    UNION ALL SELECT 'payment_methods', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE payment_method_bonuses (
  -- A bonus for payments from an amount upwards.

  id INTEGER PRIMARY KEY,
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  -- The smallest payment that gets it, in millionths of the panel's currency.
  from_amount INTEGER NOT NULL CHECK (from_amount >= 0),
  -- Added to the payment.
  bonus_ppm INTEGER NOT NULL CHECK (bonus_ppm BETWEEN 0 AND 1000000),
  is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (payment_method_id, from_amount)
) STRICT;

CREATE TABLE user_payment_methods (
  -- A payment method that a customer is offered. A customer without rows is offered what new customers are.

  user_id INTEGER NOT NULL REFERENCES users (id),
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  PRIMARY KEY (user_id, payment_method_id)
) STRICT;
CREATE INDEX user_payment_methods_method ON user_payment_methods (payment_method_id);

CREATE TABLE invoices (
  -- A payment that a customer announced. Paid is final; the payment books the ledger, the bonus and the coupon in one
  -- transaction.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  -- How the customer and the payment method refer to it.
  short_name TEXT NOT NULL,
  -- Announced, in millionths of the panel's currency.
  amount INTEGER NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'canceled')),
  -- Received amount, in millionths of the panel's currency; it may differ from amount.
  paid_amount INTEGER CHECK (paid_amount > 0),
  -- Amount that the payment method added to it, in millionths of the panel's currency. The ledger holds both.
  bonus_amount INTEGER NOT NULL DEFAULT 0 CHECK (bonus_amount >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  paid_at INTEGER,
  -- The coupon that the customer entered; it is used when the invoice is paid.
  coupon_id INTEGER REFERENCES coupons (id),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL) AND (status = 'paid') = (paid_amount IS NOT NULL) AND (status = 'paid' OR bonus_amount = 0))
) STRICT;
CREATE INDEX invoices_status ON invoices (status, id);
CREATE INDEX invoices_user ON invoices (user_id, id);
CREATE INDEX invoices_method ON invoices (payment_method_id, id);
CREATE INDEX invoices_amount ON invoices (amount, id);
CREATE INDEX invoices_created ON invoices (created_at, id);
CREATE INDEX invoices_paid ON invoices (paid_at, id);
CREATE INDEX invoices_coupon ON invoices (coupon_id) WHERE coupon_id IS NOT NULL;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE invoices_fts USING fts5(short_name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_invoices_insert AFTER INSERT ON invoices BEGIN
  INSERT INTO invoices_fts (rowid, short_name) VALUES (new.id, new.short_name);
END;
CREATE TRIGGER search_invoices_update AFTER UPDATE OF short_name ON invoices BEGIN
  DELETE FROM invoices_fts WHERE rowid = old.id;
  INSERT INTO invoices_fts (rowid, short_name) VALUES (new.id, new.short_name);
END;
CREATE TRIGGER search_invoices_delete AFTER DELETE ON invoices BEGIN
  DELETE FROM invoices_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_invoices_insert AFTER INSERT ON invoices BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'invoices', '', -1, 1
    UNION ALL SELECT 'invoices', '', new.id / 8192, 1
    UNION ALL SELECT 'invoices', new.status, -1, 1
    UNION ALL SELECT 'invoices', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_invoices_delete AFTER DELETE ON invoices BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'invoices', '', -1, -1
    UNION ALL SELECT 'invoices', '', old.id / 8192, -1
    UNION ALL SELECT 'invoices', old.status, -1, -1
    UNION ALL SELECT 'invoices', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_invoices_move AFTER UPDATE OF status ON invoices WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'invoices', old.status, -1, -1
    UNION ALL SELECT 'invoices', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'invoices', new.status, -1, 1
    UNION ALL SELECT 'invoices', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE coupon_usages (
  -- A use of a coupon: once per customer, for one invoice or one order. marketing::coupons::redeem writes it together
  -- with the sums of the coupon.

  id INTEGER PRIMARY KEY,
  coupon_id INTEGER NOT NULL REFERENCES coupons (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  invoice_id INTEGER REFERENCES invoices (id),
  order_id INTEGER REFERENCES orders (id),
  -- Amount that the customer paid, in millionths of the panel's currency.
  received INTEGER NOT NULL CHECK (received >= 0),
  -- Amount that the coupon gave, in millionths of the panel's currency.
  spent INTEGER NOT NULL CHECK (spent >= 0),
  created_at INTEGER NOT NULL,
  UNIQUE (coupon_id, user_id),
  CHECK ((invoice_id IS NULL) <> (order_id IS NULL))
) STRICT;
CREATE INDEX coupon_usages_created ON coupon_usages (created_at);
CREATE INDEX coupon_usages_user ON coupon_usages (user_id);
CREATE UNIQUE INDEX coupon_usages_invoice ON coupon_usages (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX coupon_usages_order ON coupon_usages (order_id) WHERE order_id IS NOT NULL;

CREATE TABLE withdrawals (
  -- A payout that a customer requested. The amount is held from the request until it is paid or rejected; both are
  -- final.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  -- Account that receives the money, as the customer typed it.
  account_number TEXT NOT NULL,
  -- Earnings of quests (the task balance) are never paid out.
  balance_type TEXT NOT NULL CHECK (balance_type IN ('main', 'referral')),
  -- In millionths of the panel's currency.
  amount INTEGER NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'paid', 'rejected')),
  user_comment TEXT,
  -- Why it was rejected, for the customer.
  admin_note TEXT,
  -- The transfer that paid it.
  transaction_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  approved_at INTEGER,
  -- The staff member who approved it; NULL if it was approved before this column existed.
  approved_by INTEGER REFERENCES users (id),
  paid_at INTEGER,
  rejected_at INTEGER,
  CHECK ((status = 'paid') = (transaction_id IS NOT NULL) AND (status = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((status = 'rejected') = (admin_note IS NOT NULL) AND (status = 'rejected') = (rejected_at IS NOT NULL))
) STRICT;
CREATE INDEX withdrawals_status ON withdrawals (status, id);
CREATE INDEX withdrawals_user ON withdrawals (user_id, id);
CREATE INDEX withdrawals_method ON withdrawals (payment_method_id, id);
CREATE INDEX withdrawals_amount ON withdrawals (amount, id);
CREATE INDEX withdrawals_created ON withdrawals (created_at, id);
-- A transfer pays one withdrawal.
CREATE UNIQUE INDEX withdrawals_transaction ON withdrawals (payment_method_id, transaction_id)
  WHERE transaction_id IS NOT NULL;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE withdrawals_fts USING fts5(account_number, transaction_id,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_withdrawals_insert AFTER INSERT ON withdrawals BEGIN
  INSERT INTO withdrawals_fts (rowid, account_number, transaction_id) VALUES (new.id, new.account_number, new.transaction_id);
END;
CREATE TRIGGER search_withdrawals_update AFTER UPDATE OF account_number, transaction_id ON withdrawals BEGIN
  DELETE FROM withdrawals_fts WHERE rowid = old.id;
  INSERT INTO withdrawals_fts (rowid, account_number, transaction_id) VALUES (new.id, new.account_number, new.transaction_id);
END;
CREATE TRIGGER search_withdrawals_delete AFTER DELETE ON withdrawals BEGIN
  DELETE FROM withdrawals_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_withdrawals_insert AFTER INSERT ON withdrawals BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'withdrawals', '', -1, 1
    UNION ALL SELECT 'withdrawals', '', new.id / 8192, 1
    UNION ALL SELECT 'withdrawals', new.status, -1, 1
    UNION ALL SELECT 'withdrawals', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_withdrawals_delete AFTER DELETE ON withdrawals BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'withdrawals', '', -1, -1
    UNION ALL SELECT 'withdrawals', '', old.id / 8192, -1
    UNION ALL SELECT 'withdrawals', old.status, -1, -1
    UNION ALL SELECT 'withdrawals', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_withdrawals_move AFTER UPDATE OF status ON withdrawals WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'withdrawals', old.status, -1, -1
    UNION ALL SELECT 'withdrawals', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'withdrawals', new.status, -1, 1
    UNION ALL SELECT 'withdrawals', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE advances (
  -- A prepaid amount from one balance for a drip-feed or a subscription. The amount is held, used order by order,
  -- and the rest is returned at the end; used + returned never exceeds it.

  ref_type TEXT NOT NULL CHECK (ref_type IN ('drip_feed', 'subscription')),
  -- Id of the drip-feed or subscription.
  ref_id INTEGER NOT NULL,
  balance_type TEXT NOT NULL CHECK (balance_type IN ('main', 'task', 'referral')),
  -- Prepaid amount, in millionths of the panel's currency.
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- Spent on orders so far, in millionths of the panel's currency.
  used INTEGER NOT NULL DEFAULT 0 CHECK (used >= 0),
  -- In millionths of the panel's currency.
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned >= 0),
  CHECK (used + returned <= amount),
  PRIMARY KEY (ref_type, ref_id, balance_type)
) STRICT;

CREATE TABLE manual_credits (
  -- The sum that a staff member credited by hand on one day: manual payments that add money, and what they marked as paid above
  -- what was invoiced. Counted in the transaction of each credit, which locks the row, so that concurrent requests stay
  -- within the daily limit.

  user_id INTEGER NOT NULL REFERENCES users (id),
  -- Whole days since 1970-01-01, UTC.
  day INTEGER NOT NULL,
  -- In millionths of the panel's currency.
  amount INTEGER NOT NULL DEFAULT 0 CHECK (amount >= 0),
  PRIMARY KEY (user_id, day)
) STRICT;

CREATE TABLE ledger_txns (
  -- A transaction of the double-entry ledger: one cause that moved money. Append-only; only the ledger module writes
  -- it. The unique key makes a cause pay once: the database rejects a second refund, credit or hold of the same
  -- cause.

  id INTEGER PRIMARY KEY,
  -- What happened, such as 'order' or 'deposit'.
  kind TEXT NOT NULL,
  -- Kind of the record that caused it.
  ref_type TEXT NOT NULL,
  -- Id of that record.
  ref_id INTEGER NOT NULL,
  -- Counts causes of the same kind and record, such as the refunds of an order.
  seq INTEGER NOT NULL DEFAULT 0,
  -- The member of staff; NULL for the system.
  actor_id INTEGER REFERENCES users (id),
  comment TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (kind, ref_type, ref_id, seq)
) STRICT;

-- Append-only: triggers reject changes.
CREATE TRIGGER keep_ledger_txns_update BEFORE UPDATE ON ledger_txns BEGIN
  SELECT RAISE(ABORT, 'ledger_txns is append-only');
END;
CREATE TRIGGER keep_ledger_txns_delete BEFORE DELETE ON ledger_txns BEGIN
  SELECT RAISE(ABORT, 'ledger_txns is append-only');
END;

CREATE TABLE ledger_entries (
  -- One leg of a transaction: money that entered or left one account. Append-only; only the ledger module writes it.
  -- The legs of a transaction sum to zero.

  id INTEGER PRIMARY KEY,
  txn_id INTEGER NOT NULL REFERENCES ledger_txns (id),
  -- A balance or hold of a customer (main, task, referral, hold_*), or an account of the panel.
  account TEXT NOT NULL CHECK (account IN ('main', 'task', 'referral', 'hold_main', 'hold_task', 'hold_referral',
    'revenue', 'gateway_clearing', 'payouts', 'bonus', 'adjustments', 'referral_expense')),
  -- The customer, for accounts of customers; NULL for accounts of the panel.
  user_id INTEGER REFERENCES users (id),
  -- In millionths of the panel's currency; negative when it left the account.
  amount INTEGER NOT NULL CHECK (amount <> 0),
  -- Balance of the account after the entry, in millionths of the panel's currency; NULL for accounts of the panel.
  balance_after INTEGER,
  -- Type of the payment, as the contract declares payment types.
  type TEXT NOT NULL,
  -- Whether the balance grew or shrank.
  transaction_type TEXT NOT NULL CHECK (transaction_type IN ('income', 'outcome')),
  order_id INTEGER REFERENCES orders (id),
  payment_method_id INTEGER REFERENCES payment_methods (id),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_entries_txn ON ledger_entries (txn_id);
CREATE INDEX ledger_entries_user ON ledger_entries (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX ledger_entries_order ON ledger_entries (order_id) WHERE order_id IS NOT NULL;
-- The payments list: movements on customers' balances, without holds.
CREATE INDEX ledger_entries_payments ON ledger_entries (id) WHERE account IN ('main', 'task', 'referral');
-- Commissions by their time, for referral statistics.
CREATE INDEX ledger_entries_commissions ON ledger_entries (created_at, user_id)
  WHERE account = 'referral' AND type = 'referral';

-- Append-only: triggers reject changes.
CREATE TRIGGER keep_ledger_entries_update BEFORE UPDATE ON ledger_entries BEGIN
  SELECT RAISE(ABORT, 'ledger_entries is append-only');
END;
CREATE TRIGGER keep_ledger_entries_delete BEFORE DELETE ON ledger_entries BEGIN
  SELECT RAISE(ABORT, 'ledger_entries is append-only');
END;

-- Materialized counts.
CREATE TRIGGER count_ledger_entries_insert AFTER INSERT ON ledger_entries WHEN new.account IN ('main', 'task', 'referral') BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'ledger_entries', '', -1, 1
    UNION ALL SELECT 'ledger_entries', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
