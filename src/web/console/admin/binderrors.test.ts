// Why an operator takes no messages, in sentences.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bindError } from "./binderrors.ts";

const said = (error: string) => bindError({ t: (_fr, en) => en }, error).text;

test("an error with a cause has a sentence for each, and its code", () => {
  const refused = said("no-token:ECONNREFUSED");
  assert.match(refused, /no access token right now.*No server is listening.*>no-token:ECONNREFUSED</);
  assert.match(said("carrier-down:http-503"), /provider is down.*HTTP status 503\..*>carrier-down:http-503</);
  assert.equal(said("ESME_UNHEARD_OF"), "<p>ESME_UNHEARD_OF</p>");
});

test("the text of OpenSSL is not shown beside a sentence of ours", () => {
  const raw =
    "the operator does not speak TLS at this port (ERR_SSL_WRONG_VERSION_NUMBER: 40D7:error:0A00010B:SSL routines:wrong version number:../deps/openssl:354:)";
  const shown = said(raw);
  assert.match(shown, /does not use TLS on this port\..*>ERR_SSL_WRONG_VERSION_NUMBER</);
  assert.doesNotMatch(shown, /routines|deps/);
});
