// The queries of the filtered list of campaigns.

import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { type CampaignRow, pageOf, SEND } from "./sql.ts";

/** The same status as `statusOf` computes from a row. */
const STATUS = `CASE WHEN campaign.canceled_at IS NOT NULL THEN 'CANCELED'
    WHEN campaign.type = 'RECURRING' THEN CASE WHEN campaign.paused_at IS NULL THEN 'ACTIVE' ELSE 'FAILED' END
    WHEN campaign.failure IS NOT NULL THEN 'FAILED'
    WHEN campaign.next_at IS NOT NULL THEN 'PENDING'
    WHEN coalesce(send.sent + send.failed, (alone.status IS NOT NULL)::int) = 0 THEN 'PENDING'
    WHEN coalesce(send.sent + send.failed, 1) < coalesce(send.total, campaign.contact_count) THEN 'SENDING'
    WHEN coalesce(send.sent > 0, alone.sent_at IS NOT NULL) THEN 'SENT' ELSE 'FAILED' END`;

/** The newest campaigns of a company in a range of ids; those that run later have their own index. */
function looked(columns: string, isLater: boolean): string {
  return `(SELECT ${columns} FROM campaigns WHERE company_id = $companyId AND id >= $fromId AND id < $beforeId ${isLater ? "AND type <> 'SMS'" : ""}
     ORDER BY company_id DESC, id DESC LIMIT $most) AS campaign`;
}

/** Lower case without French accents. A database without a locale only changes the case of ASCII letters. */
const folded = (text: string) =>
  `lower(translate(${text}, 'ÀÂÄÇÉÈÊËÎÏÔÖÙÛÜŸàâäçéèêëîïôöùûüÿ', 'aaaceeeeiioouuuyaaaceeeeiioouuuy'))`;

const NAME_FITS = `position(${folded("$search")} IN ${folded("coalesce(campaign.name, '')")}) > 0`;
const FITS = `($type::text IS NULL OR campaign.type = $type) AND ($search::text IS NULL OR ${NAME_FITS})`;

/** The filters of a search, by what they have to read. */
const FOUND = {
  /** By time only: all campaigns in it, by the index alone. */
  ofTime: (isLater: boolean) => looked("id", isLater),
  /** Also by type and part of the name; null matches any. */
  named: (isLater: boolean) => `${looked("id, type, name", isLater)} WHERE ${FITS}`,
  /** Also by status. */
  inStatus: (isLater: boolean) => `${looked("*", isLater)} ${SEND} WHERE ${FITS} AND ${STATUS} = $status`,
};

/** What is searched: at most so many campaigns of a range of ids, from the first to before the second. */
type Wanted = {
  companyId: string;
  fromId: string;
  beforeId: string;
  most: number;
  type: string | null;
  search: string | null;
  status: string | null;
};

function searchBy(filter: keyof typeof FOUND, isLater: boolean) {
  const found = FOUND[filter](isLater);
  const name = `${filter}${isLater ? ".later" : ""}`;
  return {
    count: query<Counted, Wanted>(`campaigns.countFound.${name}`, `SELECT count(*) AS count FROM ${found}`),
    ...pagedQuery<CampaignRow, Wanted>(
      `campaigns.listFound.${name}`,
      ["campaign.id"],
      ({ direction, seek, page }) => {
        const where = filter === "ofTime" ? "WHERE" : "AND";
        return pageOf(`SELECT campaign.id FROM ${found} ${where} ${seek} ${page}`, direction);
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
