-- Marketing: discounts, coupons, special offers, auto-promotion, banners and order widgets.

CREATE TABLE discounts (
  -- A discount on some services for a period. Staff write it. Whether it applies now is computed from its times; of
  -- several on one service the largest applies.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  -- NULL for until staff complete it.
  valid_to INTEGER,
  -- Whether customers see how long it lasts.
  is_countdown_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_countdown_enabled IN (0, 1)),
  -- JSON list of ISO country codes whose customers get it; empty for all.
  countries TEXT NOT NULL DEFAULT '[]',
  -- When staff completed it.
  completed_at INTEGER,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (valid_to > valid_from)
) STRICT;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE discounts_fts USING fts5(name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_discounts_insert AFTER INSERT ON discounts BEGIN
  INSERT INTO discounts_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_discounts_update AFTER UPDATE OF name ON discounts BEGIN
  DELETE FROM discounts_fts WHERE rowid = old.id;
  INSERT INTO discounts_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_discounts_delete AFTER DELETE ON discounts BEGIN
  DELETE FROM discounts_fts WHERE rowid = old.id;
END;

CREATE TABLE discount_services (
  -- The discount on one service.

  discount_id INTEGER NOT NULL REFERENCES discounts (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  -- Discount on the price.
  discount_ppm INTEGER NOT NULL CHECK (discount_ppm BETWEEN 1 AND 1000000),
  PRIMARY KEY (discount_id, service_id)
) STRICT;
CREATE INDEX discount_services_service ON discount_services (service_id, discount_id);

CREATE TABLE coupons (
  -- A code that gives customers a bonus on a payment or a discount on an order. Staff write it; each use updates
  -- usages, received and spent. Whether it can be used now is computed. Its uses are coupon_usages (0008_money.sql).
  -- Texts: translations (owner_type 'coupon').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- The code that customers enter, in capital letters.
  code TEXT NOT NULL,
  -- Whether customers see it.
  displayable INTEGER NOT NULL DEFAULT 0 CHECK (displayable IN (0, 1)),
  -- What it is used with.
  payment_type TEXT NOT NULL CHECK (payment_type IN ('deposit', 'order')),
  -- The user who refers customers with it; statistics count it for them.
  affiliate_id INTEGER REFERENCES users (id),
  -- The smallest payment that it can be used with, in millionths of the panel's currency.
  min_amount INTEGER NOT NULL DEFAULT 0 CHECK (min_amount >= 0),
  valid_from INTEGER NOT NULL,
  -- NULL for no end.
  valid_to INTEGER,
  -- Whether it adds to the main balance or lowers the cost of an order.
  bonus_type TEXT NOT NULL CHECK (bonus_type IN ('balance', 'discount')),
  -- Whether bonus_ppm or bonus_amount defines the bonus.
  bonus_amount_calculation_type TEXT NOT NULL CHECK (bonus_amount_calculation_type IN ('percent', 'fixed')),
  -- The bonus as a fraction of the payment.
  bonus_ppm INTEGER CHECK (bonus_ppm BETWEEN 1 AND 1000000),
  -- The bonus, in millionths of the panel's currency; with 'percent' the maximum.
  bonus_amount INTEGER CHECK (bonus_amount > 0),
  -- How often all customers together may use it; NULL for any number, 0 for never.
  usage_limit INTEGER CHECK (usage_limit >= 0),
  -- Whether it applies in addition to a discount on the service.
  works_with_service_discount INTEGER NOT NULL DEFAULT 0 CHECK (works_with_service_discount IN (0, 1)),
  -- Whether it applies in addition to a price agreed with the customer.
  works_with_user_custom_price INTEGER NOT NULL DEFAULT 0 CHECK (works_with_user_custom_price IN (0, 1)),
  -- Whether the customer needs an unpaid order.
  use_with_only_unpaid_orders INTEGER NOT NULL DEFAULT 0 CHECK (use_with_only_unpaid_orders IN (0, 1)),
  -- Whether an order that is paid from the balance can use it.
  works_with_balance INTEGER NOT NULL DEFAULT 1 CHECK (works_with_balance IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  -- Number of its coupon_usages.
  usages INTEGER NOT NULL DEFAULT 0 CHECK (usages >= 0),
  -- Sum that customers paid with it, in millionths of the panel's currency: the sum of coupon_usages.received.
  received INTEGER NOT NULL DEFAULT 0 CHECK (received >= 0),
  -- Sum that it gave them, in millionths of the panel's currency: the sum of coupon_usages.spent.
  spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK (valid_to > valid_from)
) STRICT;
CREATE UNIQUE INDEX coupons_code ON coupons (code);
CREATE INDEX coupons_affiliate ON coupons (affiliate_id) WHERE affiliate_id IS NOT NULL;

-- Text search: a trigram index without a copy of the text; rowid is the id.
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

CREATE TABLE special_offers (
  -- Services and service types of a network that are promoted at a place of the site. Staff write it. Texts:
  -- translations (owner_type 'special_offer').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  network_id INTEGER NOT NULL REFERENCES networks (id),
  -- Page that shows it.
  place TEXT NOT NULL,
  -- Where on that page.
  position TEXT NOT NULL,
  is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_enabled IN (0, 1)),
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE special_offers_fts USING fts5(name, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_special_offers_insert AFTER INSERT ON special_offers BEGIN
  INSERT INTO special_offers_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_special_offers_update AFTER UPDATE OF name ON special_offers BEGIN
  DELETE FROM special_offers_fts WHERE rowid = old.id;
  INSERT INTO special_offers_fts (rowid, name) VALUES (new.id, new.name);
END;
CREATE TRIGGER search_special_offers_delete AFTER DELETE ON special_offers BEGIN
  DELETE FROM special_offers_fts WHERE rowid = old.id;
END;

CREATE TABLE special_offer_services (
  -- A service within a special offer.

  offer_id INTEGER NOT NULL REFERENCES special_offers (id),
  service_id INTEGER NOT NULL REFERENCES services (id),
  sorting INTEGER NOT NULL,
  PRIMARY KEY (offer_id, service_id)
) STRICT;
CREATE INDEX special_offer_services_service ON special_offer_services (service_id);

CREATE TABLE special_offer_types (
  -- A service type within a special offer.

  offer_id INTEGER NOT NULL REFERENCES special_offers (id),
  service_type_id INTEGER NOT NULL REFERENCES service_types (id),
  sorting INTEGER NOT NULL,
  PRIMARY KEY (offer_id, service_type_id)
) STRICT;
CREATE INDEX special_offer_types_type ON special_offer_types (service_type_id);

CREATE TABLE auto_promotion_networks (
  -- A network whose services are offered for auto-promotion. Staff write it.

  network_id INTEGER NOT NULL PRIMARY KEY REFERENCES networks (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  -- Place among the networks.
  sorting INTEGER NOT NULL,
  -- Added to prices there where neither service nor service type says; NULL for the margin of the service.
  resale_margin_ppm INTEGER CHECK (resale_margin_ppm BETWEEN 0 AND 1000000)
) STRICT;

CREATE TABLE auto_promotion_types (
  -- A service type whose services are offered for auto-promotion. Staff write it.

  service_type_id INTEGER NOT NULL PRIMARY KEY REFERENCES service_types (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  -- Place among the service types of its network.
  sorting INTEGER NOT NULL,
  -- Added to prices there where the service does not say; NULL for the margin of the network.
  resale_margin_ppm INTEGER CHECK (resale_margin_ppm BETWEEN 0 AND 1000000)
) STRICT;

CREATE TABLE auto_promotions (
  -- A service that is offered for auto-promotion of an account. Staff write it.

  id INTEGER PRIMARY KEY,
  service_id INTEGER NOT NULL UNIQUE REFERENCES services (id),
  is_enabled INTEGER NOT NULL DEFAULT 1 CHECK (is_enabled IN (0, 1)),
  -- Added to its price there; NULL for the margin of the service type, then of the network, then of the service.
  resale_margin_ppm INTEGER CHECK (resale_margin_ppm BETWEEN 0 AND 1000000),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Place among the services of its service type.
  sorting INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE banners (
  -- The banner of one place of the site: at most one row per place. Staff write it.

  id INTEGER PRIMARY KEY,
  place TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('none', 'slider', 'content')),
  -- HTML, for the type 'content'.
  content TEXT,
  -- Seconds that a slide is shown.
  scroll_delay INTEGER NOT NULL DEFAULT 3 CHECK (scroll_delay BETWEEN 1 AND 15),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE banner_informations (
  -- A slide of a banner. Its texts are in translations (owner_type 'banner_information').

  id INTEGER PRIMARY KEY,
  banner_id INTEGER NOT NULL REFERENCES banners (id),
  -- Address of the uploaded foreground image.
  image TEXT,
  -- Address of the uploaded background image.
  background_image TEXT,
  -- '#rrggbb'.
  background_color TEXT,
  -- Place of the slide, from 1.
  sorting INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX banner_informations_banner ON banner_informations (banner_id, sorting);

CREATE TABLE order_widgets (
  -- A form on another web site, or on a page of the panel, by which visitors order; its owner is rewarded. Staff
  -- write it.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- The owner, who receives the rewards.
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- Whether it is embedded in pages outside of the panel.
  is_outer INTEGER NOT NULL DEFAULT 1 CHECK (is_outer IN (0, 1)),
  -- Identifies the widget. It is readable in the pages that embed it, so it is not a secret.
  api_token TEXT NOT NULL UNIQUE,
  -- Minimum cost of an order, in millionths of the panel's currency; NULL for the panel's setting. The higher
  -- of the two applies.
  minimum_purchase_amount INTEGER CHECK (minimum_purchase_amount >= 0),
  -- Part of the cost of an order that the owner receives.
  reward_ppm INTEGER NOT NULL DEFAULT 0 CHECK (reward_ppm BETWEEN 0 AND 1000000),
  -- JSON list of ids of payment_methods, in their order.
  payment_methods TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX order_widgets_user ON order_widgets (user_id);
