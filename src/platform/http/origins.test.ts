// Origins: ranges are read in one form, and an address is in them or not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithin, readNetworks } from "./origins.ts";
import { Refusal } from "./refusals.ts";

test("addresses and ranges have one form, each stands once", () => {
  const given = ["41.202.10.7", " 41.202.10.7/32", "10.1.2.3/8", "2001:db8::5/32", "2001:DB8:0::1", "::/0"];
  assert.deepEqual(readNetworks(given), [
    "41.202.10.7/32",
    "10.0.0.0/8",
    "2001:db8::/32",
    "2001:db8::1/128",
    "::/0",
  ]);
  assert.deepEqual(readNetworks(["::ffff:41.202.10.7", "::ffff:10.1.2.3/104"]), [
    "41.202.10.7/32",
    "10.0.0.0/8",
  ]);
  assert.deepEqual(readNetworks([]), []);
});

test("what is no address and no range is refused and named", () => {
  const wrong = [
    "10.1",
    "0x7f.1",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "fe80::1%eth0",
    "::/129",
    "Abidjan",
  ];
  for (const text of ["10.0.0.0/", ...wrong])
    assert.throws(
      () => readNetworks(["10.0.0.1", text]),
      (error) => error instanceof Refusal && error.details?.[0]?.field === "networks[1]",
      text,
    );
});

test("an address is in a range of its family, in both of its forms; without ranges any is", () => {
  const networks = readNetworks(["41.202.10.0/24", "2001:db8::/32"]);
  for (const ip of ["41.202.10.7", "::ffff:41.202.10.7", "2001:db8:1::9"])
    assert.ok(isWithin(networks, ip), ip);
  for (const ip of ["41.202.11.7", "::ffff:41.202.11.7", "2001:db9::1", "::29ca:a07", "unknown", ""])
    assert.ok(!isWithin(networks, ip), ip);
  assert.ok(isWithin([], "unknown"));
  assert.ok(!isWithin(readNetworks(["::/0"]), "41.202.10.7"));
});
