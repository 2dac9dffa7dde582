-- A slug is a part of an address: nobody else's. Records by their places, and texts by their owner.

CREATE UNIQUE INDEX service_types_slug ON service_types (slug) WHERE slug IS NOT NULL;
CREATE UNIQUE INDEX services_slug ON services (slug) WHERE slug IS NOT NULL;
CREATE INDEX service_labels_label ON service_labels (label_id);
