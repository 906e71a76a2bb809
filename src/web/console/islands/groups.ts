// Finds groups during typing. Chosen groups stay above the results.

const PAUSE_MS = 300;

for (const part of document.querySelectorAll<HTMLElement>("[data-groups]")) {
  const search = part.querySelector<HTMLInputElement>('input[type="search"]');
  if (search && part.dataset.groups) choose(part, search, part.dataset.groups);
}

function choose(part: HTMLElement, search: HTMLInputElement, url: string): void {
  const status = part.querySelector<HTMLElement>("[data-said]")!;
  const chosen = part.querySelector<HTMLElement>("[data-chosen]")!;
  const found = part.querySelector<HTMLElement>("[data-found]")!;
  let timer: number | undefined;
  let requested: string | undefined = search.value;

  const find = async () => {
    window.clearTimeout(timer);
    const wanted = search.value;
    if (wanted === requested) return;
    requested = wanted;
    try {
      const query = new URLSearchParams({ groupSearch: wanted });
      const answer = await fetch(`${url}&${query}`, { redirect: "error" });
      // If the person types faster than the network, only the last response is shown.
      if (!answer.ok || wanted !== requested) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const input of found.querySelectorAll<HTMLInputElement>("input:checked"))
        chosen.append(input.closest("label") ?? input);
      const known = new Set([...chosen.querySelectorAll("input")].map(({ value }) => value));
      const labels = [...page.querySelectorAll("label")];
      found.replaceChildren(
        ...labels.filter((label) => !known.has(label.querySelector("input")?.value ?? "")),
      );
      status.textContent = page.querySelector("p")?.textContent ?? "";
    } catch {
      // The network failed: the next letter sends the request again.
      requested = undefined;
    }
  };

  search.addEventListener("input", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(find, PAUSE_MS);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    void find();
  });
  part.querySelector('button[name="find"]')?.remove();
}
