-- What a counter service says of an order's address, and when it is asked next.
CREATE TABLE order_counters (
  order_id INTEGER NOT NULL PRIMARY KEY REFERENCES orders (id),
  -- None: it is not asked about, as its order does not run.
  due_at INTEGER,
  -- What growth is counted from.
  start_count INTEGER,
  last_count INTEGER,
  counted_at INTEGER,
  -- What the order shows as its external statistics.
  quantity INTEGER NOT NULL DEFAULT 0 CHECK (quantity >= 0),
  -- Another order ran for the address since the last look: nobody knows whose growth it is.
  is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1)),
  tries INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX order_counters_due ON order_counters (due_at, order_id) WHERE due_at IS NOT NULL;
-- Orders that may deliver to an address now. A part of it, as an index takes no long texts.
CREATE INDEX orders_open_url ON orders (substr(url, 1, 200)) WHERE status IN ('in_processing', 'stopped');

-- The pace of calls that all processes keep together.
CREATE TABLE call_paces (
  name TEXT NOT NULL PRIMARY KEY,
  next_at INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0
) STRICT;
