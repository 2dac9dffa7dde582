-- Withdrawals: money that customers want back, held until it is paid out or refused.

CREATE TABLE withdrawals (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  account_number TEXT NOT NULL,
  -- What quests earned is spent here and never paid out.
  balance_type TEXT NOT NULL CHECK (balance_type IN ('main', 'referral')),
  amount INTEGER NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'paid', 'rejected')),
  user_comment TEXT,
  admin_note TEXT,
  transaction_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  approved_at INTEGER,
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
CREATE UNIQUE INDEX withdrawals_transaction ON withdrawals (payment_method_id, transaction_id) WHERE transaction_id IS NOT NULL;

-- Texts.
CREATE VIRTUAL TABLE withdrawals_fts USING fts5(account_number, transaction_id, content = '', contentless_delete = 1, tokenize = 'trigram');
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

-- Kept counts, as in 0007_counts.sql.
CREATE TRIGGER count_withdrawals_insert AFTER INSERT ON withdrawals BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'withdrawals', '', -1, 1 UNION ALL SELECT 'withdrawals', '', new.id / 8192, 1 UNION ALL SELECT 'withdrawals', new.status, -1, 1 UNION ALL SELECT 'withdrawals', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_withdrawals_delete AFTER DELETE ON withdrawals BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'withdrawals', '', -1, -1 UNION ALL SELECT 'withdrawals', '', old.id / 8192, -1 UNION ALL SELECT 'withdrawals', old.status, -1, -1 UNION ALL SELECT 'withdrawals', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_withdrawals_move AFTER UPDATE OF status ON withdrawals WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'withdrawals', old.status, -1, -1 UNION ALL SELECT 'withdrawals', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'withdrawals', new.status, -1, 1 UNION ALL SELECT 'withdrawals', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
