-- What is written of payment methods, quests and grades in languages stands where it stands for everything else. The
-- English name is the record's own.
INSERT INTO translations (owner_type, owner_id, locale, field, value)
  SELECT 'payment_method', r.id, l.key, f.key, replace(replace(f.value, chr(30), ''), chr(31), '')
  FROM payment_methods r, jsonb_each(CAST(r.translations AS JSONB)) l, jsonb_each_text(l.value) f WHERE trim(f.value) <> '';
INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'payment_method', id, 'en', 'name', name FROM payment_methods WHERE TRUE
  ON CONFLICT (owner_type, owner_id, locale, field) DO UPDATE SET value = excluded.value;
ALTER TABLE payment_methods DROP COLUMN translations;
INSERT INTO translations (owner_type, owner_id, locale, field, value)
  SELECT 'free_trial_quest', r.id, l.key, f.key, replace(replace(f.value, chr(30), ''), chr(31), '')
  FROM free_trial_quests r, jsonb_each(CAST(r.translations AS JSONB)) l, jsonb_each_text(l.value) f WHERE trim(f.value) <> '';
INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'free_trial_quest', id, 'en', 'name', name FROM free_trial_quests WHERE TRUE
  ON CONFLICT (owner_type, owner_id, locale, field) DO UPDATE SET value = excluded.value;
ALTER TABLE free_trial_quests DROP COLUMN translations;
INSERT INTO translations (owner_type, owner_id, locale, field, value)
  SELECT 'grade', r.id, l.key, f.key, replace(replace(f.value, chr(30), ''), chr(31), '')
  FROM grades r, jsonb_each(CAST(r.translations AS JSONB)) l, jsonb_each_text(l.value) f WHERE trim(f.value) <> '';
INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'grade', id, 'en', 'name', name FROM grades WHERE TRUE
  ON CONFLICT (owner_type, owner_id, locale, field) DO UPDATE SET value = excluded.value;
ALTER TABLE grades DROP COLUMN translations;
