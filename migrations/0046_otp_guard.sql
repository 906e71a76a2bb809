-- One-time passwords of all accounts together: how many one phone gets, and whose codes are verified too rarely.

-- Codes to sign in on our own pages count for neither.
CREATE INDEX otp_codes_in_all ON otp_codes (phone, created_at) WHERE user_id <> 'service';
