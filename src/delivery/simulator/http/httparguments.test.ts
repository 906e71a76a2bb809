// The arguments of `npm run simulator -- --kind orange|mtn|africastalking|http`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "../arguments.ts";
import { httpOptionsOf } from "./httparguments.ts";

test("each kind has its own arguments beside the shared ones", () => {
  const shared = [
    "--kind",
    "orange",
    "--port",
    "0",
    "--fault",
    "cut=3",
    "--fault",
    "forged=2",
    "--window",
    "5",
  ];
  const own = ["--token-life", "2", "--units", "100", "--contract-ended", "--correlator", "client"];
  assert.partialDeepStrictEqual(httpOptionsOf("orange", [...shared, ...own]), {
    kind: "orange",
    port: 0,
    window: 5,
    faults: { cut: 3, forged: 2 },
    tokenLifeMs: 2_000,
    units: 100,
    contractEnded: true,
    correlator: "client",
  });
  const mtn = ["--api", "v2-migrated", "--vocabulary", "wire", "--duplicates", "reject"];
  assert.partialDeepStrictEqual(httpOptionsOf("mtn", mtn), {
    port: 8085,
    api: "v2-migrated",
    vocabulary: "wire",
    duplicates: "reject",
  });
  const paid = ["--units", "3", "--sender-id", "ATUMPAN", "--system-id", "shop"];
  assert.partialDeepStrictEqual(httpOptionsOf("africastalking", paid), {
    kind: "africastalking",
    systemId: "shop",
    units: 3,
    senderId: "ATUMPAN",
  });
  const signing = ["--sign-key", "k", "--sign-as", "sha1-base64-url-params", "--receipt-form", "get"];
  assert.partialDeepStrictEqual(httpOptionsOf("http", ["--idempotent", "--quiet-sink", ...signing]), {
    duplicates: "same",
    inbox: false,
    receipts: false,
    receiptForm: "get",
    signKey: "k",
    signature: { algorithm: "sha1", encoding: "base64", over: "url-params" },
  });
});

test("an argument that means nothing, or is of another kind, is refused", () => {
  for (const args of [
    ["--fault", "dropAfterAccept=3"],
    ["--fault", "cut=often"],
    ["--duplicates", "twice"],
    ["--tls-cert", "cert.pem"],
    ["--receipt-url", "here"],
    ["--sign-as", "md5"],
  ])
    assert.throws(() => httpOptionsOf("http", args), UsageError, args.join(" "));
  assert.throws(() => httpOptionsOf("mtn", ["--units", "5"]), /Unknown option '--units'/);
  assert.throws(() => httpOptionsOf("mtn", ["--api", "v1"]), UsageError);
});
