// Updates a part of a page: polls it, less often while nothing changes, and never while the page is hidden.

const FIRST_MS = 2_000;
const LAST_MS = 30_000;

for (const part of document.querySelectorAll<HTMLElement>("[data-live]"))
  if (part.dataset.live) follow(part, part.dataset.live);

function follow(part: HTMLElement, url: string): void {
  let pauseMs = FIRST_MS;
  let timer: number | undefined;
  let shown = part.innerHTML;

  const later = () => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(call, pauseMs);
  };

  const call = async () => {
    try {
      const answer = await fetch(url, { headers: { accept: "text/html" }, redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      const text = await answer.text();
      const fresh = asSerialized(text);
      pauseMs = fresh === shown ? Math.min(pauseMs * 1.5, LAST_MS) : FIRST_MS;
      if (fresh !== shown) {
        shown = fresh;
        replace(part, text);
      }
      if (answer.headers.get("atumpan-live") === "over") return;
    } catch {
      // The network failed, or the session has ended: the page stays as it is, and the next poll may succeed.
      pauseMs = Math.min(pauseMs * 2, LAST_MS);
    }
    later();
  };

  document.addEventListener("visibilitychange", () => {
    pauseMs = FIRST_MS;
    later();
  });
  later();
}

/** An HTML text as the browser serializes its own content. */
function asSerialized(text: string): string {
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.innerHTML;
}

/** Replaces a part by a newer one. What the person has opened stays open, and the keyboard focus stays where it is. */
function replace(part: HTMLElement, text: string): void {
  const opened = [...part.querySelectorAll("details")].map(({ open }) => open);
  const { activeElement: at } = document;
  const focused = at && part.contains(at) ? nameOf(at) : undefined;
  part.innerHTML = text;
  for (const [i, details] of part.querySelectorAll("details").entries())
    details.open = opened[i] ?? details.open;
  const all = part.querySelectorAll<HTMLElement>("a, button, summary");
  if (focused !== undefined) [...all].find((one) => nameOf(one) === focused)?.focus({ preventScroll: true });
}

/** Identifies a link or a button before and after the update. */
function nameOf(element: Element): string {
  return `${element.tagName} ${element.getAttribute("href")} ${element.textContent}`;
}
