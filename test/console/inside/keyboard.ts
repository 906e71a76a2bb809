// Runs inside a page while somebody walks through it with Tab: what has the focus, whether one sees it, what was left out.

/** What one can press or fill in. */
const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
/** Fields of several parts, which Tab goes through one by one. */
const IN_PARTS = "[type=date], [type=time], [type=datetime-local], [type=month], [type=week]";
/** How much of the frame around a control must be seen. */
const FRAME_SEEN_AT_LEAST = 0.5;
/** How wide a part of a control must be seen, and how high its first line is, in pixels. */
const SEEN_AT_LEAST = 32;
const LINE = 40;

type Stop = { isOver: boolean; isClosed: boolean; fault: string };
type Box = { left: number; top: number; right: number; bottom: number };

const stops: Element[] = [];
const frames = new Map<Element, string>();

/** Looks at what has the focus after a Tab. */
function stopHere(): Stop {
  const here = document.activeElement;
  const isAway = here === null || here === document.body || (here === stops[0] && stops.length > 1);
  if (isAway) return { isOver: true, isClosed: false, fault: "" };
  if (here === stops.at(-1) && here.matches(IN_PARTS)) return { isOver: false, isClosed: false, fault: "" };
  if (stops.includes(here))
    return { isOver: true, isClosed: false, fault: `${tell(here)} gets the focus twice` };
  stops.push(here);
  frames.set(here, frameOf(here));
  const isClosed = here.matches("details:not([open]) > summary");
  const faults = [covered(here) && "is covered", !framed(here) && "does not show the focus"].filter(Boolean);
  return { isOver: false, isClosed, fault: faults.map((fault) => `${tell(here)} ${fault}`).join(", ") };
}

/** After the last Tab: what the walk left out, or met in another order than the page has it. */
function missed(): string[] {
  (document.activeElement as HTMLElement | null)?.blur();
  const inOrder = stops.toSorted((a, b) => (a.compareDocumentPosition(b) & 4 ? -1 : 1));
  const unordered = stops.find((stop, at) => stop !== inOrder[at]);
  return [
    ...(unordered ? [`${tell(unordered)} is out of order`] : []),
    ...stops
      .filter((stop) => frameOf(stop) === frames.get(stop))
      .map((stop) => `${tell(stop)} looks the same without the focus`),
    ...all(CONTROLS)
      .filter((control) => isThere(control) && !isReached(control))
      .map((control) => `${tell(control)} is not reached`),
    ...all("body *")
      .filter((part) => isThere(part) && isPressable(part) && !isOfStop(part))
      .map((part) => `${tell(part)} can be pressed with a mouse only`),
    ...all("body *")
      .filter((part) => isThere(part) && scrolls(part) && !holdsStop(part))
      .map((part) => `${tell(part)} cannot be scrolled`),
  ];
}

/** Whether the focus went into a part of the page; on to its next lap where the part has nothing to press. */
function isPast(selector: string): boolean {
  const part = document.querySelector(selector)!;
  return (
    part.contains(document.activeElement) || !all(CONTROLS).some((one) => part.contains(one) && isThere(one))
  );
}

function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

function isThere(part: Element): boolean {
  return part.checkVisibility({ visibilityProperty: true }) && !part.matches(":disabled");
}

/** Tab stops at one of several radio buttons, from which arrows lead to the others. */
function isReached(control: Element): boolean {
  if (!(control instanceof HTMLInputElement) || control.type !== "radio") return stops.includes(control);
  return stops.some(
    (stop) => stop instanceof HTMLInputElement && stop.name === control.name && stop.form === control.form,
  );
}

/** Whether it, and not only what stands around it, shows a hand. */
function isPressable(part: HTMLElement): boolean {
  const hasHand = (one: Element) => getComputedStyle(one).cursor === "pointer";
  return hasHand(part) && !hasHand(part.parentElement!);
}

function isOfStop(part: HTMLElement): boolean {
  const control = part instanceof HTMLLabelElement ? part.control : part.closest(CONTROLS);
  return control !== null && isReached(control);
}

/** Chromium stops at all that scrolls, other browsers only at what says that it takes the focus. */
function holdsStop(part: HTMLElement): boolean {
  return stops.some((stop) => part.contains(stop) && stop.matches(CONTROLS));
}

function scrolls(part: HTMLElement): boolean {
  if (part.matches("input, textarea, select")) return false;
  const { overflowX, overflowY } = getComputedStyle(part);
  const isWide = /auto|scroll/.test(overflowX) && part.scrollWidth > part.clientWidth;
  return isWide || (/auto|scroll/.test(overflowY) && part.scrollHeight > part.clientHeight);
}

/**
 * Whether it is off the screen or lies under something else. Of a text area the line where one writes must be there, of what
 * scrolls to the side as much as browsers show: Chromium moves nothing to the side of which 32 pixels are seen.
 */
function covered(part: Element): boolean {
  return [...part.getClientRects()].some((box) => {
    const line = part instanceof HTMLTextAreaElement ? { ...box.toJSON(), bottom: box.top + LINE } : box;
    const seen = meet(line, openingOf(part));
    const isWhole =
      seen.top === line.top &&
      seen.bottom === line.bottom &&
      seen.right - seen.left >= Math.min(box.width, SEEN_AT_LEAST);
    const isHigh = box.height > innerHeight / 2;
    return !(isWhole || isHigh) || pointsIn(seen).some(([x, y]) => !isAt(part, x, y));
  });
}

/** The middle of a box and of its sides. */
function pointsIn({ left, top, right, bottom }: Box): [x: number, y: number][] {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return [
    [x, y],
    [x, top + 1],
    [x, bottom - 1],
    [left + 1, y],
    [right - 1, y],
  ];
}

function isAt(part: Element, x: number, y: number): boolean {
  const hit = document.elementFromPoint(x, y);
  return hit !== null && (part.contains(hit) || hit.contains(part));
}

function frameOf(part: Element): string {
  const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(part);
  return [outlineStyle, outlineWidth, outlineColor, boxShadow].join(" ");
}

/** Whether there is a frame around it, of which enough lies inside all that cuts it off. */
function framed(part: Element): boolean {
  const { outlineStyle, outlineWidth, outlineOffset, boxShadow } = getComputedStyle(part);
  if (outlineStyle === "none" || Number.parseFloat(outlineWidth) < 2) return boxShadow !== "none";
  const out = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth) / 2;
  const { left, top, right, bottom } = part.getBoundingClientRect();
  const frame = { left: left - out, top: top - out, right: right + out, bottom: bottom + out };
  const seen = meet(frame, openingOf(part));
  const [wide, high] = [Math.max(0, seen.right - seen.left), Math.max(0, seen.bottom - seen.top)];
  const length =
    wide * (Number(seen.top === frame.top) + Number(seen.bottom === frame.bottom)) +
    high * (Number(seen.left === frame.left) + Number(seen.right === frame.right));
  return length >= 2 * (right - left + bottom - top + 4 * out) * FRAME_SEEN_AT_LEAST;
}

/** The part of the screen where it is not cut off. */
function openingOf(part: Element): Box {
  let opening: Box = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (let around: Element | null = part; around?.parentElement; around = around.parentElement) {
    if (getComputedStyle(around).position === "fixed") break;
    if (getComputedStyle(around.parentElement).overflow !== "visible")
      opening = meet(opening, around.parentElement.getBoundingClientRect());
  }
  return opening;
}

function meet(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

function tell(part: Element): string {
  return part.outerHTML.replace(/\s+/g, " ").slice(0, 120);
}

Object.assign(window, { stopHere, missed, isPast });
