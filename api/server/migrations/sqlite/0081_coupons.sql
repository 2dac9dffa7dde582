-- Coupons: what customers get for a code, and each time one was used. Whether one can be used is computed.

CREATE TABLE coupons (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL,
  displayable INTEGER NOT NULL DEFAULT 0 CHECK (displayable IN (0, 1)),
  payment_type TEXT NOT NULL CHECK (payment_type IN ('deposit', 'order')),
  -- Who brings customers with it: their manager in the statistics.
  affiliate_id INTEGER REFERENCES users (id),
  min_amount INTEGER NOT NULL DEFAULT 0 CHECK (min_amount >= 0),
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  bonus_type TEXT NOT NULL CHECK (bonus_type IN ('balance', 'discount')),
  bonus_amount_calculation_type TEXT NOT NULL CHECK (bonus_amount_calculation_type IN ('percent', 'fixed')),
  bonus_ppm INTEGER CHECK (bonus_ppm BETWEEN 1 AND 1000000),
  bonus_amount INTEGER CHECK (bonus_amount > 0),
  usage_limit INTEGER CHECK (usage_limit >= 0),
  works_with_service_discount INTEGER NOT NULL DEFAULT 0 CHECK (works_with_service_discount IN (0, 1)),
  works_with_user_custom_price INTEGER NOT NULL DEFAULT 0 CHECK (works_with_user_custom_price IN (0, 1)),
  use_with_only_unpaid_orders INTEGER NOT NULL DEFAULT 0 CHECK (use_with_only_unpaid_orders IN (0, 1)),
  works_with_balance INTEGER NOT NULL DEFAULT 1 CHECK (works_with_balance IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- Sums of its usages, kept with each of them.
  usages INTEGER NOT NULL DEFAULT 0 CHECK (usages >= 0),
  received INTEGER NOT NULL DEFAULT 0 CHECK (received >= 0),
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (valid_to > valid_from)
) STRICT;
CREATE UNIQUE INDEX coupons_code ON coupons (code);
CREATE INDEX coupons_affiliate ON coupons (affiliate_id) WHERE affiliate_id IS NOT NULL;

-- A customer uses a coupon once, for one payment.
CREATE TABLE coupon_usages (
  id INTEGER PRIMARY KEY,
  coupon_id INTEGER NOT NULL REFERENCES coupons (id),
  user_id INTEGER NOT NULL REFERENCES users (id),
  invoice_id INTEGER REFERENCES invoices (id),
  order_id INTEGER REFERENCES orders (id),
  -- What the customer paid, and what the coupon gave.
  received INTEGER NOT NULL CHECK (received >= 0),
  spent INTEGER NOT NULL CHECK (spent >= 0),
  created_at INTEGER NOT NULL,
  UNIQUE (coupon_id, user_id),
  CHECK ((invoice_id IS NULL) <> (order_id IS NULL))
) STRICT;
CREATE INDEX coupon_usages_created ON coupon_usages (created_at);
CREATE INDEX coupon_usages_user ON coupon_usages (user_id);
CREATE UNIQUE INDEX coupon_usages_invoice ON coupon_usages (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX coupon_usages_order ON coupon_usages (order_id) WHERE order_id IS NOT NULL;

-- The coupon that a customer gave with an invoice; it is used when the invoice is paid.
ALTER TABLE invoices ADD COLUMN coupon_id INTEGER REFERENCES coupons (id);
CREATE INDEX invoices_coupon ON invoices (coupon_id) WHERE coupon_id IS NOT NULL;

-- Texts.
CREATE VIRTUAL TABLE coupons_fts USING fts5(name, code, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_coupons_insert AFTER INSERT ON coupons BEGIN
  INSERT INTO coupons_fts (rowid, name, code) VALUES (new.id, new.name, new.code);
END;
CREATE TRIGGER search_coupons_update AFTER UPDATE OF name, code ON coupons BEGIN
  DELETE FROM coupons_fts WHERE rowid = old.id;
  INSERT INTO coupons_fts (rowid, name, code) VALUES (new.id, new.name, new.code);
END;
CREATE TRIGGER search_coupons_delete AFTER DELETE ON coupons BEGIN
  DELETE FROM coupons_fts WHERE rowid = old.id;
END;
