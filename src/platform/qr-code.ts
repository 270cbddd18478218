// Draws QR codes (ISO/IEC 18004). The only file that names the package that does it.
import { renderSVG, renderUnicodeCompact } from 'uqr';

/** An SVG image: black on white whatever the page looks like, with the quiet zone that readers need. */
export function qrImage(text: string): string {
  return renderSVG(text, { border: 4, ecc: 'M' });
}

/** Lines of text for a terminal, two modules in the height of a line. Light modules are full blocks: right for a terminal that is dark. */
export function qrText(text: string): string {
  return renderUnicodeCompact(text, { border: 2, ecc: 'L' });
}
