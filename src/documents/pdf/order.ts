/** Puts the runs of a line in the order in which they are seen (Unicode Standard Annex #9). */
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
