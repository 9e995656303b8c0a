/** Breaking text into lines of a width. Widths are asked for once per word. */
import type { Face, TextStyle } from './style.ts';

/** The width of a text in points at a size of one point. */
export type Measure = (face: Face, text: string) => number;

export interface Words {
  width(style: TextStyle, text: string): number;
  /** At least one line; words longer than a line are broken within. */
  lines(style: TextStyle, text: string, width: number): string[];
  /** The text as it can be printed, with a box for each letter that the face does not have. */
  readonly toPrintable: (face: Face, text: string) => string;
}

/** After these a name may break, where that leaves no short line. */
const JOINTS: ReadonlySet<string> = new Set(['_', '-', '.', '/', ':', '|', ',', ';']);
const MEASURED_MAX = 20_000;
/** What most texts are made of, and every font has. */
const PLAIN = /^[ -~\n]*$/;
const graphemes = new Intl.Segmenter('en');

/** Whether a face has a letter for a code point. */
export type Covers = (face: Face, codePoint: number) => boolean;

/** Stands for a letter that the face does not have, so that a reader sees that one is there. */
const SUBSTITUTE = '\u25a1';

export function createWords(measureOnce: Measure, covers: Covers): Words {
  const known = new Map<string, number>();

  function measure(face: Face, text: string): number {
    const key = `${face} ${text}`;
    const found = known.get(key) ?? measureOnce(face, text);
    if (known.size < MEASURED_MAX) known.set(key, found);
    return found;
  }

  const widthOf = (style: TextStyle, text: string): number => measure(style.face, text) * style.size;

  const hasLetter = (face: Face, letter: string): boolean =>
    /\s|\p{C}/u.test(letter) || covers(face, letter.codePointAt(0) ?? 0);
  const substitute = (face: Face, text: string): string =>
    Array.from(text, (letter) => (hasLetter(face, letter) ? letter : SUBSTITUTE)).join('');

  /** The longest beginning of a word that fits; never empty, so that every call gets on. */
  function fitting(style: TextStyle, word: string, width: number): string {
    const letters = [...graphemes.segment(word)].map(({ segment }) => segment);
    let count = 1;
    while (count < letters.length && widthOf(style, letters.slice(0, count + 1).join('')) <= width)
      count += 1;
    if (count === letters.length) return word;
    const joint = letters.slice(0, count).findLastIndex((letter) => JOINTS.has(letter)) + 1;
    return letters.slice(0, joint > count / 2 ? joint : count).join('');
  }

  function linesOf(style: TextStyle, paragraph: string, width: number): string[] {
    const space = widthOf(style, ' ');
    const lines: string[] = [];
    let line = '';
    let used = 0;
    const end = (): void => {
      lines.push(line);
      line = '';
      used = 0;
    };
    for (let word of paragraph.split(/\s+/).filter((part) => part !== '')) {
      while (widthOf(style, word) > width) {
        if (line !== '') end();
        const head = fitting(style, word, width);
        if (head.length === word.length) break;
        lines.push(head);
        word = word.slice(head.length);
      }
      const wide = widthOf(style, word);
      if (line !== '' && used + space + wide > width) end();
      used += (line === '' ? 0 : space) + wide;
      line = line === '' ? word : `${line} ${word}`;
    }
    if (line !== '' || lines.length === 0) lines.push(line);
    return lines;
  }

  const toPrintable = (face: Face, text: string): string =>
    removeInvisible(PLAIN.test(text) ? text : substitute(face, text));

  return {
    width: widthOf,
    toPrintable,
    lines: (style, text, width) =>
      toPrintable(style.face, text)
        .split('\n')
        .flatMap((paragraph) => linesOf(style, paragraph, width)),
  };
}

/** Control characters and invisible marks of direction would shift or hide what is printed beside them. */
export function removeInvisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
