// What the reference page adds for those who have a script: keys filled in, requests copied and sent.

const article = (element) => element.closest("article");

/** Writes a value into every place that waits for it; an empty one shows what is missing. */
function fill(name, value, except) {
  for (const place of document.querySelectorAll(`[data-fill="${name}"]`)) {
    if (place !== except) place.textContent = value || `<${name}>`;
  }
}

/** The request of an article, as it stands after filling in and editing. */
function requestOf(element) {
  const part = (name) => article(element).querySelector(name).textContent;
  return { url: location.origin + part(".path"), body: part(".body") };
}

/** A line for the shell: what stands in quotes there must not end them. */
function curlOf({ url, body }) {
  return `curl -s '${url}' -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}

async function copy(button) {
  await navigator.clipboard.writeText(curlOf(requestOf(button)));
  button.textContent = "Copié";
  setTimeout(() => (button.textContent = "Copier"), 1500);
}

async function send(button) {
  const { url, body } = requestOf(button);
  const status = button.parentElement.querySelector("output");
  const startedAt = performance.now();
  button.disabled = true;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    const answer = await response.json();
    const ms = Math.round(performance.now() - startedAt);
    status.textContent = `${response.headers.get("Atumpan-Outcome")} · ${ms} ms`;
    article(button).querySelector(".answer code").textContent = JSON.stringify(answer, null, 2);
    if (answer.success) keep(new URL(url).pathname, answer.data);
  } catch (error) {
    status.textContent = String(error);
  }
  button.disabled = false;
}

/** What was just created is what the next requests are about: the id of /v1/contact/create fills every <contactId>. */
function keep(path, data) {
  const noun = path.match(/([\w-]+?)s?\/create$/)?.[1];
  const id = [data].flat()[0]?.id;
  if (noun && id) fill(`${noun.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}Id`, id);
  for (const name of [
    "purchaseId",
    "serverApiKey",
    "apiSecret",
    "pairingCode",
    "connectionToken",
    "connectionId",
  ])
    if (data?.[name]) fill(name, data[name]);
}

fill("origin", location.origin);
const keys = document.querySelector("#keys");
keys.addEventListener("input", ({ target }) => fill(target.name, target.value.trim()));
keys.addEventListener("submit", (event) => event.preventDefault());
for (const input of keys.elements) if (input.value) fill(input.name, input.value); // kept by the browser on reload

document.addEventListener("input", ({ target }) => {
  if (target.dataset.fill) fill(target.dataset.fill, target.textContent, target);
});
document.addEventListener("click", ({ target }) => {
  if (target.matches(".copy")) copy(target);
  if (target.matches(".send")) send(target);
});
for (const buttons of document.querySelectorAll(".buttons")) buttons.hidden = false;
if (innerWidth < 900) document.querySelector("nav details").open = false;
