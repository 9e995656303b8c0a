/**
 * Estimates the width of texts, and cuts or wraps them to a width. A figure does not embed its fonts, so widths are
 * those of DejaVu Sans, the widest font in the list `FONT`: text that fits in it fits in all of them.
 */

/** Advance widths of U+0020 to U+007E in hundredths of the size. */
const REGULAR = [
  32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34,
  34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73,
  68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63,
  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
];
const BOLD = [
  35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40,
  40, 84, 84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68,
  81, 77, 110, 77, 72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71,
  69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58, 71, 37, 71, 84,
];
const FIRST = 0x20;
/** From this weight on the bold face is used. */
const BOLD_FROM = 600;
/** Characters beyond ASCII in our own texts; the widths are those of the wider face. */
const MARKS: Readonly<Record<string, number>> = {
  '°': 50,
  '·': 38,
  '–': 50,
  '−': 84,
  '≈': 84,
  '±': 84,
  '×': 84,
  µ: 74,
  Δ: 77,
  '′': 26,
  '⁻': 59,
  χ: 65,
  '⁰': 44,
  '¹': 44,
  '²': 44,
  '³': 44,
  '⁴': 44,
  '⁵': 44,
  '⁶': 44,
  '⁷': 44,
  '⁸': 44,
  '⁹': 44,
};

/** The widest letters of other scripts, except rare ligatures. */
function getWidthBeyondAscii(code: number, isBold: boolean): number {
  if (code < 0x400) return isBold ? 118 : 108;
  if (code < 0x1100) return isBold ? 141 : 117;
  return 105;
}

export function computeTextWidth(text: string, size: number, weight = 400): number {
  const isBold = weight >= BOLD_FROM;
  const ascii = isBold ? BOLD : REGULAR;
  let hundredths = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    hundredths += ascii[code - FIRST] ?? MARKS[character] ?? getWidthBeyondAscii(code, isBold);
  }
  return (hundredths / 100) * size;
}

export interface Lines {
  readonly size: number;
  readonly weight?: number;
  readonly width: number;
  readonly lines: number;
}

/** Wraps text to lines of at most `width`; longer words are cut, and text that does not fit ends in an ellipsis. */
export function wrapText(text: string, { size, weight, width, lines }: Lines): string[] {
  const out: string[] = [''];
  const words = text.split(/\s+/).flatMap((each) => splitWord(each, size, width, weight));
  for (const word of words) {
    const last = out.at(-1) ?? '';
    const joined = last === '' ? word : `${last} ${word}`;
    if (computeTextWidth(joined, size, weight) <= width) out[out.length - 1] = joined;
    else out.push(word);
  }
  if (out.length <= lines) return out;
  const shownLines = out.slice(0, lines);
  shownLines[lines - 1] = fitText(`${shownLines[lines - 1] ?? ''}…`, size, width, weight);
  return shownLines;
}

/** Cuts text to `width` with an ellipsis. */
export function fitText(text: string, size: number, width: number, weight?: number): string {
  if (computeTextWidth(text, size, weight) <= width) return text;
  const [first = ''] = splitWord(text, size, width - computeTextWidth('…', size, weight), weight);
  return `${first}…`;
}

function splitWord(word: string, size: number, width: number, weight?: number): string[] {
  const out: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const next = computeTextWidth(character, size, weight);
    if (used + next > width && piece !== '') {
      out.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += next;
  }
  return [...out, piece];
}
