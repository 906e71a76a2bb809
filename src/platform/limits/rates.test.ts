// Rates: a burst at once, then the rate, per key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf, Rates } from "./rates.ts";

test("a key may do its burst at once, then what the rate gives back, whatever others do", () => {
  const rates = new Rates({ perSecond: 2, burst: 3 });
  const taken = [0, 0, 0, 0].map(() => rates.take("a", 1_000));
  assert.deepEqual(taken, [0, 0, 0, 1]);
  assert.equal(rates.take("b", 1_000), 0);
  assert.equal(rates.take("a", 1_499), 1);
  assert.equal(rates.take("a", 1_500), 0);
  assert.equal(rates.take("a", 1_500), 1);
  assert.equal(new Rates({ perSecond: 0.1, burst: 0 }).take("a"), 10);
});

test("all IPv6 addresses of one /64 are one network", () => {
  assert.equal(networkOf("192.0.2.7"), "192.0.2.7");
  assert.equal(networkOf("::ffff:192.0.2.7"), "192.0.2.7");
  assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  assert.equal(networkOf("2001:db8:1:2::ffff"), networkOf("2001:db8:1:2:3:4:5:6"));
  assert.notEqual(networkOf("2001:db8:1:3::ffff"), networkOf("2001:db8:1:2::ffff"));
  assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  assert.equal(networkOf(""), "");
});

test("a quiet key never has more than its burst", () => {
  const rates = new Rates({ perSecond: 100, burst: 2 });
  rates.take("a", 0);
  assert.deepEqual(
    [0, 0, 0].map(() => rates.take("a", 1e9)),
    [0, 0, 1],
  );
});
