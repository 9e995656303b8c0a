/**
 * The fonts of scripts that the face of a document lacks. Each family is cut into slices by code point; a document
 * embeds the letters that it uses, from the slices that have them.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { remember } from '#core/remember.ts';
import { isCovered, parseFont, type ParsedFont } from './parsed-font.ts';

const families = ['devanagari', 'thai', 'sc', 'jp', 'kr', 'emoji'] as const;
type Family = (typeof families)[number];

export interface Slice {
  /** Different for each slice of each family. */
  readonly name: string;
  readonly font: ParsedFont;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly slice: string;
}

/** Parsed slices that are kept; the one that was parsed first goes first. */
const PARSED_MAX = 80;

function getPackageName(family: Family): string {
  return `@fontsource-variable/${family === 'emoji' ? 'noto-emoji' : `noto-sans-${family}`}`;
}

function readPackageFile(family: Family, path: string): Buffer {
  return readFileSync(fileURLToPath(import.meta.resolve(`${getPackageName(family)}/${path}`)));
}

/** Reads which slice holds which code points; the package writes them as CSS does, `U+900-97f,U+20b9`. */
function readRanges(family: Family): readonly Range[] {
  const listed: unknown = JSON.parse(readPackageFile(family, 'unicode.json').toString('utf8'));
  if (typeof listed !== 'object' || listed === null) throw new Error(`${family} lists no code points`);
  return Object.entries(listed).flatMap(([key, ranges]) =>
    String(ranges)
      .split(',')
      .map((range) => {
        const [from = '', to = from] = range.replace(/^U\+/i, '').split('-');
        return {
          from: Number.parseInt(from, 16),
          to: Number.parseInt(to, 16),
          slice: key.replaceAll(/[[\]]/g, ''),
        };
      }),
  );
}

const loadRanges = Object.fromEntries(families.map((family) => [family, remember(() => readRanges(family))]));

const parsed = new Map<string, Slice>();

function loadSlice(family: Family, slice: string): Slice {
  const name = `${family}-${slice}`;
  const cached = parsed.get(name);
  if (cached !== undefined) return cached;
  const file = `files/${getPackageName(family).split('/')[1]}-${slice}-wght-normal.woff2`;
  const loaded = { name, font: parseFont(readPackageFile(family, file)) };
  for (const oldest of parsed.keys()) {
    if (parsed.size < PARSED_MAX) break;
    parsed.delete(oldest);
  }
  parsed.set(name, loaded);
  return loaded;
}

/**
 * Chinese, Japanese and Korean share code points and write some of them differently, so kana or Hangul beside a letter
 * decide; without either, it is written as Chinese.
 */
export function chooseHan(context: string): 'sc' | 'jp' | 'kr' {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(context)) return 'jp';
  return /\p{Script=Hangul}/u.test(context) ? 'kr' : 'sc';
}

/** Families in the order in which a letter is looked for. */
function listFamilies(letter: string, context: string): readonly Family[] {
  const first = /\p{Extended_Pictographic}/u.test(letter) ? 'emoji' : chooseHan(context);
  return [first, ...families.filter((family) => family !== first)];
}

const CHOSEN_MAX = 20_000;
const chosen = new Map<string, readonly [Family, string] | null>();

/** Returns the slice that has every given code point; `context` is the text that they stand in. */
export function findSlice(codePoints: readonly number[], context: string): Slice | undefined {
  const key = `${codePoints.join(' ')} ${chooseHan(context)}`;
  const cached = chosen.get(key);
  if (cached !== undefined) return cached === null ? undefined : loadSlice(...cached);
  const slice = searchSlice(codePoints, context);
  if (chosen.size < CHOSEN_MAX) chosen.set(key, slice ?? null);
  return slice === undefined ? undefined : loadSlice(...slice);
}

function searchSlice(codePoints: readonly number[], context: string): readonly [Family, string] | undefined {
  const [first] = codePoints;
  if (first === undefined) return undefined;
  for (const family of listFamilies(String.fromCodePoint(first), context)) {
    for (const { from, to, slice } of loadRanges[family]?.() ?? []) {
      if (first < from || first > to) continue;
      const { font } = loadSlice(family, slice);
      if (codePoints.every((codePoint) => isCovered(font, codePoint))) return [family, slice];
    }
  }
  return undefined;
}
