/**
 * A figure as data: marks and their positions, in pixels from the upper left corner. Figures create scenes; `svg.ts`
 * writes a scene as SVG, and `pdf/scene.ts` draws the same scene into a PDF. Positions are rounded to a tenth of a
 * pixel, so both agree.
 * This folder: how things look: one model of a drawing, rendered as SVG and as PDF. Not here: facts, SQL, HTTP.
 */
import type { Color } from './colors.ts';

/** The paint of a mark: an area, a line, or an area with an edge. */
export interface Paint {
  readonly fill?: Color;
  readonly fillOpacity?: number;
  readonly stroke?: Color;
  readonly strokeWidth?: number;
  /** Alternating lengths of line and gap. */
  readonly dash?: readonly number[];
  readonly strokeOpacity?: number;
  /** Corners and ends of lines; square unless stated. */
  readonly join?: 'round';
  readonly cap?: 'round';
}

export type LineStyle = Pick<Paint, 'dash' | 'strokeOpacity' | 'join' | 'cap'>;

export interface TextStyle {
  readonly size?: number;
  /** From 600 on the bold face is used. */
  readonly weight?: number;
  /** The point of the text at its position; its beginning unless stated. */
  readonly anchor?: 'middle' | 'end';
  readonly color?: Color;
  /** Whether the text runs upward. */
  readonly turned?: boolean;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

interface Box extends Place {
  readonly width: number;
  readonly height: number;
}

export type Mark =
  | { readonly kind: 'group'; readonly marks: readonly Mark[] }
  /** `d` is path data of SVG 2, which both renderers read. */
  | { readonly kind: 'path'; readonly d: string; readonly paint: Paint }
  | (Place & { readonly kind: 'circle'; readonly radius: number; readonly paint: Paint })
  | (Box & { readonly kind: 'rect'; readonly radius: number; readonly paint: Paint })
  /** Text on one line. */
  | (Place & { readonly kind: 'text'; readonly text: string; readonly style: TextStyle });

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** Alternative text for people who cannot see the figure. */
  readonly description: string;
  /** Colors beyond those of every figure; the dark look needs them. */
  readonly series: readonly Color[];
  readonly marks: readonly Mark[];
}

/** Size of the smallest letters, and of every text without a size. */
export const TEXT_SIZE = 11;
/** From this weight on the bold face is used. */
export const BOLD_FROM = 600;

export function createStroke(color: Color, width: number, style: LineStyle = {}): Paint {
  return { stroke: color, strokeWidth: width, ...style };
}

export function fill(color: Color, opacity?: number): Paint {
  return { fill: color, ...(opacity === undefined ? {} : { fillOpacity: opacity }) };
}

export function group(marks: readonly Mark[]): Mark {
  return { kind: 'group', marks };
}

export function drawPath(d: string, paint: Paint): Mark {
  return { kind: 'path', d, paint };
}

/** Returns no mark for an empty path. */
export function drawPathIfAny(d: string, paint: Paint): Mark[] {
  return d === '' ? [] : [drawPath(d, paint)];
}

export function drawCircle(x: number, y: number, radius: number, paint: Paint): Mark {
  return { kind: 'circle', x: toTenth(x), y: toTenth(y), radius, paint };
}

export function drawRect({ x, y, width, height }: Box, paint: Paint, radius = 0): Mark {
  const box = { x: toTenth(x), y: toTenth(y), width: toTenth(width), height: toTenth(height) };
  return { kind: 'rect', ...box, radius, paint };
}

export function drawText(x: number, y: number, content: string, style: TextStyle = {}): Mark {
  return { kind: 'text', x: toTenth(x), y: toTenth(y), text: toLine(content), style };
}

/** Rounds to a tenth; never returns negative zero. */
export function toTenth(value: number): number {
  const rounded = Math.round(value * 10) / 10;
  return rounded === 0 ? 0 : rounded;
}

/** Characters that XML 1.0 forbids, after white space is normalized; lone surrogates are handled separately. */
const FORBIDDEN = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;
/** Text must not change the direction of the text around it. */
const REORDERING = /\p{Bidi_Control}/gu;

/** Returns text that is valid in any figure, on one line. */
export function toLine(content: string): string {
  return content.toWellFormed().replace(/\s+/g, ' ').replace(FORBIDDEN, '\ufffd').replace(REORDERING, '');
}
