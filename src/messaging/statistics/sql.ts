// The queries of statistics: the names of operators, and the country of a company.
import { query } from "../../platform/database/query.ts";

export const listNames = query<{ id: string; name: string }>(
  "statistics.listNames",
  "SELECT id, name FROM operators WHERE id = ANY($1::text[])",
);

export const findCountry = query<{ country: string }>(
  "statistics.findCountry",
  "SELECT country FROM companies WHERE id = $1",
);
