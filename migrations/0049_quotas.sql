-- What a company may have at most, where an administrator chose otherwise than the settings of the installation say.
ALTER TABLE companies ADD COLUMN quotas jsonb NOT NULL DEFAULT '{}';
