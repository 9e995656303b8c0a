/**
 * The frame of every figure around its plots: title, the result in one line, flags, and the caption beneath.
 * This folder: the figures of results and their captions. Not here: axes, marks and legends (`documents/figures`), the
 * figure of one assay (`assays/<assay>`).
 */
import { capitalizeSentence } from '#core/words.ts';
import { getColor, type Color } from '#documents/colors.ts';
import { FAILED_PLATE, hasFailedPlate } from '../words/failed-plate.ts';
import { describeEmpty, formatFlags } from '../words/results.ts';
import { MARGIN, SMALLEST } from '#documents/figures/panel.ts';
import { wrapText } from '#documents/figures/width.ts';
import type { ResultCurves } from '../store.ts';
import type { ResultWords } from '../words/result-words.ts';
import {
  drawRect,
  createStroke,
  drawText,
  toLine,
  toTenth,
  type Mark,
  type Scene,
} from '#documents/scene.ts';
import type { Curve } from '../curves.ts';

const TITLE = { size: 18, weight: 650 } as const;
const LINE = { size: 14 } as const;
const FLAGS = { size: 12, color: getColor('warning') } as const;
const CAPTION = { size: SMALLEST, color: getColor('muted') } as const;
const CAPTION_PITCH = 15;
const CAPTION_LINES_MAX = 14;
const EMPTY_SIZE = { width: 720, height: 130 } as const;

export interface Body {
  readonly width: number;
  /** Height of the plots, between head and caption. */
  readonly height: number;
  readonly drawParts: (top: number) => readonly Mark[];
  /** Explains the markers and how the numbers were obtained. */
  readonly caption: string;
  readonly series: readonly Color[];
}

interface Head {
  readonly title: string;
  /** The result in a sentence. */
  readonly line: string;
  readonly flags?: readonly string[];
  /** Alternative text for people who cannot see the figure. */
  readonly description: string;
}

/** Composes the figure of one result; without a body it states why there is nothing to draw. */
export function composeResult(
  result: ResultCurves,
  words: ResultWords,
  body: Body | null,
  description?: string,
): Scene {
  const { title, flags } = result;
  const line = capitalizeSentence(words.writeLine(result));
  const alternative = description ?? `${title}, experiment ${result.experiment_code}, nothing to draw`;
  return composeFigure(
    { title, line, flags, description: alternative },
    body ?? drawEmptyBody(result, words),
  );
}

export function composeFigure(head: Head, body: Body): Scene {
  const { width, series } = body;
  const top = drawHead(head, width);
  const bottom = top.height + body.height;
  const caption = drawCaption(body.caption, width, bottom);
  return {
    width: toTenth(width),
    height: toTenth(bottom + caption.height),
    title: toLine(head.title),
    description: toLine(head.description),
    series,
    marks: [...top.parts, ...body.drawParts(top.height), ...caption.parts],
  };
}

function drawEmptyBody(result: ResultCurves, { curves }: ResultWords): Body {
  const { width, height } = EMPTY_SIZE;
  const sentence = describeEmpty(result, curves);
  return {
    width,
    height: height + 14,
    series: [],
    caption: `Experiment ${result.experiment_code}.`,
    drawParts: (top) => [
      drawRect(
        { x: MARGIN, y: top + 14, width: width - 2 * MARGIN, height: height - 14 },
        createStroke(getColor('phase'), 1, { dash: [3, 3] }),
        4,
      ),
      drawText(width / 2, top + height / 2 + 12, sentence, {
        anchor: 'middle',
        size: 14,
        color: getColor('muted'),
      }),
    ],
  };
}

interface Placed {
  readonly height: number;
  readonly parts: readonly Mark[];
}

function drawHead({ title, line, flags = [] }: Head, width: number): Placed {
  const room = width - 2 * MARGIN;
  const parts: Mark[] = [];
  let y = 14;
  for (const each of wrapText(title, { ...TITLE, width: room, lines: 2 })) {
    y += 24;
    parts.push(drawText(MARGIN, y, each, TITLE));
  }
  y += 4;
  for (const each of wrapText(line, { ...LINE, width: room, lines: 2 })) {
    y += 18;
    parts.push(drawText(MARGIN, y, each, LINE));
  }
  if (flags.length > 0) {
    const named = `${flags.length === 1 ? 'Flag' : 'Flags'}: ${formatFlags(flags)}`;
    const remark = hasFailedPlate(flags) ? `In doubt: ${FAILED_PLATE}. ${named}` : named;
    for (const each of wrapText(remark, { size: FLAGS.size, width: room, lines: 3 })) {
      y += 18;
      parts.push(drawText(MARGIN, y, each, FLAGS));
    }
  }
  return { height: y + 12, parts };
}

function drawCaption(caption: string, width: number, top: number): Placed {
  const lines = wrapText(caption, {
    size: CAPTION.size,
    width: width - 2 * MARGIN,
    lines: CAPTION_LINES_MAX,
  });
  return {
    height: 10 + lines.length * CAPTION_PITCH + 12,
    parts: lines.map((line, index) => drawText(MARGIN, top + 14 + index * CAPTION_PITCH, line, CAPTION)),
  };
}

/** Returns the curves of one kind. */
export function selectCurves<Kind extends Curve['kind']>(
  curves: readonly Curve[],
  kind: Kind,
): Extract<Curve, { kind: Kind }>[] {
  return curves.filter((curve): curve is Extract<Curve, { kind: Kind }> => curve.kind === kind);
}
