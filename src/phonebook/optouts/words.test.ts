// The replies that opt a person out or in again, and those that only contain such a word.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cheapest } from "../../../test/cost.ts";
import { mayNameSender, readRequest } from "./words.ts";

const STOP = `
  STOP|stop|Stop|sToP|STOP.|STOP!!!| stop |« STOP »|STOP…|“Stop”|S.T.O.P|S T O P|STOP 🙏🏿|STOP ❤️|STOPP|stop stop stop
  ARRET|ARRÊT|arrêt|arre\u0302t|Arrèt|arret.|Arrêt, merci !|ARR?T|ARR\ufffdT|A.R.R.Ê.T|Arrêtez|ARRETEZ|arrêter|arrête|arrêtes|Arretez svp|arreté
  STOPALL|STOP ALL|stop tout|STOP SMS|stop pub|stop les sms|stop les messages|Stop vos publicités|STOP à tous les messages
  UNSUBSCRIBE|unsubscribe me|Unsub|CANCEL|Cancel|END|QUIT|quit|REVOKE|Revoke please|OPT-OUT|opt out|OPTOUT|Opt‑out
  désabonner|désabonnement|désabonne|désabonnez-moi|Désabonnez moi svp|me désabonner|je me désabonne|Veuillez me désabonner, merci
  désabonement|désinscription|désinscrire|désinscrivez-moi|désinscris|me désinscrire|je veux me désinscrire|DESINSCRIPTION SVP
  je souhaite la désinscription de la liste|demande de désinscription|Je demande ma désinscription
  STOP svp|svp STOP|arrêt merci|Arrêt, s'il vous plaît !|stop s’il te plait|Bonjour, STOP merci|STOP, merci d'arrêter
  je veux STOP|je veux arrêter|je voudrais arrêter les sms|Merci d’arrêter|merci de stopper|stoppez les messages|cessez de m'écrire
  Arrêtez de m'envoyer des messages|arrêtez vos sms svp|arrête ça|Bonsoir monsieur, veuillez arrêter vos messages
  Stop please.|please stop|STOP, thank you|stop thanks|Hello stop|End pls|STOP merci beaucoup|stop sending me messages|Please stop texting me
  I want to unsubscribe|i would like to opt out|stop it|stop now|STOP maintenant|OK stop|oui, stop
  ＳＴＯＰ|𝐒𝐓𝐎𝐏|🆂🆃🅾🅿|ST0P|5TOP|$TOP|SТОР|ЅТОР|STΟP|SΤΟΡ|АRRÊТ|ΑRRET|ARRЕТ|D\u00c9SАBONNER|UΝSUBSCRIBE|ST\u200bOP|\u202aSTOP\u202c|S\u00adTOP`;

const START =
  "START|start|Reprendre|REPRENDRE svp|Start please!|merci, reprendre|je veux reprendre|Reprenez les messages|START SMS|SТART|5TART";

const NEITHER = `
  stop by the shop tomorrow|please stop by|on s'arrête à l'arrêt|STOP demain|nonstop|non stop|stopper|stop au magasin demain
  ne t'arrête pas|n'arrêtez pas|N’arrêtez pas les messages|arrêtez pas|le bus stop|bus stop|au stop|arrêt de bus|arrêt maladie|arrêt de travail
  je veux pas arrêter|je ne veux pas me désabonner|Don't stop|do not stop|dont stop|ne stop pas|ne pas stopper|never stop
  the end|end of month|week-end|weekend|cancel my order|cancel the meeting|quit smoking|I quit my job|je m'arrête ici|je m'arrête au marché
  vous arrêtez quand ?|le magasin arrête quand|quand est-ce que ça s'arrête|la pluie s'arrête|un arrêt cardiaque|arrêté préfectoral
  comment se désabonner ?|pourquoi me désabonner|désinscription de mon fils à l'école|how do I unsubscribe?|is this opt out or opt in
  START STOP|stop start|restart|start tomorrow|reprendre demain|je reprends le travail|on reprend quand|reprise|le start|startup
  ok|oui|merci|s'il vous plaît|bonjour|Bonjour, merci|les sms|je veux|merci de|vos messages||   |?!|🛑|🇨🇮|12345|STOP 5|STOP 36111|0700000001
  STOP ATUMPAN|STOP BOUTIQUE|STOP covid|stop à la vie chère|opération stop aux accidents|stop palu|Stopez|STO P demain
  vous|thank|توقف|СТОП|constructor|__proto__|hasOwnProperty|STOP__proto__|SOTP|POTS|TOP|STP|END-OF-LIFE|friend|ending|cancellation`;

