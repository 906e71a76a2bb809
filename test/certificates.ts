// Certificates for tests of TLS, made by openssl.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Certificate = { key: string; cert: string };

/** A certificate that signs itself, for these names, of a subject with this common one. */
export function certificateFor(names: string, commonName = "operator"): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-tls-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", cert];
    const said = ["-nodes", "-days", "2", "-subj", `/CN=${commonName}`, "-addext", `subjectAltName=${names}`];
    execFileSync("openssl", ["req", "-x509", ...made, ...said], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
