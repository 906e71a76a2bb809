// What the reference adds for those who have a script: keys filled in, requests copied and sent, a language of code kept.

const CODE_LANGUAGE = "atumpan-code-language";
const KEYS = "atumpan-docs-keys";
const isFrench = document.documentElement.lang === "fr";
const say = (fr, en) => (isFrench ? fr : en);

/** What a browser keeps, which may be nothing, as in a private window. */
function kept(storage, name) {
  try {
    return globalThis[storage].getItem(name);
  } catch {
    return null;
  }
}

function keep(storage, name, value) {
  try {
    globalThis[storage].setItem(name, value);
  } catch {
    // It lasts as long as the page.
  }
}

// An address of the time when the reference was one page: its place here leads on.
const moved = location.pathname === "/docs" && document.getElementById(location.hash.slice(1));
if (moved?.href) location.replace(moved.href);

/** Writes a value into every place that waits for it; an empty one shows what is missing. */
function fill(name, value, except) {
  for (const place of document.querySelectorAll(`[data-fill="${name}"]`)) {
    if (place !== except) place.textContent = value || `<${name}>`;
  }
}

const keys = document.querySelector("#keys");
const known = JSON.parse(kept("sessionStorage", KEYS) ?? "{}");

function know(name, value) {
  if (value) known[name] = value;
  else delete known[name];
  keep("sessionStorage", KEYS, JSON.stringify(known));
  const input = keys?.elements[name];
  if (input && input.value.trim() !== value) input.value = value;
}

fill("origin", location.origin);
for (const [name, value] of Object.entries(known)) {
  fill(name, value);
  if (keys?.elements[name]) keys.elements[name].value = value;
}
if (keys) {
  keys.hidden = false;
  keys.addEventListener("input", ({ target }) => {
    know(target.name, target.value.trim());
    fill(target.name, target.value.trim());
  });
  keys.addEventListener("submit", (event) => event.preventDefault());
}

document.addEventListener("input", ({ target }) => {
  if (target.dataset.fill) fill(target.dataset.fill, target.textContent, target);
});

/** Shows this language of code in every sample that has it. */
function choose(language) {
  for (const input of document.querySelectorAll(`.languages input[value="${language}"]`))
    input.checked = true;
}

const language = kept("localStorage", CODE_LANGUAGE);
if (language) choose(language);
document.addEventListener("change", ({ target }) => {
  if (!target.closest(".languages")) return;
  const { top } = target.getBoundingClientRect();
  choose(target.value);
  keep("localStorage", CODE_LANGUAGE, target.value);
  // Samples above have become longer or shorter: what was pressed stays where it is.
  scrollBy(0, target.getBoundingClientRect().top - top);
});

const article = (element) => element.closest("article");
const shown = (samples) =>
  [...samples.querySelectorAll("pre")].find((pre) => getComputedStyle(pre).display !== "none");

async function copy(button) {
  const label = button.textContent;
  await navigator.clipboard.writeText(shown(button.closest(".samples")).textContent);
  button.textContent = say("Copié", "Copied");
  setTimeout(() => (button.textContent = label), 1_500);
}

/** Whether to go on with a request that spends credits. */
function confirmed() {
  const dialog = document.querySelector("#confirm");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "send"), { once: true }),
  );
}

async function send(button) {
  const at = article(button);
  if ("spends" in at.dataset && !(await confirmed())) return;
  const part = (name) => at.querySelector(name).textContent;
  const url = location.origin + part(".path");
  const status = at.querySelector("output");
  const startedAt = performance.now();
  button.disabled = true;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: part(".body"),
    });
    const answer = await response.json();
    const ms = Math.round(performance.now() - startedAt);
    status.textContent = `${response.headers.get("Atumpan-Outcome")} · ${ms} ms`;
    at.querySelector(".answer code").textContent = JSON.stringify(answer, null, 2);
    at.querySelector(".answer").open = true;
    if (answer.success) learn(new URL(url).pathname, answer.data);
  } catch (error) {
    status.textContent = String(error);
  }
  button.disabled = false;
}

const LEARNT = [
  "purchaseId",
  "serverApiKey",
  "apiSecret",
  "pairingCode",
  "connectionToken",
  "connectionId",
  "campaignId",
  "token",
];

/** What was just created is what the next requests are about: the id of /v1/contact/create fills every <contactId>. */
function learn(path, data) {
  const noun = path.match(/([\w-]+?)s?\/create$/)?.[1];
  const id = [data].flat()[0]?.id;
  const found = { ...data };
  if (noun && id) found[`${noun.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}Id`] = id;
  for (const name of Object.keys(found)) {
    if (!LEARNT.includes(name) && !(noun && name.endsWith("Id") && found[name] === id)) continue;
    fill(name, found[name]);
    know(name, found[name]);
  }
}

document.addEventListener("click", ({ target }) => {
  if (target.matches(".copy")) copy(target);
  if (target.matches(".send")) send(target);
});
for (const buttons of document.querySelectorAll(".buttons")) buttons.hidden = false;

// Beside the page the contents scroll by themselves: what is read is in sight there.
const contents = document.querySelector("#contents");
const here = contents.querySelector('[aria-current="page"]');
if (here) contents.scrollTop = Math.max(0, here.offsetTop - contents.clientHeight / 3);

// The operation that is being read is marked in the contents.
const lines = new Map(
  [...contents.querySelectorAll(".operations a")].map((link) => [link.hash.slice(1), link]),
);
if (lines.size > 0) {
  const seen = new IntersectionObserver(
    (entries) => {
      const entered = entries.find(({ isIntersecting }) => isIntersecting);
      if (!entered) return;
      for (const link of lines.values()) link.removeAttribute("aria-current");
      lines.get(entered.target.id)?.setAttribute("aria-current", "location");
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  for (const part of document.querySelectorAll("article[id]")) seen.observe(part);
}
