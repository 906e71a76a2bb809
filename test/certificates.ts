// Certificates for tests of TLS. openssl makes them.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export type Certificate = { key: string; cert: string };

/**
 * Makes a certificate for these names, whose subject has this common name. The issuer signs it; without one it is
 * self-signed, and so may be an authority itself.
 */
export function certificateFor(names: string, commonName = "operator", issuer?: Certificate): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-tls-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", key, "-out", cert];
    const said = ["-nodes", "-days", "2", "-subj", `/CN=${commonName}`, "-addext", `subjectAltName=${names}`];
    execFileSync("openssl", ["req", "-x509", ...made, ...said, ...signedBy(folder, issuer)], {
      stdio: "ignore",
    });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes a self-signed certificate for these names that has expired. */
export function expiredCertificateFor(names: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-tls-"));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  try {
    // Only `openssl ca` of OpenSSL 3.0 takes dates from the past, and it wants a folder of an authority.
    writeFileSync(file("index"), "");
    writeFileSync(
      file("conf"),
      `[ca]\ndefault_ca=a\n[a]\ndatabase=${file("index")}\nnew_certs_dir=${folder}\nrand_serial=yes
default_md=sha256\npolicy=p\nx509_extensions=x\n[p]\ncommonName=supplied\n[x]\nsubjectAltName=${names}\n`,
    );
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", file("key"), "-nodes"];
    openssl("req", "-new", ...made, "-subj", "/CN=operator", "-out", file("csr"));
    const dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"];
    const signed = ["-selfsign", "-keyfile", file("key"), "-in", file("csr"), "-out", file("cert")];
    openssl("ca", "-batch", "-notext", "-config", file("conf"), ...signed, ...dates);
    return { key: readFileSync(file("key"), "utf8"), cert: readFileSync(file("cert"), "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function signedBy(folder: string, issuer: Certificate | undefined): string[] {
  if (issuer === undefined) return [];
  const [key, cert] = [join(folder, "issuer.key"), join(folder, "issuer.pem")];
  writeFileSync(key, issuer.key);
  writeFileSync(cert, issuer.cert);
  return ["-CA", cert, "-CAkey", key, "-addext", "basicConstraints=critical,CA:FALSE"];
}

export type CertificateFiles = { certFile: string; keyFile: string };

/** Files for a certificate, for the length of a test. */
export function certificateFiles(t: TestContext): CertificateFiles {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-tls-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
}

export function writeCertificate({ certFile, keyFile }: CertificateFiles, name: string): void {
  const { key, cert } = certificateFor(`DNS:${name}`, name);
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
}
