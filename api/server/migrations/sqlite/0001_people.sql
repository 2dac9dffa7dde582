-- People: users (customers and staff), roles, sessions, settings.
-- Times are microseconds since 1970 UTC, money millionths of the panel's currency, percents parts per million.

CREATE TABLE grades (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  icon TEXT,
  discount_ppm INTEGER NOT NULL DEFAULT 0,
  spending_goal INTEGER NOT NULL DEFAULT 0,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  account_type TEXT NOT NULL DEFAULT 'customer',
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen', 'deactivated')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deactivated_at INTEGER,
  frozen_at INTEGER,
  telegram_username TEXT,
  messengers TEXT NOT NULL DEFAULT '[]',
  company_name TEXT,
  company_address TEXT,
  company_site TEXT,
  vat TEXT,
  additional_info TEXT,
  affiliate_code TEXT UNIQUE,
  affiliate_id INTEGER REFERENCES users (id),
  seller_id INTEGER REFERENCES users (id),
  seller_status TEXT CHECK (seller_status IN ('new', 'in_progress', 'paid', 'cancel')),
  contact_step TEXT,
  marketing_subid TEXT,
  notify_orders INTEGER NOT NULL DEFAULT 1 CHECK (notify_orders IN (0, 1)),
  notify_payments INTEGER NOT NULL DEFAULT 1 CHECK (notify_payments IN (0, 1)),
  referral_program_ppm INTEGER,
  grade_id INTEGER REFERENCES grades (id),
  grades_enabled INTEGER NOT NULL DEFAULT 1 CHECK (grades_enabled IN (0, 1)),
  grade_discounts_enabled INTEGER NOT NULL DEFAULT 1 CHECK (grade_discounts_enabled IN (0, 1)),
  -- Sums of the ledger, kept beside it for speed; only the ledger writes them.
  spent INTEGER NOT NULL DEFAULT 0,
  balance_main INTEGER NOT NULL DEFAULT 0 CHECK (balance_main >= 0),
  balance_task INTEGER NOT NULL DEFAULT 0 CHECK (balance_task >= 0),
  balance_referral INTEGER NOT NULL DEFAULT 0 CHECK (balance_referral >= 0),
  hold_main INTEGER NOT NULL DEFAULT 0 CHECK (hold_main >= 0),
  hold_task INTEGER NOT NULL DEFAULT 0 CHECK (hold_task >= 0),
  hold_referral INTEGER NOT NULL DEFAULT 0 CHECK (hold_referral >= 0),
  totp_secret BLOB,
  totp_last_step INTEGER
) STRICT;
CREATE INDEX users_status ON users (status, id);
CREATE INDEX users_affiliate ON users (affiliate_id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX users_seller ON users (seller_id) WHERE seller_id IS NOT NULL;
CREATE INDEX users_created ON users (created_at);
CREATE INDEX users_spent ON users (spent, id);

CREATE TABLE roles (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE role_permissions (
  role_id INTEGER NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  permission TEXT NOT NULL,
  PRIMARY KEY (role_id, permission)
) STRICT;

CREATE TABLE user_roles (
  user_id INTEGER NOT NULL REFERENCES users (id),
  role_id INTEGER NOT NULL REFERENCES roles (id),
  PRIMARY KEY (user_id, role_id)
) STRICT;
CREATE INDEX user_roles_role ON user_roles (role_id);

CREATE TABLE user_permissions (
  user_id INTEGER NOT NULL REFERENCES users (id),
  permission TEXT NOT NULL,
  PRIMARY KEY (user_id, permission)
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  family_id TEXT NOT NULL,
  token_hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  rotated_at INTEGER,
  revoked_at INTEGER,
  ip_address TEXT NOT NULL,
  user_agent TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_family ON sessions (family_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE handoff_codes (
  code_hash BLOB NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;

CREATE TABLE login_throttle (
  key TEXT NOT NULL PRIMARY KEY,
  failures INTEGER NOT NULL,
  window_started_at INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL
) STRICT;

CREATE TABLE settings (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
