-- TLS to an operator beyond what every server shows: its private authority, the name in its certificate, and the
-- certificate by which it knows us, with its key, which is sealed.
ALTER TABLE operators ADD COLUMN tls_ca text, ADD COLUMN tls_server_name text, ADD COLUMN tls_cert text,
  ADD COLUMN sealed_tls_key text;
