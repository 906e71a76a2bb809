// Examples of answers that have to fit in themselves, where the example of each member alone would not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "../../api/api.ts";
import { answerOf, chaptersOf } from "./operations.ts";

const operations = chaptersOf(routes).flatMap((chapter) => chapter.operations);

/** The data of the example of this path. */
function exampleOf(path: string) {
  return answerOf(operations.find((operation) => operation.path === path)!).data;
}

test("the example of a deletion that is done has deleted all contacts, and an approval is asked for no earlier than its campaign is created", () => {
  for (const path of ["/v1/contact/delete-many", "/v1/contact/delete-many/{id}"]) {
    const { status, total, deleted } = exampleOf(path) as Record<string, unknown>;
    assert.deepEqual([status, deleted], ["DONE", total], path);
  }
  const [awaiting] = exampleOf("/v1/campaign/approval/list") as Record<string, string>[];
  assert.ok(awaiting!.askedAt! >= awaiting!.createdAt!);
});
