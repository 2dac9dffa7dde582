-- External panels: the end of a token, the orders that are with a panel, and what was paid there.

ALTER TABLE external_panels ADD COLUMN api_token_hint TEXT;

-- Counted for each panel of a page, and asked before one is archived.
CREATE INDEX external_panel_orders_open ON external_panel_orders (external_panel_id)
  WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing');

-- Amounts are in the panel's currency. What arrived there is worked out: amount - fee - commission + bonus.
CREATE TABLE external_panel_payments (
  id INTEGER PRIMARY KEY,
  external_panel_id INTEGER NOT NULL REFERENCES external_panels (id),
  -- The first microsecond of the day.
  date INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  fee INTEGER NOT NULL DEFAULT 0 CHECK (fee >= 0),
  payment_method_commission INTEGER NOT NULL DEFAULT 0 CHECK (payment_method_commission >= 0),
  bonus INTEGER NOT NULL DEFAULT 0 CHECK (bonus >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (fee + payment_method_commission <= amount)
) STRICT;
CREATE INDEX external_panel_payments_panel ON external_panel_payments (external_panel_id, date, id);
