// The counter of segments, alive. It counts with the code that the service itself bills with.
import { unicodeCulprits } from "./sms/culprits.ts";
import { segmentsOf } from "./sms/segments.ts";

const counter = document.querySelector(".counter");
const text = counter.querySelector("textarea");
const numbers = new Intl.NumberFormat(document.documentElement.lang);

function count() {
  const { encoding, segments, units } = segmentsOf(text.value);
  const facts = {
    encoding,
    units: numbers.format(units),
    segments: numbers.format(segments),
    ivorian: numbers.format(segments * counter.dataset.ivorian),
    abroad: numbers.format(segments * counter.dataset.abroad),
  };
  for (const [name, value] of Object.entries(facts))
    counter.querySelector(`[data-fact="${name}"]`).textContent = value;
  const culprits = unicodeCulprits(text.value);
  const line = counter.querySelector("[data-culprits]");
  line.hidden = culprits.length === 0;
  line.querySelector("b").textContent = culprits
    .map(({ character, replacement }) =>
      replacement === null ? character : `${character} → ${replacement || "∅"}`,
    )
    .join("   ");
}

text.addEventListener("input", count);
count();
