-- What a panel has is known once, and what is over is asked about a few times more, behind what is open.

-- An order of a panel is one attempt while it is open. Ids that repeat after a panel moved to another address do no harm,
-- as what is over is not followed.
UPDATE external_panel_orders SET status = 'Creating', external_order_id = NULL, due_at = NULL, alert_at = COALESCE(alert_at, updated_at),
  sent_at = COALESCE(sent_at, created_at), last_error = 'Another attempt has the same order of the panel.'
  WHERE status IN ('Pending', 'In progress', 'Processing') AND EXISTS (SELECT 1 FROM external_panel_orders e
    WHERE e.external_panel_id = external_panel_orders.external_panel_id AND e.external_order_id = external_panel_orders.external_order_id
      AND e.status IN ('Pending', 'In progress', 'Processing') AND e.id < external_panel_orders.id);
CREATE UNIQUE INDEX external_panel_orders_there ON external_panel_orders (external_panel_id, external_order_id)
  WHERE external_order_id IS NOT NULL AND status IN ('Pending', 'In progress', 'Processing');
-- What was sent and had no clear answer.
CREATE INDEX external_panel_orders_unknown ON external_panel_orders (external_panel_id, sent_at)
  WHERE status = 'Creating' AND sent_at IS NOT NULL AND external_order_id IS NULL;

DROP INDEX external_panel_orders_due;
CREATE INDEX external_panel_orders_due ON external_panel_orders (external_panel_id, due_at)
  WHERE due_at IS NOT NULL AND status IN ('Pending', 'In progress', 'Processing');
CREATE INDEX external_panel_orders_late ON external_panel_orders (external_panel_id, due_at)
  WHERE due_at IS NOT NULL AND status IN ('Completed', 'Partial');
