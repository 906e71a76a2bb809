// The dry run of an operator over HTTP: the request that would be sent, and what a pasted answer would mean.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, field, form, linkButton, textArea } from "../parts/forms.ts";
import { actions, copyable, notice, section, type Tone } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { numberField } from "./admin.ts";
import { bindError } from "./binderrors.ts";
import { readOperator } from "./operatorstate.ts";

/** The most that the API evaluates of an answer is 64 KiB; a form writes some characters as three. */
const FORM_BYTES = 256 * 1024;
const ANSWER_CHARACTERS_AT_MOST = 65_536;

export function addAdminOperatorDryRun(screens: Screens): void {
  screens.pageAndForm("/admin/operators/:id/dry-run", newDryRun, dryRun, { bodyBytes: FORM_BYTES });
}

type DryRun = Data<"/v1/admin/operator/{id}/dry-run">;
type Rendered = DryRun["requests"][number];

/** Renders the form of a dry run. */
export function dryRunForm(visit: Visit, id: string): Html {
  const isOpen = ["status", "headers", "body"].some((name) => visit.field(name) !== "");
  return form(visit, `/admin/operators/${id}/dry-run`, [
    field(visit, "phone", visit.t("Numéro de téléphone", "Phone number"), {
      attributes: html`class="short" inputmode="tel" autocomplete="tel" maxlength="30"`,
      type: "tel",
    }),
    textArea(visit, "text", visit.t("Texte", "Text"), {
      isOptional: true,
      attributes: html`maxlength="2000"`,
      rows: 2,
    }),
    html`<details${isOpen && html` open`}><summary>${visit.t("Interpréter une réponse du fournisseur", "Interpret a response of the provider")}</summary><div class="stack">${field(
      visit,
      "status",
      visit.t("Statut HTTP", "HTTP status"),
      {
        hint: visit.t("Par exemple 201.", "For example 201."),
        isOptional: "silent",
        attributes: html`class="short" inputmode="numeric" maxlength="3"`,
      },
    )}${textArea(visit, "headers", visit.t("En-têtes de la réponse", "Headers of the response"), {
      hint: visit.t("Un par ligne, par exemple Retry-After: 5.", "One a line, such as Retry-After: 5."),
      isOptional: "silent",
      attributes: html`class="code" maxlength="4000" spellcheck="false"`,
      rows: 2,
    })}${textArea(visit, "body", visit.t("Corps de la réponse", "Body of the response"), {
      hint: visit.t("Collez-le tel que le fournisseur l’a donné.", "Paste it as the provider gave it."),
      isOptional: "silent",
      attributes: html`class="code" maxlength="${ANSWER_CHARACTERS_AT_MOST}" spellcheck="false"`,
      rows: 6,
    })}</div></details>`,
    button(visit.t("Essayer à blanc", "Try without sending"), "second"),
  ]);
}

async function newDryRun(visit: Visit): Promise<View | Redirect> {
  return view(visit);
}

async function view(visit: Visit, result?: DryRun): Promise<View | Redirect> {
  const { id, name, kind, enabled } = await readOperator(visit);
  if (kind !== "http") return new Redirect(`/admin/operators/${id}`);
  return {
    title: visit.t(`Essai à blanc de ${name}`, `Dry run of ${name}`),
    narrow: true,
    back: { href: `/admin/operators/${id}/setup`, text: name },
    islands: ["copy"],
    body: html`${result && resultPart(visit, result)}
${section(visit.t("Essai à blanc", "Dry run"), [dryRunForm(visit, id)])}
${!enabled && actions([linkButton(`/admin/operators/${id}/setup`, visit.t("Mettre en service", "Put into service"))])}`,
  };
}

async function dryRun(visit: Visit): Promise<View | Redirect> {
  const [id, phone, text] = [visit.id, visit.field("phone"), visit.field("text").trim()];
  const [status, body] = [numberField(visit, "status"), visit.field("body")];
  const headers = headersIn(visit.field("headers"));
  if (headers === undefined)
    return view(
      visit.wrong(
        visit.t("Écrivez un en-tête par ligne : Nom: valeur.", "Write a header a line: Name: value."),
        "headers",
      ),
    );
  if (status === undefined && (body.trim() !== "" || Object.keys(headers).length > 0))
    return view(
      visit.wrong(visit.t("Indiquez aussi le statut HTTP.", "Enter the HTTP status too."), "status"),
    );
  const answer = await visit.attempt(
    visit.callAsAdmin("/v1/admin/operator/{id}/dry-run", {
      ...{ id, phone },
      ...(text && { text }),
      ...(status !== undefined && { response: { status, headers, body } }),
    }),
    { "response.status": "status", "response.headers": "headers", "response.body": "body" },
  );
  return answer instanceof Problem ? view(visit.with(answer)) : view(visit, answer.data);
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/;

/** Returns pasted headers by their names; undefined if a line is none. A first line with the status is left out. */
function headersIn(text: string): Record<string, string> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^HTTP\/[\d.]+ /.test(line));
  const headers = lines.map((line) => HEADER.exec(line.trim()));
  if (headers.includes(null)) return undefined;
  return Object.fromEntries(headers.map((found) => [found?.[1] ?? "", found?.[2]?.trim() ?? ""]));
}

