-- What the database itself guards and keeps: append-only records, text search.

CREATE FUNCTION keep_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER keep_ledger_txns BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_txns FOR EACH STATEMENT EXECUTE FUNCTION keep_append_only();
CREATE TRIGGER keep_ledger_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION keep_append_only();
CREATE TRIGGER keep_audits BEFORE UPDATE OR DELETE OR TRUNCATE ON audits FOR EACH STATEMENT EXECUTE FUNCTION keep_append_only();

-- Lower-cased by ICU rules, so that search ignores case beyond ASCII whatever the cluster's locale is.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX orders_search ON orders USING gin (lower(url COLLATE "und-x-icu") gin_trgm_ops);
CREATE INDEX users_search ON users USING gin (lower(name COLLATE "und-x-icu") gin_trgm_ops, lower(email COLLATE "und-x-icu") gin_trgm_ops,
  lower(telegram_username COLLATE "und-x-icu") gin_trgm_ops);
CREATE INDEX services_search ON services USING gin (lower(name COLLATE "und-x-icu") gin_trgm_ops);
