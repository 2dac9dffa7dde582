-- The lists that were still counted on each request: members of staff (a mark on users, kept by triggers), payment methods,
-- quests and grades.

ALTER TABLE users ADD COLUMN is_staff INTEGER NOT NULL DEFAULT 0 CHECK (is_staff IN (0, 1));
UPDATE users SET is_staff = 1 WHERE id IN (SELECT user_id FROM user_roles UNION SELECT user_id FROM user_permissions);
CREATE INDEX users_staff ON users (id) WHERE is_staff = TRUE;

CREATE TRIGGER staff_user_roles_insert AFTER INSERT ON user_roles BEGIN
  UPDATE users SET is_staff = 1 WHERE id = new.user_id AND NOT is_staff;
END;
CREATE TRIGGER staff_user_roles_delete AFTER DELETE ON user_roles BEGIN
  UPDATE users SET is_staff = 0 WHERE id = old.user_id AND is_staff
    AND NOT EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = old.user_id) AND NOT EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = old.user_id);
END;
CREATE TRIGGER staff_user_permissions_insert AFTER INSERT ON user_permissions BEGIN
  UPDATE users SET is_staff = 1 WHERE id = new.user_id AND NOT is_staff;
END;
CREATE TRIGGER staff_user_permissions_delete AFTER DELETE ON user_permissions BEGIN
  UPDATE users SET is_staff = 0 WHERE id = old.user_id AND is_staff
    AND NOT EXISTS (SELECT 1 FROM user_roles r WHERE r.user_id = old.user_id) AND NOT EXISTS (SELECT 1 FROM user_permissions p WHERE p.user_id = old.user_id);
END;

CREATE TRIGGER count_users_staff AFTER UPDATE OF is_staff ON users WHEN old.is_staff <> new.is_staff BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', 'staff', -1, new.is_staff - old.is_staff UNION ALL SELECT 'users', 'staff', new.id / 8192, new.is_staff - old.is_staff) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_staff_insert AFTER INSERT ON users WHEN new.is_staff BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', 'staff', -1, 1 UNION ALL SELECT 'users', 'staff', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_users_staff_delete AFTER DELETE ON users WHEN old.is_staff BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'users', 'staff', -1, -1 UNION ALL SELECT 'users', 'staff', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_payment_methods_insert AFTER INSERT ON payment_methods BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'payment_methods', '', -1, 1 UNION ALL SELECT 'payment_methods', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_payment_methods_delete AFTER DELETE ON payment_methods BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'payment_methods', '', -1, -1 UNION ALL SELECT 'payment_methods', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trial_quests_insert AFTER INSERT ON free_trial_quests BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'free_trial_quests', '', -1, 1 UNION ALL SELECT 'free_trial_quests', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_free_trial_quests_delete AFTER DELETE ON free_trial_quests BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'free_trial_quests', '', -1, -1 UNION ALL SELECT 'free_trial_quests', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_grades_insert AFTER INSERT ON grades BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'grades', '', -1, 1 UNION ALL SELECT 'grades', '', new.id / 8192, 1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER count_grades_delete AFTER DELETE ON grades BEGIN
  INSERT INTO row_counts (tbl, grp, block, n) SELECT * FROM (SELECT 'grades', '', -1, -1 UNION ALL SELECT 'grades', '', old.id / 8192, -1) WHERE TRUE
    ON CONFLICT (tbl, grp, block) DO UPDATE SET n = n + excluded.n;
END;

INSERT INTO row_counts (tbl, grp, block, n)
  SELECT 'users', 'staff', id / 8192, count(*) FROM users WHERE is_staff = TRUE GROUP BY id / 8192
  UNION ALL SELECT 'payment_methods', '', id / 8192, count(*) FROM payment_methods GROUP BY id / 8192
  UNION ALL SELECT 'free_trial_quests', '', id / 8192, count(*) FROM free_trial_quests GROUP BY id / 8192
  UNION ALL SELECT 'grades', '', id / 8192, count(*) FROM grades GROUP BY id / 8192;
INSERT INTO row_counts (tbl, grp, block, n)
  SELECT tbl, grp, -1, sum(n) FROM row_counts WHERE (tbl = 'users' AND grp = 'staff') OR tbl IN ('payment_methods', 'free_trial_quests', 'grades') GROUP BY tbl, grp;
