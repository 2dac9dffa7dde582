-- Payment methods in full. The name is the English one; translations are JSON by locale, secrets one sealed JSON object.

ALTER TABLE payment_methods ADD COLUMN translations TEXT NOT NULL DEFAULT '{}';
ALTER TABLE payment_methods ADD COLUMN is_allowed_for_new_user INTEGER NOT NULL DEFAULT 1 CHECK (is_allowed_for_new_user IN (0, 1));
ALTER TABLE payment_methods ADD COLUMN fee_ppm INTEGER NOT NULL DEFAULT 0 CHECK (fee_ppm BETWEEN 0 AND 1000000);
ALTER TABLE payment_methods ADD COLUMN min_amount INTEGER NOT NULL DEFAULT 0 CHECK (min_amount >= 0);
ALTER TABLE payment_methods ADD COLUMN max_amount INTEGER;
ALTER TABLE payment_methods ADD COLUMN charge_currency TEXT NOT NULL DEFAULT 'USD';
ALTER TABLE payment_methods ADD COLUMN charge_type TEXT NOT NULL DEFAULT 'on_top' CHECK (charge_type IN ('on_top', 'deducted'));
ALTER TABLE payment_methods ADD COLUMN strategy TEXT NOT NULL DEFAULT 'manual' CHECK (strategy IN ('manual', 'gateway'));
ALTER TABLE payment_methods ADD COLUMN allow_qr_code INTEGER NOT NULL DEFAULT 0 CHECK (allow_qr_code IN (0, 1));
ALTER TABLE payment_methods ADD COLUMN payment_qr_code TEXT;
ALTER TABLE payment_methods ADD COLUMN is_user_comment INTEGER NOT NULL DEFAULT 0 CHECK (is_user_comment IN (0, 1));
ALTER TABLE payment_methods ADD COLUMN shows_qr_code INTEGER NOT NULL DEFAULT 0 CHECK (shows_qr_code IN (0, 1));
ALTER TABLE payment_methods ADD COLUMN available_for_withdrawal INTEGER NOT NULL DEFAULT 0 CHECK (available_for_withdrawal IN (0, 1));
ALTER TABLE payment_methods ADD COLUMN withdrawal_min_amount INTEGER NOT NULL DEFAULT 0 CHECK (withdrawal_min_amount >= 0);
ALTER TABLE payment_methods ADD COLUMN withdrawal_max_amount INTEGER;
ALTER TABLE payment_methods ADD COLUMN withdrawal_min_fee INTEGER NOT NULL DEFAULT 0 CHECK (withdrawal_min_fee >= 0);
ALTER TABLE payment_methods ADD COLUMN withdrawal_fee_ppm INTEGER NOT NULL DEFAULT 0 CHECK (withdrawal_fee_ppm BETWEEN 0 AND 1000000);
ALTER TABLE payment_methods ADD COLUMN secrets BLOB;
ALTER TABLE payment_methods ADD COLUMN secret_names TEXT NOT NULL DEFAULT '[]';
-- Types were free texts before.
UPDATE payment_methods SET type = 'other' WHERE type NOT IN ('card', 'bank', 'crypto', 'paypal', 'wallet', 'cash', 'other');

CREATE TABLE payment_method_bonuses (
  id INTEGER PRIMARY KEY,
  payment_method_id INTEGER NOT NULL REFERENCES payment_methods (id),
  from_amount INTEGER NOT NULL CHECK (from_amount >= 0),
  -- Of the payment, in millionths: 50000 is five percent.
  bonus_ppm INTEGER NOT NULL CHECK (bonus_ppm BETWEEN 0 AND 1000000),
  is_enabled INTEGER NOT NULL DEFAULT 0 CHECK (is_enabled IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (payment_method_id, from_amount)
) STRICT;
