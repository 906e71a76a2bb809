// Uploads a file in parts, shows the progress, and resumes after a network failure or a reload.

type Words = Record<"of" | "waits" | "checks" | "language", string>;

const MEGABYTE = 1024 * 1024;
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 30_000;

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-import]")) {
  form.addEventListener("submit", (event) => {
    const file = form.querySelector<HTMLInputElement>('input[type="file"]')?.files?.[0];
    if (!file) return;
    event.preventDefault();
    send(form, file).catch(() => location.reload());
  });
}

// Statements that are only true with a script.
for (const promise of document.querySelectorAll<HTMLElement>("[data-resumes]")) promise.hidden = false;

async function send(form: HTMLFormElement, file: File): Promise<void> {
  const { import: url = "", words: json = "{}" } = form.dataset;
  const words: Words = JSON.parse(json);
  const box = form.querySelector<HTMLElement>("[data-progress]")!;
  const bar = box.querySelector("progress")!;
  const line = box.querySelector("p")!;
  const submit = form.querySelector<HTMLButtonElement>("button.button")!;
  const numbers = new Intl.NumberFormat(words.language, { maximumFractionDigits: 1 });
  submit.disabled = true;
  box.hidden = false;

  const show = (sent: number) => {
    bar.max = file.size;
    bar.value = sent;
    const megabytes = (bytes: number) => numbers.format(bytes / MEGABYTE);
    line.textContent = words.of.replace("{sent}", megabytes(sent)).replace("{all}", megabytes(file.size));
  };
  const fail = (sentence: string) => {
    line.textContent = sentence;
    submit.disabled = false;
  };
  const csrf = form.querySelector<HTMLInputElement>('input[name="csrf"]')?.value ?? "";
  /** Repeats the request until there is a response, after network failures only; an ended session reloads the page. */
  const call = async (
    path: string,
    fields: Record<string, string>,
  ): Promise<DOMStringMap & { over?: string }> => {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LAST_WAIT_MS)) {
      const body = new URLSearchParams({ csrf, ...fields });
      const answer = await fetch(url + path, { method: "POST", body, redirect: "manual" }).catch(
        () => undefined,
      );
      if (answer?.type === "opaqueredirect" || answer?.status === 403) location.reload();
      if (answer?.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        return { ...page.querySelector("p")?.dataset, over: answer.headers.get("atumpan-live") ?? "" };
      }
      line.textContent = words.waits;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  };

  show(0);
  const fingerprint = String(file.lastModified);
  const begun = await call("/begin", { fileName: file.name, bytes: String(file.size), fingerprint });
  if (begun.problem) return fail(begun.problem);
  const partBytes = Number(begun.part);
  let sent = Number(begun.received);
  while (sent < file.size) {
    show(sent);
    const data = await base64Of(file.slice(sent, sent + partBytes));
    const taken = await call(`/${begun.id}/part`, { offset: String(sent), data });
    if (taken.problem) return fail(taken.problem);
    sent = Number(taken.received);
  }
  show(sent);
  line.textContent = words.checks;
  const group = form.querySelector<HTMLInputElement>('input[name="group"]')?.value;
  location.assign(`${url}/${begun.id}${group ? `?group=${group}` : ""}`);
}

/** The bytes of a part in base64, which a form can carry. */
function base64Of(part: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ""));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(part);
  return promise;
}
