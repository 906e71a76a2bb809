// QR codes on pages.
import { type Html, html } from "../../../platform/http/html.ts";
import { qrPath } from "../../pages/qr.ts";

const PIXELS = 220;

/** Renders a QR code; `label` says what it is for. */
export function qrCode(text: string, label: string): Html {
  const { size, path } = qrPath(text);
  return html`<svg width="${PIXELS}" height="${PIXELS}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img" aria-label="${label}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`;
}
