-- Whoever changes settings holds this row, so that two editors come one after the other.
INSERT INTO settings (key, value, updated_at) VALUES ('settings_editor', 'null', 0) ON CONFLICT (key) DO NOTHING;
