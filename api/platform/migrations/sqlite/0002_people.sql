-- People: customers and staff, their grades, roles and permissions, sessions and API keys.

CREATE TABLE access_version (
  -- One row with a number that grows with every change of roles, permissions and sessions, and when a member of staff
  -- is renamed or deactivated. A process that caches a session compares the number in the statement that it runs
  -- anyway, so a revoked permission takes effect with the next request of every process. Only triggers write it.

  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  -- Grows by at least one with each change; the absolute value means nothing.
  n INTEGER NOT NULL
) STRICT;
INSERT INTO access_version (id, n) VALUES (1, 0);

CREATE TABLE grades (
  -- A grade of loyal customers and its benefits. Staff write it. Its texts are in translations (owner_type
  -- 'grade').

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- Address of the uploaded image.
  icon TEXT,
  -- Discount on the price of every order.
  discount_ppm INTEGER NOT NULL DEFAULT 0,
  -- How much a customer must have spent to reach the grade, in millionths of the panel's currency.
  spending_goal INTEGER NOT NULL DEFAULT 0,
  is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Days between two free thumbnails; NULL for none.
  thumbnail_period INTEGER,
  -- Days between two consultations by chat; NULL for none.
  consultation_chat_period INTEGER,
  -- Whether closed sales are open to its customers.
  available_closed_sales INTEGER NOT NULL DEFAULT 0 CHECK (available_closed_sales IN (0, 1)),
  -- Whether its customers have an account manager.
  available_personal_manager INTEGER NOT NULL DEFAULT 0 CHECK (available_personal_manager IN (0, 1))
) STRICT;

-- Materialized counts.
CREATE TRIGGER count_grades_insert AFTER INSERT ON grades BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'grades', '', -1, 1
    UNION ALL SELECT 'grades', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_grades_delete AFTER DELETE ON grades BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'grades', '', -1, -1
    UNION ALL SELECT 'grades', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

