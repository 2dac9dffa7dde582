-- Quests: their texts by language.
ALTER TABLE free_trial_quests ADD COLUMN translations TEXT NOT NULL DEFAULT '{}';