function replies(table: string): string[] {
  return table.split("\n").flatMap((line) => line.replace(/^ {2}/, "").split("|"));
}

test("a reply opts out by a keyword, its forms, and what courtesy and a polite sentence put around it", () => {
  const wrong = replies(STOP).filter((text) => text !== "" && readRequest(text)?.wish !== "stop");
  assert.deepEqual(wrong, []);
  assert.ok(replies(STOP).length >= 60);
});

test("a reply opts in again with the same tolerance", () => {
  assert.deepEqual(
    replies(START).filter((text) => readRequest(text)?.wish !== "start"),
    [],
  );
});

test("a sentence that only contains a keyword, its contrary or another sender's name changes nothing", () => {
  assert.deepEqual(
    replies(NEITHER).filter((text) => readRequest(text) !== null),
    [],
  );
  assert.ok(replies(NEITHER).length >= 60);
});

test("the sender's own name or number may stand in the request, that of another may not", () => {
  const table: [name: string, ...texts: string[]][] = [
    [
      "ATUMPAN",
      "STOP ATUMPAN",
      "stop atumpan svp",
      "ATUMPAN STOP",
      "stop à Atumpan",
      "STOP ATUMPÁN",
      "STOP АTUMPAN",
    ],
    [
      "98765",
      "STOP 98765",
      "STOP au 98765",
      "stop, 98765",
      "STOP98765",
      "98765 stop",
      "Arrêt au numéro 98765",
    ],
    ["Chez Awa", "STOP Chez Awa", "stop chezawa", "désabonnez-moi de Chez Awa", "STOP CHEZ-AWA merci"],
    [
      "2252722000000",
      "STOP 2252722000000",
      "STOP +225 27 22 00 00 00",
      "stop 2722000000",
      "STOP 00225 2722000000",
    ],
    ["SMS PROMO", "STOP SMS PROMO"],
  ];
  for (const [name, ...texts] of table) {
    for (const text of texts) {
      assert.equal(readRequest(text, ["AUTRE", name])?.wish, "stop", `${name}: ${text}`);
      assert.ok(mayNameSender(text) || readRequest(text), text);
    }
  }
  const foreign = [
    "STOP ATUMPAN2",
    "STOP 9876",
    "stop la boutique",
    "ne stop pas ATUMPAN",
    "ATUMPAN",
    "STOP 00000",
  ];
  for (const text of foreign) assert.equal(readRequest(text, ["ATUMPAN", "98765"]), null, text);
  assert.deepEqual(readRequest("START Atumpan", ["X", "ATUMPAN"]), { wish: "start", name: "ATUMPAN" });
});

test("a text of more than 100 characters is no request, and the time to read one is linear", () => {
  assert.equal(readRequest(`STOP${" ".repeat(100)}`), null);
  const worst = [
    "ﷺ".repeat(100),
    "STOP ".repeat(20),
    "je veux ".repeat(12),
    "m'".repeat(50),
    "stopper sms ".repeat(8),
    "a ".repeat(50),
  ];
  const spent = cheapest(() => {
    for (let n = 0; n < 100; n++) for (const text of worst) readRequest(text, ["ATUMPAN", "98765"]);
  });
  assert.ok(spent < 600, `${spent} ms for 600 texts`);
});
