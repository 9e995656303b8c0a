/** Writes text of any script: each letter in a font that has it, each line in the order in which it is read. */
import {
  registerFaces,
  registerParsed,
  createFace,
  getChosenFont,
  isCovered,
  type GetDirection,
  type ParsedFont,
} from './parsed-font.ts';
import { chooseHan, findSlice } from './scripts.ts';
import type { Face } from './style.ts';
import bidi from 'bidi-js';
import { remember } from '#core/remember.ts';

/** What is used of the library; its types name a default export, but the module itself is the function. */
interface Bidi {
  getEmbeddingLevels(text: string, direction: 'ltr' | 'rtl'): { readonly levels: Uint8Array };
  getMirroredCharacter(letter: string): string | null;
}

const loadBidi = remember((): Bidi => Reflect.apply(Object(bidi), undefined, []));

/** Letters that are written from right to left; without one, a line is seen as it is stored. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** Returns the embedding level of each UTF-16 unit of a line; odd ones are written from right to left. */
export function computeLevels(text: string): Uint8Array {
  // Documents are in English, so a line begins at its left, also where a name comes first.
  return loadBidi().getEmbeddingLevels(text, 'ltr').levels;
}

/** Replaces brackets and the like by their mirror images. */
export function mirror(text: string): string {
  return Array.from(text, (letter) => loadBidi().getMirroredCharacter(letter) ?? letter).join('');
}

/** Returns the places of runs from left to right: rule L2 on whole runs. */
export function orderRuns(levels: readonly number[]): number[] {
  const order = levels.map((_, index) => index);
  const highest = Math.max(0, ...levels);
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < order.length; start += 1) {
      let end = start;
      while (end < order.length && (levels[order[end] ?? 0] ?? 0) >= level) end += 1;
      if (end > start + 1) order.splice(start, end - start, ...order.slice(start, end).toReversed());
      start = Math.max(start, end);
    }
  }
  return order;
}

/** A piece of a line in one font, one direction and one script. */
interface Run {
  readonly font: string;
  readonly level: number;
  /** Undefined until a letter says it. */
  readonly script: number | undefined;
  readonly text: string;
}

/** Scripts that share a font and a direction. A font shapes a whole run by the rules of one of them. */
const SCRIPTS = [
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Syriac}/u,
  /\p{Script=Thaana}/u,
  /\p{Script=Nko}/u,
];

function findScript(letter: string): number | undefined {
  const index = SCRIPTS.findIndex((script) => script.test(letter));
  return index === -1 ? undefined : index;
}

export interface Typesetter {
  /** Returns the width of a text in points at a font size of one point. */
  measure(this: void, face: Face, text: string): number;
  /** Whether a font has the letter, which is one code point. */
  hasLetter(this: void, face: Face, letter: string): boolean;
  /** Writes one line in the current color. `y` is the top of the line, or its baseline. */
  write(text: string, at: { face: Face; size: number; x: number; y: number; baseline?: 'alphabetic' }): void;
}

const CHOSEN_MAX = 20_000;
const graphemes = new Intl.Segmenter('en');
/** Matches most texts; every face has these characters. */
const PLAIN = /^[ -~]*$/;
/** Characters that need no glyph: joiners and selectors of variants. */
const NEEDS_NO_GLYPH = /[\p{Default_Ignorable_Code_Point}\s]/u;
/** A run as a whole; without features the library lays out each word alone, in the stored order. */
const WHOLE: PDFKit.Mixins.OpenTypeFeatures[] = [];

/** The fonts of one document: its faces, and those that its letters need beside them. */
interface FontBook {
  hasLetter(this: void, face: Face, codePoint: number): boolean;
  /** Returns the name of a font that has the letter with its marks; of the face itself where none has. */
  findFontName(this: void, face: Face, letter: string, context: string): string;
}

function createFontBook(pdf: PDFKit.PDFDocument, getDirection: GetDirection): FontBook {
  registerFaces(pdf, getDirection);
  const main = { regular: chooseFont(pdf, 'regular'), bold: chooseFont(pdf, 'bold') };
  const registered = new Set<string>();
  const chosen = new Map<string, string>();

  const hasLetter = (face: Face, codePoint: number): boolean => isCovered(main[face], codePoint);

  function registerFont(face: Face, letter: string, context: string): string {
    const codePoints = Array.from(letter)
      .filter((part) => !NEEDS_NO_GLYPH.test(part))
      .map((part) => part.codePointAt(0) ?? 0);
    if (codePoints.every((codePoint) => hasLetter(face, codePoint))) return face;
    const slice = findSlice(codePoints, context) ?? findSlice(codePoints.slice(0, 1), context);
    if (slice === undefined) return face;
    const name = `${slice.name} ${face}`;
    if (!registered.has(name)) registerParsed(pdf, name, createFace(slice, face, getDirection));
    registered.add(name);
    return name;
  }

  return {
    hasLetter,
    findFontName(face, letter, context) {
      const key = `${face} ${letter} ${chooseHan(context)}`;
      const name = chosen.get(key) ?? registerFont(face, letter, context);
      if (chosen.size < CHOSEN_MAX) chosen.set(key, name);
      return name;
    },
  };
}

