// A phone as an operator: its form, its pairing by a QR code, and its state.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { phoneSteps } from "../../pages/phone.ts";
import type { Body, Data } from "../apiclient.ts";
import { button, form, formButton, linkButton } from "../parts/forms.ts";
import { actions, copyable, doneNotice, facts, notice, remark, section } from "../parts/parts.ts";
import { qrCode } from "../parts/qr.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";
import { bindError } from "./binderrors.ts";
import { bodyOf, changeActions, settingField } from "./operatorfields.ts";
import { essentials, type OperatorShown, refinements, type Setting, setting } from "./operatorsettings.ts";
import { operatorState, readOperator } from "./operatorstate.ts";

export function addAdminOperatorPhone(screens: Screens): void {
  screens.pageAndForm("/admin/operators/new/phone", (visit) => editPhone(visit), create);
  screens.pageAndForm(
    "/admin/operators/:id/phone",
    (visit) => setup(visit, undefined),
    async (visit) => setup(visit, (await visit.callAsAdmin("/v1/admin/operator/{id}/pair")).data),
  );
  screens.page("/admin/operators/:id/phone/live", live);
}

/** Returns the settings that a phone needs, and those that most phones leave at their defaults. */
function settingsOf(visit: Visit, isNew: boolean): { first: Setting[]; rest: Setting[] } {
  const t = visit.t.bind(visit);
  const common = (names: readonly Setting["name"][], all: readonly Setting[]) =>
    all.filter(({ name }) => names.includes(name));
  return {
    first: [
      ...common(["name", "prefixes"], essentials(visit, isNew)),
      setting("secondsPerMessage", "number", t("Secondes entre deux SMS", "Seconds between two SMS"), {
        hint: t(
          "Les réseaux bloquent une carte SIM trop rapide.",
          "Networks block a SIM card that is too fast.",
        ),
        first: "10",
      }),
      setting("dailyCap", "number", t("SMS par jour, au plus", "SMS a day, at most"), {
        hint: t(
          "Comptés de minuit à minuit (UTC). Ensuite, l’opérateur suivant prend le relais.",
          "Counted from midnight to midnight (UTC). After that, the next operator takes over.",
        ),
        first: "100",
      }),
      ...(isNew ? [] : common(["enabled"], essentials(visit, isNew))),
    ],
    rest: [
      setting("simNumber", "number", t("Carte SIM", "SIM card"), {
        hint: t(
          "1, 2 ou 3. Vide : celle que l’application choisit.",
          "1, 2 or 3. Empty: the one that the app chooses.",
        ),
      }),
      setting("phoneNumber", "text", t("Numéro de cette carte SIM", "Number of this SIM card"), {
        hint: t(
          "Avec l’indicatif du pays. Les réponses y arrivent si l’application ne connaît pas le numéro.",
          "With the country code. Replies arrive there if the app does not know the number.",
        ),
      }),
      ...common(["priority", "overflowAfterS", "window", "submitTimeoutS"], refinements(visit)),
    ],
  };
}

/** Renders the form of a new phone, or of one that changes. */
export function editPhone(visit: Visit, operator?: OperatorShown): View {
  const { first, rest } = settingsOf(visit, !operator);
  const fieldsOf = (settings: readonly Setting[]) =>
    settings.map((one) => settingField(visit, one, operator));
  const isAmongRest = rest.some(({ name }) => visit.problem?.isAt(name));
  return {
    title: operator?.name ?? visit.t("Téléphone Android", "Android phone"),
    narrow: true,
    back: operator
      ? { href: `/admin/operators/${operator.id}`, text: operator.name }
      : { href: "/admin/operators/new", text: visit.t("Choisir un autre moyen", "Choose another way") },
    body: html`${!operator && remark(visit, "note", PURPOSE)}
${form(visit, operator ? `/admin/operators/${operator.id}/edit` : "/admin/operators/new/phone", [
  html`${fieldsOf(first)}
<details${isAmongRest && html` open`}><summary>${visit.t("Réglages avancés", "Advanced settings")}</summary><div class="stack">${fieldsOf(rest)}</div></details>`,
  operator ? changeActions(visit, operator) : actions([button(visit.t("Ajouter le téléphone", "Add phone"))]),
])}`,
  };
}