CREATE TABLE users (
  -- A person with an account: a customer, a member of staff, or both. Sign-up, sign-in and staff write it; only the
  -- ledger writes spent, balance_* and hold_*, and only triggers write is_staff. Rows are never deleted, as the
  -- ledger and the audit trail refer to them.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- In lower case.
  email TEXT NOT NULL UNIQUE,
  -- Argon2id in PHC format; NULL if no password was set.
  password_hash TEXT,
  -- 'customer', 'seller' or 'child_panel'; orders of a child panel are marked (orders.is_child_panel).
  account_type TEXT NOT NULL DEFAULT 'customer',
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen', 'deactivated')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deactivated_at INTEGER,
  frozen_at INTEGER,
  -- Without the at sign.
  telegram_username TEXT,
  -- JSON list of {name, value}, at most 10.
  messengers TEXT NOT NULL DEFAULT '[]',
  company_name TEXT,
  company_address TEXT,
  company_site TEXT,
  vat TEXT,
  additional_info TEXT,
  -- The code by which the user refers new customers.
  affiliate_code TEXT UNIQUE,
  -- The affiliate who earns from this customer now. user_affiliates holds the periods, and both change in one
  -- transaction.
  affiliate_id INTEGER REFERENCES users (id),
  -- The account manager of the customer, a staff member.
  seller_id INTEGER REFERENCES users (id),
  -- State of the conversation with a customer who may become a seller.
  seller_status TEXT CHECK (seller_status IN ('new', 'in_progress', 'paid', 'cancel')),
  -- The last step of that conversation.
  contact_step TEXT,
  -- Tag of the campaign through which the customer came.
  marketing_subid TEXT,
  -- Whether the user receives emails about orders.
  notify_orders INTEGER NOT NULL DEFAULT 1 CHECK (notify_orders IN (0, 1)),
  -- Whether the user receives emails about payments.
  notify_payments INTEGER NOT NULL DEFAULT 1 CHECK (notify_payments IN (0, 1)),
  -- Part of the spending of referred customers that this user earns; NULL for the panel's default.
  referral_program_ppm INTEGER,
  grade_id INTEGER REFERENCES grades (id),
  -- Whether staff set the grade by hand; spending never changes such a grade.
  grade_is_manual INTEGER NOT NULL DEFAULT 0 CHECK (grade_is_manual IN (0, 1)),
  -- Whether grades apply to the customer.
  grades_enabled INTEGER NOT NULL DEFAULT 1 CHECK (grades_enabled IN (0, 1)),
  -- Whether the discount of the grade applies to the customer.
  grade_discounts_enabled INTEGER NOT NULL DEFAULT 1 CHECK (grade_discounts_enabled IN (0, 1)),
  -- Charged minus refunded over all orders, in millionths of the panel's currency. It and the balances below equal
  -- the sums of ledger_entries; the doctor checks that.
  spent INTEGER NOT NULL DEFAULT 0,
  -- Paid in and spendable, in millionths of the panel's currency.
  balance_main INTEGER NOT NULL DEFAULT 0 CHECK (balance_main >= 0),
  -- Earned by quests: the customer can spend it, and it is never paid out; in millionths of the panel's currency.
  balance_task INTEGER NOT NULL DEFAULT 0 CHECK (balance_task >= 0),
  -- Earned by referrals, in millionths of the panel's currency.
  balance_referral INTEGER NOT NULL DEFAULT 0 CHECK (balance_referral >= 0),
  -- Part of the main balance that is held for withdrawals and advances, in millionths of the panel's currency. It
  -- still belongs to the customer but cannot be spent.
  hold_main INTEGER NOT NULL DEFAULT 0 CHECK (hold_main >= 0),
  -- Held part of the task balance, in millionths of the panel's currency.
  hold_task INTEGER NOT NULL DEFAULT 0 CHECK (hold_task >= 0),
  -- Held part of the referral balance, in millionths of the panel's currency.
  hold_referral INTEGER NOT NULL DEFAULT 0 CHECK (hold_referral >= 0),
  -- Secret of the second factor, encrypted with the panel's secret key; NULL without one.
  totp_secret BLOB,
  -- The last time step of 30 seconds whose code was accepted, so that a code works once.
  totp_last_step INTEGER,
  -- Whether the user has a role or a permission. Triggers on user_roles and user_permissions write it.
  is_staff INTEGER NOT NULL DEFAULT 0 CHECK (is_staff IN (0, 1)),
  -- When the erasure of the user's personal data was requested: the account has been closed permanently since then.
  erasure_requested_at INTEGER,
  -- When the last record of that erasure was erased.
  erased_at INTEGER,
  -- Language that a staff member chose for the console; NULL for the browser's language.
  locale TEXT,
  -- IANA name of the time zone that a staff member chose; NULL for the browser's time zone.
  time_zone TEXT
) STRICT;
CREATE INDEX users_status ON users (status, id);
CREATE INDEX users_affiliate ON users (affiliate_id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX users_seller ON users (seller_id) WHERE seller_id IS NOT NULL;
CREATE INDEX users_created ON users (created_at);
CREATE INDEX users_spent ON users (spent, id);
CREATE INDEX users_grade ON users (grade_id) WHERE grade_id IS NOT NULL;
CREATE INDEX users_deactivated ON users (deactivated_at) WHERE deactivated_at IS NOT NULL;
CREATE INDEX users_staff ON users (id) WHERE is_staff = TRUE;

-- Text search: a trigram index without a copy of the text; rowid is the id.
CREATE VIRTUAL TABLE users_fts USING fts5(name, email, telegram_username,
  content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_users_insert AFTER INSERT ON users BEGIN
  INSERT INTO users_fts (rowid, name, email, telegram_username) VALUES (new.id, new.name, new.email, new.telegram_username);
END;
CREATE TRIGGER search_users_update AFTER UPDATE OF name, email, telegram_username ON users BEGIN
  DELETE FROM users_fts WHERE rowid = old.id;
  INSERT INTO users_fts (rowid, name, email, telegram_username) VALUES (new.id, new.name, new.email, new.telegram_username);
END;
CREATE TRIGGER search_users_delete AFTER DELETE ON users BEGIN
  DELETE FROM users_fts WHERE rowid = old.id;
END;

-- Materialized counts.
CREATE TRIGGER count_users_insert AFTER INSERT ON users BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', '', -1, 1 UNION ALL SELECT 'users', '', new.id / 8192, 1
    UNION ALL SELECT 'users', new.status, -1, 1
    UNION ALL SELECT 'users', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_delete AFTER DELETE ON users BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', '', -1, -1 UNION ALL SELECT 'users', '', old.id / 8192, -1
    UNION ALL SELECT 'users', old.status, -1, -1
    UNION ALL SELECT 'users', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_move AFTER UPDATE OF status ON users WHEN old.status <> new.status BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', old.status, -1, -1
    UNION ALL SELECT 'users', old.status, old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', new.status, -1, 1
    UNION ALL SELECT 'users', new.status, new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_staff AFTER UPDATE OF is_staff ON users WHEN old.is_staff <> new.is_staff BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', 'staff', -1, new.is_staff - old.is_staff
    UNION ALL SELECT 'users', 'staff', new.id / 8192, new.is_staff - old.is_staff) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_staff_insert AFTER INSERT ON users WHEN new.is_staff BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', 'staff', -1, 1
    UNION ALL SELECT 'users', 'staff', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_staff_delete AFTER DELETE ON users WHEN old.is_staff BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (
    SELECT 'users', 'staff', -1, -1
    UNION ALL SELECT 'users', 'staff', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_users_update AFTER UPDATE OF name, email, status, totp_secret ON users
  WHEN old.is_staff AND (old.name <> new.name OR old.email <> new.email OR old.status <> new.status
    OR (old.totp_secret IS NULL) <> (new.totp_secret IS NULL)) BEGIN UPDATE access_version SET n = n + 1; END;

CREATE TABLE user_discounts (
  -- A discount that staff gave to one customer. No row means no discount.

  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
  -- Discount on the price.
  discount_ppm INTEGER NOT NULL CHECK (discount_ppm BETWEEN 0 AND 1000000),
  -- What it applies to.
  kind TEXT NOT NULL CHECK (kind IN ('orders', 'packages', 'all')),
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE user_affiliates (
  -- A period in which one user (user_id) earned from the orders of another (referral_id). Periods of one customer
  -- never overlap. Staff and sign-up write it.

  id INTEGER PRIMARY KEY,
  -- The customer who was referred.
  referral_id INTEGER NOT NULL REFERENCES users (id),
  -- The affiliate.
  user_id INTEGER NOT NULL REFERENCES users (id),
  started_at INTEGER NOT NULL,
  -- NULL while the period lasts.
  ended_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX user_affiliates_referral ON user_affiliates (referral_id, started_at);
CREATE INDEX user_affiliates_user ON user_affiliates (user_id);
-- Periods that begin or end by themselves are found by their times.
CREATE INDEX user_affiliates_started ON user_affiliates (started_at);
CREATE INDEX user_affiliates_ended ON user_affiliates (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE verification_documents (
  -- An image by which a customer proved their identity. The upload writes it; the file is private, and each view of
  -- it is audited.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- The kind of document or view that the image shows.
  kind TEXT NOT NULL CHECK (kind IN ('card', 'id', 'selfie', 'additional_photo')),
  -- Name of the file in the private upload storage.
  file TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verification_documents_user ON verification_documents (user_id, id);

CREATE TABLE roles (
  -- A named set of permissions for staff. Staff with the right permission write it.

  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Whether staff with the role must have a second factor: without one they can only enroll one.
  requires_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (requires_second_factor IN (0, 1))
) STRICT;

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_roles_insert AFTER INSERT ON roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_roles_update AFTER UPDATE ON roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_roles_delete AFTER DELETE ON roles BEGIN UPDATE access_version SET n = n + 1; END;

CREATE TABLE role_permissions (
  -- A permission that a role gives.

  role_id INTEGER NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  -- As declared in the contract, such as 'view orders'.
  permission TEXT NOT NULL,
  PRIMARY KEY (role_id, permission)
) STRICT;

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_role_permissions_insert AFTER INSERT ON role_permissions BEGIN
  UPDATE access_version SET n = n + 1;
END;
CREATE TRIGGER access_role_permissions_update AFTER UPDATE ON role_permissions BEGIN
  UPDATE access_version SET n = n + 1;
END;
CREATE TRIGGER access_role_permissions_delete AFTER DELETE ON role_permissions BEGIN
  UPDATE access_version SET n = n + 1;
END;

CREATE TABLE user_roles (
  -- A role that a member of staff has.

  user_id INTEGER NOT NULL REFERENCES users (id),
  role_id INTEGER NOT NULL REFERENCES roles (id),
  PRIMARY KEY (user_id, role_id)
) STRICT;
CREATE INDEX user_roles_role ON user_roles (role_id);

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_user_roles_insert AFTER INSERT ON user_roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_roles_update AFTER UPDATE ON user_roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_roles_delete AFTER DELETE ON user_roles BEGIN UPDATE access_version SET n = n + 1; END;

-- Maintains users.is_staff.
CREATE TRIGGER staff_user_roles_insert AFTER INSERT ON user_roles BEGIN
  UPDATE users SET is_staff = 1 WHERE id = new.user_id AND NOT is_staff;
END;
CREATE TRIGGER staff_user_roles_delete AFTER DELETE ON user_roles BEGIN
  UPDATE users SET is_staff = 0 WHERE id = old.user_id AND is_staff
    AND NOT EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = old.user_id) AND NOT EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = old.user_id);
END;

CREATE TABLE user_permissions (
  -- A permission that a member of staff has without a role.

  user_id INTEGER NOT NULL REFERENCES users (id),
  -- As declared in the contract, such as 'view orders'.
  permission TEXT NOT NULL,
  PRIMARY KEY (user_id, permission)
) STRICT;

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_user_permissions_insert AFTER INSERT ON user_permissions BEGIN
  UPDATE access_version SET n = n + 1;
END;
CREATE TRIGGER access_user_permissions_update AFTER UPDATE ON user_permissions BEGIN
  UPDATE access_version SET n = n + 1;
END;
CREATE TRIGGER access_user_permissions_delete AFTER DELETE ON user_permissions BEGIN
  UPDATE access_version SET n = n + 1;
END;

-- Maintains users.is_staff.
CREATE TRIGGER staff_user_permissions_insert AFTER INSERT ON user_permissions BEGIN
  UPDATE users SET is_staff = 1 WHERE id = new.user_id AND NOT is_staff;
END;
CREATE TRIGGER staff_user_permissions_delete AFTER DELETE ON user_permissions BEGIN
  UPDATE users SET is_staff = 0 WHERE id = old.user_id AND is_staff
    AND NOT EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = old.user_id) AND NOT EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = old.user_id);
END;

CREATE TABLE sessions (
  -- A session token. Sign-in and refresh write it, the cleanup deletes ended ones. A refresh inserts a new row of the
  -- same family and marks the old one as rotated; the use of a rotated token after a short grace period reveals a
  -- stolen copy and revokes the whole family.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- The sign-in that the token descends from.
  family_id TEXT NOT NULL,
  -- SHA-256 of the token; the token itself is not stored.
  token_hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- When the user authenticated: the start of the family, which a refresh copies.
  signed_in_at INTEGER NOT NULL,
  -- The absolute end of the family, by the settings at the creation of the token. A token ends earlier if it is not
  -- used (session_idle_days), or if the settings have become stricter since.
  expires_at INTEGER NOT NULL,
  -- Updated rarely, so that most read requests do not write.
  last_used_at INTEGER NOT NULL,
  -- When a refresh replaced the token.
  rotated_at INTEGER,
  -- When the session ended: sign-out, deactivation or a stolen token.
  revoked_at INTEGER,
  -- When its user last entered the password or a second factor, in this session or in the session that created its handoff code.
  confirmed_at INTEGER,
  ip_address TEXT NOT NULL,
  user_agent TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_family ON sessions (family_id);
CREATE INDEX sessions_expires ON sessions (expires_at);
CREATE INDEX sessions_last_used ON sessions (last_used_at);

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_sessions_update AFTER UPDATE OF user_id, token_hash, expires_at, rotated_at, revoked_at ON sessions BEGIN
  UPDATE access_version SET n = n + 1;
END;
CREATE TRIGGER access_sessions_delete AFTER DELETE ON sessions BEGIN UPDATE access_version SET n = n + 1; END;

CREATE TABLE recovery_codes (
  -- Codes that sign in once in place of the second factor's digits. New codes replace all codes of the user.

  user_id INTEGER NOT NULL REFERENCES users (id),
  -- SHA-256 of the code, which has 140 random bits.
  code_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- When it was used up; NULL for a code that still works.
  used_at INTEGER,
  PRIMARY KEY (user_id, code_hash)
) STRICT;

CREATE TABLE passkeys (
  -- A passkey (WebAuthn credential) that is a second factor of an account. Registration writes it, each use its counter,
  -- the owner its name.

  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- The id that the authenticator gave to the credential, in base64url.
  credential_id TEXT NOT NULL UNIQUE,
  -- Public key and state of the credential, as JSON of webauthn-rs. It holds no secret: the private key never leaves the
  -- authenticator.
  credential TEXT NOT NULL,
  -- Signature counter of the last use; 0 before the first one and for authenticators that do not count. A counter that
  -- does not grow reveals a copy.
  last_counter INTEGER NOT NULL DEFAULT 0,
  -- Chosen by the user, such as 'Work laptop'.
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX passkeys_user ON passkeys (user_id);

-- Changes of permissions or sessions increase access_version.
CREATE TRIGGER access_passkeys_insert AFTER INSERT ON passkeys BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_passkeys_delete AFTER DELETE ON passkeys BEGIN UPDATE access_version SET n = n + 1; END;

CREATE TABLE authenticator_enrolments (
  -- A secret that waits for the first code of an authenticator app. Sign-in does not require it. It waits for fifteen
  -- minutes, in the session that began it; a newer one of the account replaces it. The cleanup deletes expired rows.

  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
  -- The sign-in that began it, as in sessions.
  family_id TEXT NOT NULL,
  -- Encrypted with the panel's secret key.
  secret BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX authenticator_enrolments_expires ON authenticator_enrolments (expires_at);

CREATE TABLE passkey_ceremonies (
  -- A challenge that waits for a passkey's response. It works once, for five minutes, for one account, purpose and session.
  -- The cleanup deletes expired rows.

  -- SHA-256 of the token that the client returns with the response.
  token_hash BLOB NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('register', 'sign_in', 'confirm')),
  -- The sign-in that began it, as in sessions; NULL for a sign-in that waits for its second factor.
  family_id TEXT,
  -- State with which the server checks the response, as JSON of webauthn-rs. It never leaves the server.
  state TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_ceremonies_user ON passkey_ceremonies (user_id);
CREATE INDEX passkey_ceremonies_expires ON passkey_ceremonies (expires_at);

CREATE TABLE handoff_codes (
  -- A code by which `panelctl open` signs a browser in. It works once, for a minute, and while the sign-in that made it
  -- lasts. The cleanup deletes expired rows.

  -- SHA-256 of the code.
  code_hash BLOB NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id),
  -- The sign-in that made it, as in sessions.
  family_id TEXT NOT NULL,
  -- When the user of that sign-in authenticated, and when the session that made the code was confirmed: what the code
  -- begins lasts as long as that sign-in, and is confirmed no more than its maker was.
  signed_in_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX handoff_codes_expires ON handoff_codes (expires_at);

CREATE TABLE erasures (
  -- An erasure of a customer's personal data that is not done yet. The request writes it, the worker of
  -- operations::personal_data moves it ahead in the transaction of each batch and deletes it at the end, with the e-mail
  -- address.

  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
  -- The former e-mail address, by which mails of the outbox are found.
  email TEXT NOT NULL,
  -- The table whose records are erased next.
  step TEXT NOT NULL,
  -- Id of the last erased record of that table, or of the last parent of its records; 0 for none.
  last_id INTEGER NOT NULL,
  -- If that parent has more records than a batch: id of the last erased record; 0 if all are erased.
  last_record_id INTEGER NOT NULL DEFAULT 0,
  requested_at INTEGER NOT NULL
) STRICT;

CREATE TABLE account_links (
  -- A link that is emailed to a member of staff and lets them set a password once: after they forgot theirs, or with an
  -- invitation. A user has at most one of each purpose; a newer one replaces it. The row is deleted when the link is used or
  -- withdrawn, when the account is deactivated and when its password changes. Retention deletes it a month after its end.

  user_id INTEGER NOT NULL REFERENCES users (id),
  purpose TEXT NOT NULL CHECK (purpose IN ('password_reset', 'invitation')),
  -- SHA-256 of the token, which is created when the email is sent; NULL until then.
  token_hash BLOB UNIQUE,
  -- The recipient of the email. The link is valid while this is the address of the user.
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, purpose)
) STRICT;
CREATE INDEX account_links_expires ON account_links (expires_at);

CREATE TABLE login_throttle (
  -- Failed checks of passwords and second factors by account and network and by account alone, and attempts by address.
  -- It is in the database so that all processes share it and it survives a restart. The cleanup deletes old rows.

  -- What is counted: the purpose of the secret ('login', 'confirm_password', …) with an account, with or without a
  -- network, or an address; or an entry of the audit trail that its window allows once ('trace|…').
  key TEXT NOT NULL PRIMARY KEY,
  -- The address of the account that the secret was tried for, whether there is one or not; the erasure of an account
  -- finds its rows by it.
  email TEXT,
  -- The user that an entry of the audit trail is about, for the same.
  user_id INTEGER,
  -- Failures, or attempts, since the window began. A failure is counted before the check and subtracted when the
  -- secret is correct.
  failures INTEGER NOT NULL,
  window_started_at INTEGER NOT NULL,
  -- Sign-in is rejected until this time; 0 if it is not blocked.
  blocked_until INTEGER NOT NULL
) STRICT;
CREATE INDEX login_throttle_window ON login_throttle (window_started_at);
CREATE INDEX login_throttle_email ON login_throttle (email);
CREATE INDEX login_throttle_user ON login_throttle (user_id);

CREATE TABLE user_login_networks (
  -- A network that an account signed in from within the last 30 days. Failed sign-ins from elsewhere never slow it
  -- down there. Sign-in writes it, the cleanup deletes old rows.

  user_id INTEGER NOT NULL REFERENCES users (id),
  -- Such as '203.0.113.0/24' or '2001:db8:1:2::/64'.
  network TEXT NOT NULL,
  last_used_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, network)
) STRICT;
CREATE INDEX usual_networks_last_used ON user_login_networks (last_used_at);

CREATE TABLE api_keys (
  -- The key of a customer to the reseller API: one per customer. Staff, or the creation of an account by another
  -- panel, write it.

  user_id INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
  -- SHA-256 of the key; the key itself is shown once and not stored.
  key_hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- Written once a minute at most.
  last_used_at INTEGER,
  last_used_ip TEXT
) STRICT;
