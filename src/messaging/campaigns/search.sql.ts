// The queries of the filtered list of campaigns.

import { pagedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { type CampaignRow, pageOf, SEND } from "./sql.ts";

/** The same status as `statusOf` computes from a row. */
const STATUS = `CASE WHEN campaign.canceled_at IS NOT NULL THEN 'CANCELED'
    WHEN campaign.type = 'RECURRING' THEN CASE WHEN campaign.paused_at IS NULL THEN 'ACTIVE' ELSE 'FAILED' END
    WHEN campaign.failure IS NOT NULL THEN 'FAILED'
    WHEN campaign.next_at IS NOT NULL THEN 'PENDING'
    WHEN coalesce(send.sent + send.failed, (alone.status IS NOT NULL)::int) = 0 THEN 'PENDING'
    WHEN coalesce(send.sent + send.failed, 1) < coalesce(send.total, campaign.contact_count) THEN 'SENDING'
    WHEN coalesce(send.sent > 0, alone.sent_at IS NOT NULL) THEN 'SENT' ELSE 'FAILED' END`;

/** The newest $4 campaigns of a company with ids from $2 up to before $3; those that run later have their own index. */
function looked(columns: string, isLater: boolean): string {
  return `(SELECT ${columns} FROM campaigns WHERE company_id = $1 AND id >= $2 AND id < $3 ${isLater ? "AND type <> 'SMS'" : ""}
     ORDER BY company_id DESC, id DESC LIMIT $4) AS campaign`;
}

/** Lower case without French accents. A database without a locale only changes the case of ASCII letters. */
const folded = (text: string) =>
  `lower(translate(${text}, 'ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜŸàâäçéèêëîïôöùûüÿ', 'aaaceeeeiioouuuyaaaceeeeiioouuuy'))`;

const NAME_FITS = `position(${folded("$6")} IN ${folded("coalesce(campaign.name, '')")}) > 0`;
const FITS = `($5::text IS NULL OR campaign.type = $5) AND ($6::text IS NULL OR ${NAME_FITS})`;

/** The filters of a search, by what they have to read. */
const FOUND = {
  /** By time only: all campaigns in it, by the index alone. */
  ofTime: { of: (isLater: boolean) => looked("id", isLater), values: 4 },
  /** Also by type ($5) and part of the name ($6); null matches any. */
  named: { of: (isLater: boolean) => `${looked("id, type, name", isLater)} WHERE ${FITS}`, values: 6 },
  /** Also by status ($7). */
  inStatus: {
    of: (isLater: boolean) => `${looked("*", isLater)} ${SEND} WHERE ${FITS} AND ${STATUS} = $7`,
    values: 7,
  },
} as const;
export type Filter = keyof typeof FOUND;

function searchBy(filter: Filter, isLater: boolean) {
  const { of, values } = FOUND[filter];
  const name = `${filter}${isLater ? ".later" : ""}`;
  return {
    count: query<{ count: number }>(
      `campaigns.countFound.${name}`,
      `SELECT count(*) AS count FROM ${of(isLater)}`,
    ),
    ...pagedList<CampaignRow>(
      `campaigns.listFound.${name}`,
      { by: ["campaign.id"], at: values + 1 },
      ({ direction, seek, page }) => {
        const found = `${of(isLater)} ${filter === "ofTime" ? "WHERE" : "AND"} ${seek}`;
        return pageOf(`SELECT campaign.id FROM ${found} ${page}`, direction);
      },
    ),
  };
}

/** The queries by filter: among all campaigns of a company, or among those that run later. */
export const searches = {
  ofTime: { all: searchBy("ofTime", false) },
  named: { all: searchBy("named", false), later: searchBy("named", true) },
  inStatus: { all: searchBy("inStatus", false), later: searchBy("inStatus", true) },
} as const;
