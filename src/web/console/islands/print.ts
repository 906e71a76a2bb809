// Adds a print button to a page that people print.

const isFrench = document.documentElement.lang === "fr";

for (const place of document.querySelectorAll<HTMLElement>("[data-print]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button second";
  button.textContent = isFrench ? "Imprimer" : "Print";
  button.onclick = () => window.print();
  place.replaceChildren(button);
}
