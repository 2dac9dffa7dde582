-- Supply at work: when an order is sent, when an attempt is looked at again, what its panel last said.

-- When the dispatcher looks at an order; none for an order that it has nothing to do for.
ALTER TABLE orders ADD COLUMN dispatch_at BIGINT;
CREATE INDEX orders_dispatch ON orders (dispatch_at) WHERE dispatch_at IS NOT NULL;

-- When a worker looks at an attempt; none for one that is over, or that waits for a person.
ALTER TABLE external_panel_orders ADD COLUMN due_at BIGINT;
-- Written before the call: with it and without an external id, nobody knows whether the panel took the order.
ALTER TABLE external_panel_orders ADD COLUMN sent_at BIGINT;
ALTER TABLE external_panel_orders ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
-- When the panel answered the request to cancel.
ALTER TABLE external_panel_orders ADD COLUMN cancel_answered_at BIGINT;
-- Since when the panel says that it does not know the order.
ALTER TABLE external_panel_orders ADD COLUMN missing_since BIGINT;
-- A person should look: since when.
ALTER TABLE external_panel_orders ADD COLUMN alert_at BIGINT;
ALTER TABLE external_panel_orders ADD COLUMN ended_at BIGINT;
-- What of its charge the order's provider cost holds already, in this panel's own currency.
ALTER TABLE external_panel_orders ADD COLUMN booked_cost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE external_panel_orders ADD COLUMN last_request TEXT;
ALTER TABLE external_panel_orders ADD COLUMN last_answer TEXT;
CREATE INDEX external_panel_orders_due ON external_panel_orders (external_panel_id, due_at) WHERE due_at IS NOT NULL AND status <> 'Creating';
CREATE INDEX external_panel_orders_sending ON external_panel_orders (external_panel_id, due_at) WHERE due_at IS NOT NULL AND status = 'Creating';
CREATE INDEX external_panel_orders_alert ON external_panel_orders (alert_at) WHERE alert_at IS NOT NULL;
-- An order is with one provider at a time; the database itself refuses a second.
CREATE UNIQUE INDEX external_panel_orders_live ON external_panel_orders (order_id)
  WHERE cancel_requested_at IS NULL AND status IN ('Creating', 'Pending', 'In progress', 'Processing');

-- How a panel does: asked for its balance, heard, and what it said last.
ALTER TABLE external_panels ADD COLUMN balance_at BIGINT;
ALTER TABLE external_panels ADD COLUMN last_ok_at BIGINT;
ALTER TABLE external_panels ADD COLUMN last_error TEXT;
-- Staff are told once when its balance falls below; none for never.
ALTER TABLE external_panels ADD COLUMN low_balance BIGINT;
ALTER TABLE external_panels ADD COLUMN low_balance_told_at BIGINT;
-- A price that changes by more at once is held until somebody says yes or no.
ALTER TABLE external_panels ADD COLUMN price_jump_ppm BIGINT NOT NULL DEFAULT 200000;
ALTER TABLE external_panels ADD COLUMN synced_at BIGINT;

-- A refill as its panel has it.
ALTER TABLE order_refill_requests ADD COLUMN external_panel_order_id BIGINT REFERENCES external_panel_orders (id);
ALTER TABLE order_refill_requests ADD COLUMN external_refill_id TEXT;
ALTER TABLE order_refill_requests ADD COLUMN due_at BIGINT;
ALTER TABLE order_refill_requests ADD COLUMN sent_at BIGINT;
ALTER TABLE order_refill_requests ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE order_refill_requests ADD COLUMN last_error TEXT;
CREATE INDEX order_refill_requests_due ON order_refill_requests (due_at) WHERE due_at IS NOT NULL;

-- Completed orders that lost something and refill by themselves.
CREATE INDEX orders_auto_refill ON orders (id) WHERE auto_refill_is_allowed AND drop_quantity > 0;
