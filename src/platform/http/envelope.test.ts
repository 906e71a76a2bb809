// The envelope: answers are told in the caller's language and with their warnings.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerBeside, answerWarned, seal, sealRefusal, WARNINGS_AT_MOST } from "./envelope.ts";
import type { Warning } from "./fielderrors.ts";
import { BODY, Refusal } from "./refusals.ts";

const warning = (field: string): Warning => ({
  field,
  message: { fr: `${field} est rare`, en: `${field} is rare` },
});
const read = ({ text }: { text: string }) => JSON.parse(text);

test("an operation's warnings stand beside its data, in the language of the caller", () => {
  const answer = answerWarned({ id: "1" }, [warning("text")]);
  const envelope = { success: true, data: { id: "1" }, error: null };
  assert.deepEqual(read(seal(answer, { language: "en", warnings: [] })), {
    ...envelope,
    warnings: [{ field: "text", message: "text is rare" }],
  });
  assert.deepEqual(read(seal(answer, { language: "fr", warnings: [warning("sender")] })).warnings, [
    { field: "sender", message: "sender est rare" },
    { field: "text", message: "text est rare" },
  ]);
});

test("an answer without warnings has no member `warnings`", () => {
  const telling = { language: "fr", warnings: [] } as const;
  for (const result of [5, answerBeside(5, {}), answerWarned(5, [])])
    assert.equal(seal(result, telling).text, '{"success":true,"data":5,"error":null}');
  assert.equal(seal(undefined, telling).text, '{"success":true,"data":null,"error":null}');
});

test("many warnings are cut, and the last one says how many more there are", () => {
  const many = Array.from({ length: WARNINGS_AT_MOST + 2 }, (_, i) => warning(`contacts[${i}]`));
  for (const count of [WARNINGS_AT_MOST, WARNINGS_AT_MOST + 2]) {
    const { warnings } = read(seal(answerWarned(5, many.slice(0, count)), { language: "en", warnings: [] }));
    assert.equal(warnings.length, WARNINGS_AT_MOST);
    const last = { field: BODY, message: "3 more warnings are not shown" };
    if (count > WARNINGS_AT_MOST) assert.deepEqual(warnings.at(-1), last);
    else assert.equal(warnings.at(-1).field, `contacts[${count - 1}]`);
  }
});

test("a refusal carries the request's warnings where the request is at fault", () => {
  const telling = { language: "en", warnings: [warning("sender")] } as const;
  const detail = { field: "text", message: { fr: "est requis", en: "is required" } };
  const { details, warnings } = read(
    sealRefusal(new Refusal("invalid-request", { details: [detail] }), telling),
  );
  assert.deepEqual(details, [{ field: "text", message: "is required" }]);
  assert.deepEqual(warnings, [{ field: "sender", message: "sender is rare" }]);
  for (const code of ["not-authenticated", "not-found", "too-many-requests", "server-error"] as const)
    assert.equal("warnings" in read(sealRefusal(new Refusal(code), telling)), false, code);
});