const PURPOSE = [
  "Un téléphone convient à une boutique, à une démonstration ou à un essai, pas aux campagnes. L’expéditeur affiché est le numéro de la carte SIM, dont le forfait doit permettre ces envois.",
  "A phone suits a shop, a demonstration or a test, not campaigns. The sender shown is the number of the SIM card, whose contract must allow such sending.",
] as const;

function create(visit: Visit): Promise<View | Redirect> {
  const { first, rest } = settingsOf(visit, true);
  const body = { kind: "phone" as const, ...bodyOf(visit, [...first, ...rest]) };
  const calling = visit.callAsAdmin("/v1/admin/operator/create", body as Body<"/v1/admin/operator/create">);
  return visit.submit(
    calling,
    (again) => editPhone(again),
    ({ data }) => `/admin/operators/${data.id}/phone?done=made`,
  );
}

/** Changes a phone: sends the settings that differ. */
export function changePhone(visit: Visit, operator: OperatorShown): Promise<View | Redirect> {
  const { first, rest } = settingsOf(visit, false);
  const body = { id: operator.id, ...bodyOf(visit, [...first, ...rest], operator) };
  const calling = visit.callAsAdmin(
    "/v1/admin/operator/{id}/update",
    body as Body<"/v1/admin/operator/{id}/update">,
  );
  return visit.submit(
    calling,
    (again) => editPhone(again, operator),
    `/admin/operators/${operator.id}?done=changed`,
  );
}

type Pairing = Data<"/v1/admin/operator/{id}/pair">;

/** Renders the state of a phone and, once a pairing is open, how to pair. The values are shown only then. */
async function setup(visit: Visit, pairing: Pairing | undefined): Promise<View | Redirect> {
  const operator = await readOperator(visit);
  const { id, name, kind } = operator;
  if (kind !== "phone") return new Redirect(`/admin/operators/${id}`);
  const mayGovern = mayAdminister(visit, "govern");
  return {
    title: visit.t(`Connecter ${name}`, `Connect ${name}`),
    narrow: true,
    back: { href: `/admin/operators/${id}`, text: name },
    islands: ["copy", "live"],
    body: html`${doneNotice(visit, {
      made: visit.t(
        "Le téléphone est ajouté. Il reste à l’appairer.",
        "The phone is added. It remains to pair it.",
      ),
    })}
${pairing && pairingPart(visit, pairing)}
${section(visit.t("État du téléphone", "State of the phone"), [
  html`<div class="stack" data-live="/admin/operators/${id}/phone/live">${statePart(visit, operator)}</div>`,
  mayGovern &&
    actions([
      operator.phone?.pairedAt !== null &&
        linkButton(
          `/admin/operators/${id}/test`,
          visit.t("Envoyer un message de test", "Send a test message"),
        ),
    ]),
])}
${mayGovern && !pairing && beginPart(visit, operator)}`,
  };
}

function beginPart(visit: Visit, { id, phone }: OperatorShown): Html {
  const isPaired = phone !== null && phone.pairedAt !== null;
  const action = `/admin/operators/${id}/phone`;
  return section(visit.t("Appairage", "Pairing"), [
    html`<p>${
      isPaired
        ? visit.t(
            "Pour changer de téléphone, ou si celui-ci est perdu : un nouvel appairage coupe aussitôt l’accès du téléphone actuel.",
            "To use another phone, or if this one is lost: a new pairing ends the access of the current phone at once.",
          )
        : visit.t(
            "Un QR code ouvre sur le téléphone une page avec les valeurs à saisir. Il sert à un seul téléphone, pendant une heure.",
            "A QR code opens a page with the values to enter on the phone. It pairs one phone, within an hour.",
          )
    }</p>`,
    isPaired
      ? formButton(visit, action, visit.t("Appairer un autre téléphone", "Pair another phone"), {
          kind: "danger",
        })
      : formButton(visit, action, visit.t("Afficher le QR code", "Show QR code"), { kind: "main" }),
  ]);
}

