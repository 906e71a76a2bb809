// Samples are whole programs in each language, made of the one example of an operation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "../../api/api.ts";
import { chaptersOf } from "./operations.ts";
import { samplesOf } from "./samples.ts";

const operations = chaptersOf(routes).flatMap((chapter) => chapter.operations);

const sampleOf = (path: string, language: string) => {
  const operation = operations.find((one) => one.path === path) ?? assert.fail(path);
  return samplesOf(operation, "https://sms.example").find((one) => one.language === language)?.text;
};

test("a sample makes a client with the credentials of the example, calls the operation and prints its answer", () => {
  assert.equal(
    sampleOf("/v1/contact/{id}/update", "typescript"),
    `import { Atumpan } from "@atumpan/client";

const client = new Atumpan({
  baseUrl: "https://sms.example",
  apiKey: "<apiKey>",
  companyId: "<companyId>",
});

const answer = await client.contact.update({
  id: "<contactId>",
  firstName: "Awa",
  lastName: "Koné",
  sex: "F",
});
console.log(answer);
`,
  );
  assert.equal(
    sampleOf("/v1/credit/balance", "python"),
    `from atumpan import Atumpan

client = Atumpan(
    baseUrl="https://sms.example",
    apiKey="<apiKey>",
    companyId="<companyId>",
)

answer = client.credit.balance()
print(answer)
`,
  );
  assert.equal(
    sampleOf("/v1/contact/import/list", "php"),
    `<?php
require 'vendor/autoload.php';

$client = new Atumpan\\Atumpan([
    'baseUrl' => 'https://sms.example',
    'apiKey' => '<apiKey>',
    'companyId' => '<companyId>',
]);

$page = $client->contact->import->list();
print_r([$page->totalCount, $page->data]);
`,
  );
});

test("a word of Python names no attribute and no keyword argument", () => {
  assert.match(sampleOf("/v1/contact/import/begin", "python")!, /client\.contact\.import_\.begin\(/);
  assert.match(
    sampleOf("/v1/admin/simulator/reply", "python")!,
    /client\.admin\.simulator\.reply\(\n? *\{\s*"from": "2250102030405"/,
  );
});

test("every operation has a sample in each language, with the marks of its example and no others", () => {
  const marksOf = (text: string) => [...new Set(text.match(/<[a-z]\w*>/g))].sort();
  for (const operation of operations) {
    const samples = samplesOf(operation, "https://sms.example");
    assert.deepEqual(
      samples.map(({ language }) => language),
      ["curl", "typescript", "php", "python"],
    );
    const { path, body } = operation.example;
    const marks = marksOf(path + JSON.stringify(body));
    for (const { text, title } of samples) {
      assert.deepEqual(marksOf(text), marks, `${operation.id} in ${title}`);
    }
  }
});
