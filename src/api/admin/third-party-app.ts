// The URLs of /v1/admin/third-party-app.
import { Type } from "typebox";
import * as notings from "../../commerce/apps/notings.ts";
import * as review from "../../commerce/apps/review.ts";
import {
  APPLICATION_STATUSES,
  Application,
  applicationMeanings,
  ReviewedApplication,
} from "../../commerce/apps/shapes.ts";
import { stopSoon } from "../../commerce/apps/stops.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import { type Route, route } from "../../platform/http/routes.ts";
import { Reason } from "../../platform/http/schemas.ts";

export const listReviewed = listRoute("/v1/admin/third-party-app/list", {
  title: { fr: "Lister toutes les applications", en: "List all applications" },
  says: {
    fr: "Liste les applications de tous les propriétaires.",
    en: "Lists the applications of all owners.",
  },
  body: {
    ...inOrder("desc"),
    ...amongIds("application"),
    status: Type.Optional(Type.Enum([...APPLICATION_STATUSES])),
  },
  caller: adminWho("read"),
  rows: ReviewedApplication,
  list: (app, _caller, wanted) => review.listReviewedApplications(app, wanted),
});

export const readForReview = route("/v1/admin/third-party-app/{id}", {
  title: { fr: "Lire une application", en: "Read an application" },
  says: {
    fr: "Renvoie une application et, le cas échéant, la marque à laquelle elle ressemble.",
    en: "Returns an application and, if there is one, the brand that it resembles.",
  },
  body: oneId("application"),
  reads: true,
  caller: adminWho("read"),
  answers: ReviewedApplication,
  refuses: ["app-not-found"],
  run: (app, _caller, { id }) => review.readApplicationForReview(app, id),
});

type Move = "approve" | "deactivate" | "reactivate";

function moveRoute<Which extends Move>(
  move: Which,
  words: Pick<Route, "title" | "says" | "refuses"> & { audit: Sentence },
) {
  return route(`/v1/admin/third-party-app/{id}/${move}`, {
    ...words,
    body: oneId("application"),
    caller: adminWho("review"),
    answers: Application,
    async run(app, caller, { id }) {
      const moved = await notings.reviewing(app, caller, id, (tx) =>
        review.moveApplication(tx, app, move, id),
      );
      if (move === "deactivate") stopSoon(app);
      announceEvents(app);
      return moved;
    },
  });
}

export const approve = moveRoute("approve", {
  title: { fr: "Approuver une application", en: "Approve an application" },
  says: {
    fr: "Approuve une application. Ses secrets sont créés et son propriétaire est prévenu.",
    en: "Approves an application. Its secrets are created and its owner is notified.",
  },
  refuses: ["app-not-found", "app-slug-taken", "conflict"],
  audit: { fr: "a approuvé une application", en: "approved an application" },
});

export const reject = route("/v1/admin/third-party-app/{id}/reject", {
  title: { fr: "Refuser une application", en: "Reject an application" },
  says: {
    fr: "Refuse une application. Le motif est communiqué à son propriétaire.",
    en: "Rejects an application. Its owner is notified of the reason.",
  },
  body: Type.Object({
    id: idOf("application"),
    rejectionReason: member(Reason, applicationMeanings.rejectionReason),
  }),
  caller: adminWho("review"),
  answers: Application,
  refuses: ["app-not-found", "conflict"],
  example: { rejectionReason: "Le nom est celui d’une banque." },
  audit: { fr: "a refusé une application", en: "rejected an application" },
  run: (app, caller, { id, rejectionReason }) =>
    notings.reviewing(app, caller, id, (tx) =>
      review.moveApplication(tx, app, "reject", id, rejectionReason),
    ),
});

export const deactivate = moveRoute("deactivate", {
  title: { fr: "Désactiver une application", en: "Deactivate an application" },
  says: {
    fr: "Désactive une application. Elle et ses connexions cessent de fonctionner immédiatement.",
    en: "Deactivates an application. The application and its connections stop working immediately.",
  },
  refuses: ["app-not-found", "conflict"],
  audit: { fr: "a désactivé une application", en: "deactivated an application" },
});

export const reactivate = moveRoute("reactivate", {
  title: { fr: "Réactiver une application", en: "Reactivate an application" },
  says: {
    fr: "Réactive une application, avec les mêmes secrets.",
    en: "Reactivates an application, with the same secrets.",
  },
  refuses: ["app-not-found", "conflict"],
  audit: { fr: "a réactivé une application", en: "reactivated an application" },
});
