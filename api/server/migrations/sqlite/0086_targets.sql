-- Targets: what a service asks its customers beside the address. Their kinds are the panel's own and never change.

CREATE TABLE target_types (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK (name IN ('geotargeting', 'comment', 'keyword', 'seo_keyword', 'language')),
  title TEXT NOT NULL,
  selectable INTEGER NOT NULL CHECK (selectable IN (0, 1)),
  enabled_for_service INTEGER NOT NULL CHECK (enabled_for_service IN (0, 1)),
  view_type TEXT NOT NULL CHECK (view_type IN ('float_input', 'input', 'multiselect', 'number_input', 'select', 'textarea', 'url_input')),
  UNIQUE (name, view_type)
) STRICT;
INSERT INTO target_types (id, name, title, selectable, enabled_for_service, view_type) VALUES
  (1, 'geotargeting', 'Countries', TRUE, TRUE, 'multiselect'),
  (2, 'geotargeting', 'Country', TRUE, TRUE, 'select'),
  (3, 'comment', 'Comments', FALSE, TRUE, 'textarea'),
  (4, 'keyword', 'Keyword', FALSE, TRUE, 'input'),
  (5, 'keyword', 'Whole number', FALSE, TRUE, 'number_input'),
  (6, 'keyword', 'Decimal number', FALSE, TRUE, 'float_input'),
  (7, 'keyword', 'Address', FALSE, TRUE, 'url_input'),
  (8, 'seo_keyword', 'SEO keywords', FALSE, TRUE, 'textarea'),
  (9, 'language', 'Language', TRUE, TRUE, 'select'),
  (10, 'language', 'Languages', TRUE, TRUE, 'multiselect');

CREATE TABLE targets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  target_type_id INTEGER NOT NULL REFERENCES target_types (id),
  is_system INTEGER NOT NULL DEFAULT 0 CHECK (is_system IN (0, 1)),
  is_visible_default_values INTEGER NOT NULL DEFAULT 0 CHECK (is_visible_default_values IN (0, 1)),
  -- A list of texts as JSON, in their order.
  selectable_values TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE service_targets (
  service_id INTEGER NOT NULL REFERENCES services (id),
  target_id INTEGER NOT NULL REFERENCES targets (id),
  position INTEGER NOT NULL,
  attachment TEXT NOT NULL CHECK (attachment IN ('required', 'optional', 'fixed')),
  -- A list of texts as JSON, in their order.
  given_values TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (service_id, target_id)
) STRICT;
CREATE INDEX service_targets_target ON service_targets (target_id);

ALTER TABLE promotable_checker_groups ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX promotable_checker_groups_name ON promotable_checker_groups (name);
CREATE INDEX services_checker_group ON services (promotable_checker_group_id) WHERE promotable_checker_group_id IS NOT NULL;
