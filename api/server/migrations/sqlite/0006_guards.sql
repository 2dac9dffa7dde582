-- What the database itself guards and keeps: append-only records, text search.

CREATE TRIGGER keep_ledger_txns_update BEFORE UPDATE ON ledger_txns BEGIN SELECT RAISE(ABORT, 'ledger_txns is append-only'); END;
CREATE TRIGGER keep_ledger_txns_delete BEFORE DELETE ON ledger_txns BEGIN SELECT RAISE(ABORT, 'ledger_txns is append-only'); END;
CREATE TRIGGER keep_ledger_entries_update BEFORE UPDATE ON ledger_entries BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;
CREATE TRIGGER keep_ledger_entries_delete BEFORE DELETE ON ledger_entries BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;
CREATE TRIGGER keep_audits_update BEFORE UPDATE ON audits BEGIN SELECT RAISE(ABORT, 'audits is append-only'); END;
CREATE TRIGGER keep_audits_delete BEFORE DELETE ON audits BEGIN SELECT RAISE(ABORT, 'audits is append-only'); END;

-- Trigram indexes without a copy of the text; rowid is the record's id.
CREATE VIRTUAL TABLE orders_fts USING fts5(url, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE VIRTUAL TABLE users_fts USING fts5(name, email, telegram_username, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE VIRTUAL TABLE services_fts USING fts5(name, content = '', contentless_delete = 1, tokenize = 'trigram');

CREATE TRIGGER search_orders_insert AFTER INSERT ON orders BEGIN
  INSERT INTO orders_fts (rowid, url) VALUES (new.id, new.url);
END;
CREATE TRIGGER search_orders_update AFTER UPDATE OF url ON orders WHEN old.url IS NOT new.url BEGIN
  DELETE FROM orders_fts WHERE rowid = old.id;
  INSERT INTO orders_fts (rowid, url) VALUES (new.id, new.url);
END;
CREATE TRIGGER search_orders_delete AFTER DELETE ON orders BEGIN
  DELETE FROM orders_fts WHERE rowid = old.id;
END;
CREATE TRIGGER search_users_insert AFTER INSERT ON users BEGIN
  INSERT INTO users_fts (rowid, name, email, telegram_username) VALUES (new.id, new.name, new.email, new.telegram_username);
END;
CREATE TRIGGER search_users_update AFTER UPDATE OF name, email, telegram_username ON users BEGIN
  DELETE FROM users_fts WHERE rowid = old.id;
  INSERT INTO users_fts (rowid, name, email, telegram_username) VALUES (new.id, new.name, new.email, new.telegram_username);
END;
CREATE TRIGGER search_users_delete AFTER DELETE ON users BEGIN
  DELETE FROM users_fts WHERE rowid = old.id;
END;
CREATE TRIGGER search_services_insert AFTER INSERT ON services BEGIN
  INSERT INTO services_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_services_update AFTER UPDATE OF name ON services BEGIN
  DELETE FROM services_fts WHERE rowid = old.id;
  INSERT INTO services_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_services_delete AFTER DELETE ON services BEGIN
  DELETE FROM services_fts WHERE rowid = old.id;
END;
