-- The operator that accepted parts of a text: another one sends the text whole.
ALTER TABLE message_queue ADD COLUMN accepted_by text;
