/** Breaks text into lines of a width. The width of each word is measured once. */
import type { Face, TextStyle } from './style.ts';

/** Returns the width of a text in points at a font size of one point. */
export type Measure = (face: Face, text: string) => number;

export interface Words {
  measureWidth(style: TextStyle, text: string): number;
  /** Returns at least one line; words longer than a line are broken. */
  breakLines(style: TextStyle, text: string, width: number): string[];
  /** Returns printable text, with a box in place of each letter that no font has. */
  readonly toPrintable: (face: Face, text: string) => string;
}

/** A name may break after these characters, if no short line results. */
const JOINTS: ReadonlySet<string> = new Set(['_', '-', '.', '/', ':', '|', ',', ';']);
const MEASURED_MAX = 20_000;
/** Matches most texts; every font has these characters. */
const PLAIN = /^[ -~\n]*$/;
/** White space, controls, joiners and selectors of variants. */
const NEEDS_NO_GLYPH = /[\s\p{C}\p{Default_Ignorable_Code_Point}]/u;
/** A joiner shapes the letters of these scripts; beside any other it would only hide. */
const IDLE_JOINER =
  /(?<![\p{Script=Arabic}\p{Script=Devanagari}\p{M}])[\u200c\u200d]|[\u200c\u200d](?![\p{Script=Arabic}\p{Script=Devanagari}])/gu;
const graphemes = new Intl.Segmenter('en');

/** Whether a font has a letter, which is one code point. */
export type Covers = (face: Face, letter: string) => boolean;

/** Replaces a letter that no font has, so that readers see that one is missing. */
const SUBSTITUTE = '\u25a1';

export function createWords(measureOnce: Measure, covers: Covers): Words {
  const widths = new Map<string, number>();

  function measure(face: Face, text: string): number {
    const key = `${face} ${text}`;
    const width = widths.get(key) ?? measureOnce(face, text);
    if (widths.size < MEASURED_MAX) widths.set(key, width);
    return width;
  }

  const measureWidth = (style: TextStyle, text: string): number => measure(style.face, text) * style.size;

  const hasLetter = (face: Face, letter: string): boolean =>
    NEEDS_NO_GLYPH.test(letter) || covers(face, letter);
  const substitute = (face: Face, text: string): string =>
    Array.from(text, (letter) => (hasLetter(face, letter) ? letter : SUBSTITUTE)).join('');

  /** Returns the longest beginning of a word that fits; never empty, so that the loop advances. */
  function takeFitting(style: TextStyle, word: string, width: number): string {
    const letters = [...graphemes.segment(word)].map(({ segment }) => segment);
    let count = 1;
    while (count < letters.length && measureWidth(style, letters.slice(0, count + 1).join('')) <= width)
      count += 1;
    if (count === letters.length) return word;
    const joint = letters.slice(0, count).findLastIndex((letter) => JOINTS.has(letter)) + 1;
    return letters.slice(0, joint > count / 2 ? joint : count).join('');
  }

  function breakParagraph(style: TextStyle, paragraph: string, width: number): string[] {
    const space = measureWidth(style, ' ');
    const lines: string[] = [];
    let line = '';
    let used = 0;
    const finishLine = (): void => {
      lines.push(line);
      line = '';
      used = 0;
    };
    for (let word of paragraph.split(/\s+/).filter((part) => part !== '')) {
      while (measureWidth(style, word) > width) {
        if (line !== '') finishLine();
        const head = takeFitting(style, word, width);
        if (head.length === word.length) break;
        lines.push(head);
        word = word.slice(head.length);
      }
      const wide = measureWidth(style, word);
      if (line !== '' && used + space + wide > width) finishLine();
      used += (line === '' ? 0 : space) + wide;
      line = line === '' ? word : `${line} ${word}`;
    }
    if (line !== '' || lines.length === 0) lines.push(line);
    return lines;
  }

  const toPrintable = (face: Face, text: string): string =>
    removeInvisible(PLAIN.test(text) ? text : substitute(face, text));

  return {
    measureWidth: measureWidth,
    toPrintable,
    breakLines: (style, text, width) =>
      toPrintable(style.face, text)
        .split('\n')
        .flatMap((paragraph) => breakParagraph(style, paragraph, width)),
  };
}

/** Removes control characters and invisible direction marks, which would shift or hide the text beside them. */
export function removeInvisible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(IDLE_JOINER, '');
}