/** Returns undefined where the whole line is in the face of the document and from left to right. */
function splitRuns({ hasLetter, findFontName }: FontBook, face: Face, text: string): Run[] | undefined {
  if (PLAIN.test(text)) return undefined;
  const isInFace = Array.from(text).every(
    (letter) => NEEDS_NO_GLYPH.test(letter) || hasLetter(face, letter.codePointAt(0) ?? 0),
  );
  const levels = hasRightToLeft(text) ? computeLevels(text) : undefined;
  if (isInFace && levels === undefined) return undefined;
  const runs: Run[] = [];
  for (const { segment, index } of graphemes.segment(text)) {
    const font = findFontName(face, segment, text);
    const level = levels?.[index] ?? 0;
    const script = findScript(segment);
    const last = runs.at(-1);
    if (last?.font === font && last.level === level && (script ?? last.script) === (last.script ?? script))
      runs[runs.length - 1] = { ...last, script: last.script ?? script, text: last.text + segment };
    else runs.push({ font, level, script, text: segment });
  }
  return runs.map((run) => (run.level % 2 === 0 ? run : { ...run, text: mirror(run.text) }));
}

export function createTypesetter(pdf: PDFKit.PDFDocument): Typesetter {
  let direction: ReturnType<GetDirection>;
  const book = createFontBook(pdf, () => direction);

  /** Does what lays out a run, in the direction of the run. */
  function runInDirection<Result>({ level }: Run, layOut: () => Result): Result {
    direction = level % 2 === 0 ? 'ltr' : 'rtl';
    try {
      return layOut();
    } finally {
      direction = undefined;
    }
  }

  const measureRun = (run: Run): number =>
    runInDirection(run, () => pdf.font(run.font).fontSize(1).widthOfString(run.text, { features: WHOLE }));

  return {
    measure(face, text) {
      const runs = splitRuns(book, face, text);
      if (runs === undefined) return pdf.font(face).fontSize(1).widthOfString(text);
      return runs.reduce((sum, run) => sum + measureRun(run), 0);
    },
    hasLetter: (face, letter) => {
      const codePoint = letter.codePointAt(0) ?? 0;
      return book.hasLetter(face, codePoint) || findSlice([codePoint], letter) !== undefined;
    },
    write(text, { face, size, x, y, baseline }) {
      const runs = splitRuns(book, face, text);
      if (runs === undefined) {
        const options = { lineBreak: false, ...(baseline === undefined ? {} : { baseline }) };
        pdf.font(face).fontSize(size).text(text, x, y, options);
        return;
      }
      const widths = runs.map((run) => measureRun(run) * size);
      const lefts = placeRuns(runs, widths, x);
      const ascent = baseline === undefined ? measureAscent(pdf, face, size) : 0;
      const options = { lineBreak: false, baseline: 'alphabetic', features: WHOLE } as const;
      // Runs are written in the order of reading, for readers of the text; their places are those of the eye.
      for (const [index, run] of runs.entries())
        runInDirection(run, () =>
          pdf
            .font(run.font)
            .fontSize(size)
            .text(run.text, lefts[index] ?? x, y + ascent, options),
        );
    },
  };
}

function chooseFont(pdf: PDFKit.PDFDocument, face: Face): ParsedFont {
  const font = getChosenFont(pdf.font(face));
  if (font === null) throw new Error('the PDF library does not say which letters its font has');
  return font;
}

/** The distance from the top of a line to its baseline, so that all fonts of a line stand on one. */
function measureAscent(pdf: PDFKit.PDFDocument, face: Face, size: number): number {
  const ascent: unknown = Reflect.get(chooseFont(pdf, face), 'ascent');
  const unitsPerEm: unknown = Reflect.get(chooseFont(pdf, face), 'unitsPerEm');
  return (Number(ascent) / Number(unitsPerEm)) * size;
}

function placeRuns(runs: readonly Run[], widths: readonly number[], x: number): number[] {
  const lefts: number[] = [];
  let left = x;
  for (const place of orderRuns(runs.map(({ level }) => level))) {
    lefts[place] = left;
    left += widths[place] ?? 0;
  }
  return lefts;
}