function resultPart(visit: Visit, { requests, outcome, statusQuery }: DryRun): Html {
  const title = (at: number) =>
    requests.length === 1
      ? visit.t("Requête qui serait envoyée", "Request that would be sent")
      : visit.t(`Requête ${at + 1} sur ${requests.length}`, `Request ${at + 1} of ${requests.length}`);
  const shown = (name: string, request: Rendered) => section(name, copyable(requestText(request), name));
  const query = visit.t("Requête qui demanderait l’état du message", "Request for the state of the message");
  return html`${outcome && outcomePart(visit, outcome)}
${requests.map((request, at) => shown(title(at), request))}
${statusQuery && shown(query, statusQuery)}`;
}

/** The request as HTTP/1.1 writes it, with its body made readable. */
function requestText({ method, url, headers, body }: Rendered): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, ...(body === null ? [] : ["", readable(body)])].join("\n");
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return /^[^\s<]+=/.test(body) ? body.replaceAll("&", "\n&") : body;
  }
}

function outcomePart(visit: Visit, { is, id, code, waitMs }: NonNullable<DryRun["outcome"]>): Html {
  const seconds = Math.ceil((waitMs ?? 0) / 1_000);
  const tones: Readonly<Record<typeof is, Tone>> = {
    accepted: "good",
    throttled: "wait",
    temporary: "wait",
    permanent: "wrong",
    unserved: "wrong",
    account: "wrong",
    unknown: "wait",
  };
  const sentences: Readonly<Record<typeof is, string>> = {
    accepted: visit.t("Le fournisseur a accepté le message.", "The provider accepted the message."),
    throttled: visit.t(
      `Trop de messages à la fois : celui-ci est renvoyé après ${visit.formats.count(seconds, "seconde", "secondes")}.`,
      `Too many messages at once: this one is sent again after ${visit.formats.count(seconds, "second", "seconds")}.`,
    ),
    temporary: visit.t(
      "Le fournisseur ne peut pas accepter le message pour l’instant : il est renvoyé plus tard.",
      "The provider cannot accept the message right now: it is sent again later.",
    ),
    permanent: visit.t(
      "Le fournisseur refuse ce message pour de bon : il échoue, et ses crédits sont rendus.",
      "The provider refuses this message for good: it fails, and its credits are refunded.",
    ),
    unserved: visit.t(
      "Le fournisseur ne dessert pas ce numéro : le message passe à l’opérateur suivant ; s’il n’y en a pas, il échoue et ses crédits sont rendus.",
      "The provider does not serve this number: the message goes to the next operator; if there is none, it fails and its credits are refunded.",
    ),
    account: visit.t(
      "Le fournisseur refuse notre compte : l’opérateur est suspendu, et ses messages passent à l’opérateur suivant.",
      "The provider refuses our account: the operator is suspended, and its messages go to the next operator.",
    ),
    unknown: visit.t(
      "Cette réponse ne dit pas si le message a été accepté. Il attend un accusé de réception, puis est renvoyé une fois, sauf un code à usage unique.",
      "This response does not say whether the message was accepted. It waits for a receipt and is then sent once more, unless it is a one-time password.",
    ),
  };
  const more =
    is === "account" && code !== null
      ? bindError(visit, code)
      : code !== null && html`<p>${visit.t("Code :", "Code:")} <code>${code}</code></p>`;
  return notice(
    tones[is],
    [
      html`<p>${sentences[is]}</p>`,
      is === "accepted" &&
        id !== null &&
        html`<p>${id === "" ? visit.t("La réponse ne donne pas d’identifiant : un accusé de réception ne pourrait pas être rattaché.", "The response gives no ID: a receipt could not be matched.") : html`${visit.t("Identifiant :", "ID:")} <code>${id}</code>`}</p>`,
      more,
    ],
    visit.t("Sens de cette réponse", "Meaning of this response"),
  );
}
