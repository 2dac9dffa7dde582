-- The list of payment methods stands in their order: found in an index, not sorted on each request.
CREATE INDEX payment_methods_position ON payment_methods (position, id);
