-- A sync asks which customers have a price of their own for a service.
CREATE INDEX user_services_service ON user_services (service_id);
