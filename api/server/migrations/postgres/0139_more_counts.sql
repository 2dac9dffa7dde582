-- The lists that were still counted on each request: members of staff (a mark on users, kept by triggers), payment methods,
-- quests and grades.

ALTER TABLE users ADD COLUMN is_staff BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users SET is_staff = TRUE WHERE id IN (SELECT user_id FROM user_roles UNION SELECT user_id FROM user_permissions);
CREATE INDEX users_staff ON users (id) WHERE is_staff = TRUE;

CREATE FUNCTION mark_staff() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET is_staff = TRUE WHERE id = NEW.user_id AND NOT is_staff;
  RETURN NULL;
END $$;
CREATE FUNCTION unmark_staff() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET is_staff = FALSE WHERE id = OLD.user_id AND is_staff
    AND NOT EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = OLD.user_id) AND NOT EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = OLD.user_id);
  RETURN NULL;
END $$;
CREATE TRIGGER staff_user_roles_insert AFTER INSERT ON user_roles FOR EACH ROW EXECUTE FUNCTION mark_staff();
CREATE TRIGGER staff_user_roles_delete AFTER DELETE ON user_roles FOR EACH ROW EXECUTE FUNCTION unmark_staff();
CREATE TRIGGER staff_user_permissions_insert AFTER INSERT ON user_permissions FOR EACH ROW EXECUTE FUNCTION mark_staff();
CREATE TRIGGER staff_user_permissions_delete AFTER DELETE ON user_permissions FOR EACH ROW EXECUTE FUNCTION unmark_staff();

CREATE OR REPLACE FUNCTION count_users_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'users', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE), ('staff', r.is_staff)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION count_users_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'users', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE), (r.status, TRUE), ('staff', r.is_staff)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
-- Each charge updates a balance: a trigger of each row that moved costs nothing there, one of the statement did.
DROP TRIGGER count_users_update ON users;
CREATE OR REPLACE FUNCTION count_users_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'users', g.grp, b.block, sum(g.n)
    FROM (VALUES (OLD.status, OLD.id, -1), (NEW.status, NEW.id, 1), ('staff', NEW.id, NEW.is_staff::int - OLD.is_staff::int)) AS g (grp, id, n)
    CROSS JOIN LATERAL (VALUES (-1::bigint), (g.id / 8192)) AS b (block)
    GROUP BY g.grp, b.block HAVING sum(g.n) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_users_update AFTER UPDATE OF status, is_staff ON users FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.is_staff <> NEW.is_staff) EXECUTE FUNCTION count_users_update();
CREATE FUNCTION count_payment_methods_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'payment_methods', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_payment_methods_insert AFTER INSERT ON payment_methods REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_methods_insert();
CREATE FUNCTION count_payment_methods_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'payment_methods', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_payment_methods_delete AFTER DELETE ON payment_methods REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_payment_methods_delete();
CREATE FUNCTION count_free_trial_quests_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'free_trial_quests', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_free_trial_quests_insert AFTER INSERT ON free_trial_quests REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_free_trial_quests_insert();
CREATE FUNCTION count_free_trial_quests_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'free_trial_quests', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_free_trial_quests_delete AFTER DELETE ON free_trial_quests REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_free_trial_quests_delete();
CREATE FUNCTION count_grades_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'grades', g.grp, b.block, count(*) FROM new_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_grades_insert AFTER INSERT ON grades REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_grades_insert();
CREATE FUNCTION count_grades_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO row_count_deltas (tbl, grp, block, n)
    SELECT 'grades', g.grp, b.block, -count(*) FROM old_rows r
    CROSS JOIN LATERAL (VALUES ('', TRUE)) AS g (grp, counts) CROSS JOIN LATERAL (VALUES (-1::bigint), (r.id / 8192)) AS b (block)
    WHERE g.counts GROUP BY g.grp, b.block;
  RETURN NULL;
END $$;
CREATE TRIGGER count_grades_delete AFTER DELETE ON grades REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_grades_delete();

INSERT INTO row_counts (tbl, grp, block, n)
  SELECT 'users', 'staff', id / 8192, count(*) FROM users WHERE is_staff = TRUE GROUP BY id / 8192
  UNION ALL SELECT 'payment_methods', '', id / 8192, count(*) FROM payment_methods GROUP BY id / 8192
  UNION ALL SELECT 'free_trial_quests', '', id / 8192, count(*) FROM free_trial_quests GROUP BY id / 8192
  UNION ALL SELECT 'grades', '', id / 8192, count(*) FROM grades GROUP BY id / 8192;
INSERT INTO row_counts (tbl, grp, block, n)
  SELECT tbl, grp, -1, sum(n) FROM row_counts WHERE (tbl = 'users' AND grp = 'staff') OR tbl IN ('payment_methods', 'free_trial_quests', 'grades') GROUP BY tbl, grp;
