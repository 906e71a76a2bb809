// QR codes as a path of SVG.
import { encode } from "uqr";

// The QR code standard requires a quiet zone of four modules.
const QUIET_MODULES = 4;

/** Returns the dark modules of a QR code as the path of an SVG, in a square of `size` with its quiet zone. */
export function qrPath(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_MODULES });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: modules.join("") };
}
