-- Côte d’Ivoire was the default country of the connector for Orange, which has none any more: Orange accepts messages
-- from the number of a wrong country and delivers none of them.
UPDATE operators SET connector_fields = connector_fields || '{"country": "+2250000"}'
WHERE connector = 'orange' AND coalesce(connector_fields->>'country', '') = ''
  AND coalesce(connector_fields->>'senderAddress', '') = '';
