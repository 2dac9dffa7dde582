-- Tables and functions that the triggers of all areas use: materialized counts and translated texts.
--
-- Conventions of all files. A column whose name ends in `_at`, and every column that is called a time, holds
-- microseconds since 1970-01-01 UTC; a `day` holds days since 1970-01-01 UTC. An amount of money holds millionths of
-- its currency, which is the panel's own unless the comment says otherwise. A `_ppm` holds parts per million: 50,000
-- is 5 %. NULL means that there is no value. A name that ends in `_sealed` is encrypted with the panel's secret key.
-- Lists and objects are JSON texts. An `updated_at` also serves optimistic locking: an editor sends back the value
-- that it read, and the server rejects another value with 409. `is_archived` marks a soft-deleted record, which can be
-- restored.
--
-- Comments directly below CREATE TABLE describe a row of the table; comments directly above a column describe the
-- column. docs/schema/tables.md is generated from them.

CREATE TABLE row_counts (
  -- Materialized counts: how many rows of a table belong to a group, in total and by block of 8,192 ids. A list shows
  -- exact totals and finds a deep page by adding blocks, so no request counts rows. Triggers write it on SQLite; on
  -- PostgreSQL they append to row_count_deltas, and a worker adds those up every second. A reader adds both tables.

  -- Name of the counted table.
  tbl TEXT NOT NULL,
  -- Name of the counted group: '' for all rows, a status, or a named condition such as 'no_active_providers'.
  grp TEXT NOT NULL,
  -- id / 8192; -1 holds the total of the group.
  block INTEGER NOT NULL,
  -- Number of rows.
  n INTEGER NOT NULL,
  PRIMARY KEY (tbl, grp, block)
) STRICT;

CREATE TABLE row_count_deltas (
  -- PostgreSQL only: changes of row_counts that are not added up yet, appended so that no counter row serializes the
  -- writers. Readers add them to row_counts. SQLite has one writer and counts directly, so the table stays empty
  -- there.

  tbl TEXT NOT NULL,
  grp TEXT NOT NULL,
  block INTEGER NOT NULL,
  -- Number of added rows; negative for removed rows.
  n INTEGER NOT NULL
) STRICT;

CREATE TABLE translations (
  -- The text of one field of one record in one language. Stores write it together with the record; the English name
  -- is also stored in the record's own `name`, and both change in one transaction. There is no foreign key, as the owner
  -- may be a record of many tables.

  -- Kind of the owner, such as 'service', 'payment_method' or 'menu_item'.
  owner_type TEXT NOT NULL,
  -- Id of the owner in the table of its kind.
  owner_id INTEGER NOT NULL,
  -- Language code, such as 'en' or 'pt_BR'.
  locale TEXT NOT NULL,
  -- Name of the text, such as 'name' or 'meta_title'.
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (owner_type, owner_id, locale, field)
) STRICT;
