-- What operators differ in and only gateways read: the settings that were chosen. `operators/settings.ts` has the defaults
-- of the others, so a process of the version before can go on inserting rows.
ALTER TABLE operators ADD COLUMN settings jsonb NOT NULL DEFAULT '{}';
