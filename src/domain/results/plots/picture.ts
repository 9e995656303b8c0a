/** What every picture of a result has around its plots: title, the result in one line, flags, where it comes from. */
import { text } from '../plot-panel.ts';
import { px } from '../plot-scale.ts';
import { colourOf, fill, FONT, stroke, styleSheet, type Colour } from '../plot-style.ts';
import { emptyText, escapeXml, fitText, flagsText, wrapText } from '../plot-text.ts';
import type { ResultCurves } from '../store.ts';
import { resultLine } from './words.ts';

export const MARGIN = 24;
export const FOOT_TEXT = { size: 11, colour: colourOf('muted') } as const;
const FOOT_HEIGHT = 30;
const EMPTY_SIZE = { width: 720, height: 130 } as const;

export interface Body {
  readonly width: number;
  /** Of the plots, between the head and the foot. */
  readonly height: number;
  readonly parts: (top: number) => readonly string[];
  /** What the marks mean; stands in the foot. */
  readonly key: string;
  readonly series: readonly Colour[];
  /** For those who cannot see the picture. */
  readonly description: string;
}

/** The whole picture; without a body it says that there is nothing to draw, and why. */
export function picture(result: ResultCurves, body: Body | null): string {
  const drawn = body ?? emptyBody(result);
  const { width, series } = drawn;
  const head = headOf(result, width);
  const bottom = head.height + drawn.height;
  const height = bottom + FOOT_HEIGHT;
  const label = escapeXml(result.title);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="sensorgram" role="img" aria-label="${label}" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}">`,
    `<title>${label}</title>`,
    `<desc>${escapeXml(`${drawn.description}: ${resultLine(result)}.`)}</desc>`,
    `<style>${styleSheet(series)}</style>`,
    `<rect width="100%" height="100%" ${fill(colourOf('paper'))}/>`,
    ...head.parts,
    ...drawn.parts(head.height),
    text(MARGIN, bottom + 8, fitText(drawn.key, 11, width - 2 * MARGIN - 120), FOOT_TEXT),
    sourceOf(result, width, bottom),
    `</svg>`,
    '',
  ].join('\n');
}

function emptyBody(result: ResultCurves): Body {
  const { width, height } = EMPTY_SIZE;
  const sentence = emptyText(result.outcome).replace('sensorgrams', 'curves');
  return {
    width,
    height: height + 14,
    series: [],
    key: '',
    description: `${result.title}, nothing to draw`,
    parts: (top) => [
      `<rect x="${MARGIN}" y="${px(top + 14)}" width="${width - 2 * MARGIN}" height="${height - 14}" rx="4" ${stroke(colourOf('phase'), 1)} stroke-dasharray="3 3"/>`,
      text(width / 2, top + height / 2 + 12, sentence, {
        anchor: 'middle',
        size: 14,
        colour: colourOf('muted'),
      }),
    ],
  };
}

/** Title, result, flags. */
export function headOf(result: ResultCurves, width: number): { height: number; parts: string[] } {
  const room = width - 2 * MARGIN;
  const parts: string[] = [];
  let y = 14;
  for (const line of wrapText(result.title, { size: 18, width: room, lines: 2 })) {
    y += 24;
    parts.push(text(MARGIN, y, line, { size: 18, weight: 650 }));
  }
  y += 22;
  parts.push(text(MARGIN, y, fitText(capitalized(resultLine(result)), 14, room), { size: 14 }));
  if (result.flags.length > 0) {
    const said = `${result.flags.length === 1 ? 'Flag' : 'Flags'}: ${flagsText(result.flags)}`;
    for (const line of wrapText(said, { size: 12, width: room, lines: 3 })) {
      y += 18;
      parts.push(text(MARGIN, y, line, { size: 12, colour: colourOf('warning') }));
    }
  }
  return { height: y + 12, parts };
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Where the picture comes from. */
export function sourceOf(result: ResultCurves, width: number, top: number): string {
  return text(width - MARGIN, top + 8, fitText(result.experiment_code, 11, 200), {
    ...FOOT_TEXT,
    anchor: 'end',
  });
}
