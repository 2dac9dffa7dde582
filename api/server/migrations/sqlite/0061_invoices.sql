-- Invoices: money that customers said they would send.

CREATE TABLE invoices (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  short_name TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'paid', 'canceled')),
  -- What came in and what was added to it; the ledger has both.
  paid_amount INTEGER CHECK (paid_amount > 0),
  bonus_amount INTEGER NOT NULL DEFAULT 0 CHECK (bonus_amount >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  paid_at INTEGER,
  CHECK ((status = 'paid') = (paid_at IS NOT NULL) AND (status = 'paid') = (paid_amount IS NOT NULL) AND (status = 'paid' OR bonus_amount = 0))
) STRICT;
CREATE INDEX invoices_status ON invoices (status, id);
CREATE INDEX invoices_user ON invoices (user_id, id);
CREATE INDEX invoices_method ON invoices (payment_method_id, id);
CREATE INDEX invoices_amount ON invoices (amount, id);
CREATE INDEX invoices_created ON invoices (created_at, id);
CREATE INDEX invoices_paid ON invoices (paid_at, id);

-- Texts.
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

-- Kept counts, as in 0007_counts.sql.
CREATE TRIGGER count_invoices_insert AFTER INSERT ON invoices BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'invoices', '', -1, 1 UNION ALL SELECT 'invoices', '', new.id / 8192, 1 UNION ALL SELECT 'invoices', new.status, -1, 1 UNION ALL SELECT 'invoices', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_invoices_delete AFTER DELETE ON invoices BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'invoices', '', -1, -1 UNION ALL SELECT 'invoices', '', old.id / 8192, -1 UNION ALL SELECT 'invoices', old.status, -1, -1 UNION ALL SELECT 'invoices', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_invoices_move AFTER UPDATE OF status ON invoices WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'invoices', old.status, -1, -1 UNION ALL SELECT 'invoices', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'invoices', new.status, -1, 1 UNION ALL SELECT 'invoices', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
