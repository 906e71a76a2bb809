-- Operators over HTTP: a built-in connector by its name, or a declaration of one's own, and the values of its fields.
ALTER TABLE operators
  ADD COLUMN kind text NOT NULL DEFAULT 'smpp' CHECK (kind IN ('smpp', 'http', 'phone')),
  -- The name of a built-in connector; null: the operator has a declaration, or speaks SMPP.
  ADD COLUMN connector text,
  ADD COLUMN declaration jsonb,
  -- The values of the fields that are no secrets, and, sealed, those that are.
  ADD COLUMN connector_fields jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN sealed_fields text,
  -- The secret in the path to which the carrier sends its receipts.
  ADD COLUMN sealed_callback text,
  ADD CONSTRAINT operators_connector_check
    CHECK (CASE WHEN kind = 'smpp' THEN connector IS NULL AND declaration IS NULL
                ELSE (connector IS NULL) <> (declaration IS NULL) AND sealed_callback IS NOT NULL END);
