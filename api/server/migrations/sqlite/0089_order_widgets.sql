-- Order widgets: through which orders come in from other pages, and who is rewarded for them.

CREATE TABLE order_widgets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  is_outer INTEGER NOT NULL DEFAULT 1 CHECK (is_outer IN (0, 1)),
  -- Stands in the pages that embed the widget, so it is no secret.
  api_token TEXT NOT NULL UNIQUE,
  minimum_purchase_amount INTEGER CHECK (minimum_purchase_amount >= 0),
  reward_ppm INTEGER NOT NULL DEFAULT 0 CHECK (reward_ppm BETWEEN 0 AND 1000000),
  -- Ids in their order, as JSON; payment methods are never deleted.
  payment_methods TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX order_widgets_user ON order_widgets (user_id);

ALTER TABLE orders ADD COLUMN order_widget_id INTEGER REFERENCES order_widgets (id);
CREATE INDEX orders_order_widget ON orders (order_widget_id, created_at) WHERE order_widget_id IS NOT NULL;