function pairingPart(visit: Visit, { apiUrl, privateToken, link, expiresAt }: Pairing): Html {
  const t = visit.t.bind(visit);
  const values = { apiUrl, privateToken };
  return html`${warningPart(visit, apiUrl)}
${section(t("Appairage", "Pairing"), [
  html`<p>${t("Scannez ce QR code avec l’appareil photo du téléphone et suivez la page, ou suivez ces étapes.", "Scan this QR code with the camera of the phone and follow the page, or follow these steps.")}</p>`,
  qrCode(link, t("QR code pour le téléphone", "QR code for the phone")),
  html`<p><small>${t(`Pour un seul téléphone, jusqu’à ${visit.formats.time(expiresAt)}. Ne montrez ces valeurs à personne d’autre.`, `For one phone, until ${visit.formats.time(expiresAt)}. Show these values to nobody else.`)}</small></p>`,
  html`<ol class="numbered">${phoneSteps(t).map(({ text, value }) => html`<li><p>${text}</p>${value && copyable(values[value], value === "apiUrl" ? "API URL" : "Private Token")}</li>`)}</ol>`,
])}`;
}

/** The app refuses plain HTTP, except over a cable (`adb reverse`). */
function warningPart(visit: Visit, apiUrl: string): Html | false {
  const { protocol, hostname, port } = new URL(apiUrl);
  if (protocol === "https:") return false;
  if (hostname !== "127.0.0.1")
    return remark(visit, "wrong", [
      "L’application exige une adresse HTTPS : réglez PUBLIC_URL sur l’adresse publique de ce service, puis redémarrez-le.",
      "The app requires an HTTPS address: set PUBLIC_URL to the public address of this service, then restart it.",
    ]);
  return remark(visit, "wait", [
    `Cette adresse ne fonctionne que par un câble USB : exécutez « adb reverse tcp:${port} tcp:${port} » sur cet ordinateur. Sinon, réglez PUBLIC_URL sur une adresse HTTPS publique.`,
    `This address works only over a USB cable: run “adb reverse tcp:${port} tcp:${port}” on this computer. Otherwise set PUBLIC_URL to a public HTTPS address.`,
  ]);
}

function statePart(visit: Visit, operator: OperatorShown): Html {
  const { error, state } = operator;
  return html`<p>${operatorState(visit, operator)}</p>
${error !== null && notice(state === "REFUSED" ? "wait" : "wrong", bindError(visit, error))}
${facts(phoneFacts(visit, operator))}`;
}

async function live(visit: Visit): Promise<Fragment> {
  return new Fragment(statePart(visit, await readOperator(visit)), false);
}

const NETWORKS: Readonly<Record<string, string>> = { wifi: "Wi-Fi", ethernet: "Ethernet" };

/** Returns what a phone last told of itself, and how many SMS count today. */
export function phoneFacts(
  visit: Visit,
  { phone, dailyCap, secondsPerMessage }: OperatorShown,
): (readonly [label: string, value: unknown] | false)[] {
  if (phone === null) return [];
  const { formats, t } = { formats: visit.formats, t: visit.t.bind(visit) };
  const { name, pairedAt, seenAt, battery, charging, network, sentToday } = phone;
  const level = `${formats.number(battery ?? 0)} %`;
  return [
    [
      t("Téléphone", "Phone"),
      pairedAt === null ? t("aucun n’est appairé", "none is paired") : name || t("appairé", "paired"),
    ],
    seenAt !== null && [t("Vu", "Seen"), formats.ago(seenAt, nowMs())],
    battery !== null && [
      t("Batterie", "Battery"),
      charging ? t(`${level}, en charge`, `${level}, charging`) : level,
    ],
    network !== null && [
      t("Réseau", "Network"),
      network === "none" ? t("aucun", "none") : (NETWORKS[network] ?? network.toUpperCase()),
    ],
    [
      t("SMS aujourd’hui (UTC)", "SMS today (UTC)"),
      t(
        `${formats.number(sentToday)} sur ${formats.number(dailyCap ?? 0)}`,
        `${formats.number(sentToday)} of ${formats.number(dailyCap ?? 0)}`,
      ),
    ],
    [
      t("Rythme", "Pace"),
      t(`un SMS toutes les ${secondsPerMessage}\u00a0s`, `one SMS every ${secondsPerMessage}\u00a0s`),
    ],
  ];
}
