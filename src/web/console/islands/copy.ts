// Adds a copy button to every text that people copy.

const SHOWN_MS = 2_000;
const [COPY, COPIED] =
  document.documentElement.lang === "fr" ? (["Copier", "Copié"] as const) : (["Copy", "Copied"] as const);

for (const box of document.querySelectorAll<HTMLElement>(".copyable")) {
  const code = box.querySelector("code");
  if (code) addButton(box, code);
}

function addButton(box: HTMLElement, code: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button second";
  button.textContent = COPY;
  // Screen readers read the button's new label after it was pressed.
  button.setAttribute("aria-live", "polite");
  let timer: number | undefined;
  button.addEventListener("click", async () => {
    if (!(await copy(code))) return;
    button.textContent = COPIED;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      button.textContent = COPY;
    }, SHOWN_MS);
  });
  box.append(button);
}

/** Browsers provide a clipboard only over HTTPS. Without one, the text is selected for the person to copy. */
async function copy(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(code);
    return document.execCommand("copy");
  }
}
