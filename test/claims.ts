// Helpers for tests of claims: approved applications of people without an account, with the token of their link.
import { dataOf, newSlug } from "./applications.ts";
import { rows } from "./sending.ts";
import type { TestService } from "./testservice.ts";

/** An approved application of somebody without an account, with the token of its link. */
export async function claimable(here: TestService, more: { webhookUrl?: string } = {}) {
  const { id } = await dataOf(
    here.call("/v1/third-party-app/public-submit", {
      name: "Marché <Central>",
      slug: newSlug(),
      ownerEmail: "awa@example.ci",
      ownerPhone: "+225 07 00 00 00 00",
      ...more,
    }),
  );
  await dataOf(here.admin(`/v1/admin/third-party-app/${id}/approve`));
  // The link goes out by SMS and mail. Here the test makes its own, so that it depends on neither.
  const token = `lien-${id}`;
  const digest = here.app.secrets.digest("claimToken", token);
  await rows(here.app, `UPDATE apps SET claim_digest = $2 WHERE id = $1`, [id, digest]);
  return { id: id as string, token, path: `/claim/${token}` };
}
