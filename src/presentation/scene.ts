/**
 * A picture as data: what is drawn where, in pixels from the upper left corner. Figures make scenes; `svg.ts` writes
 * one as SVG, `pdf/scene.ts` draws the same one into a PDF. Places are kept to a tenth of a pixel, so both agree.
 * This folder: how things look: one model of a drawing, rendered as SVG and as PDF. Not here: facts, SQL, HTTP.
 */
import type { Colour } from './colours.ts';

/** What is drawn with: an area, a line, or an area with an edge. */
export interface Paint {
  readonly fill?: Colour;
  readonly fillOpacity?: number;
  readonly stroke?: Colour;
  readonly strokeWidth?: number;
  /** Lengths of line and gap in turn. */
  readonly dash?: readonly number[];
  readonly strokeOpacity?: number;
  /** Corners and ends of lines; square unless said otherwise. */
  readonly join?: 'round';
  readonly cap?: 'round';
}

export type LineStyle = Pick<Paint, 'dash' | 'strokeOpacity' | 'join' | 'cap'>;

export interface TextStyle {
  readonly size?: number;
  /** From 600 on the bold face is taken. */
  readonly weight?: number;
  /** Which end of the text stands at its place; the beginning unless said otherwise. */
  readonly anchor?: 'middle' | 'end';
  readonly colour?: Colour;
  /** Runs upwards. */
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
  /** On one line. */
  | (Place & { readonly kind: 'text'; readonly text: string; readonly style: TextStyle });

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** For those who cannot see the picture. */
  readonly description: string;
  /** Colours beyond those that every picture has; for the dark look. */
  readonly series: readonly Colour[];
  readonly marks: readonly Mark[];
}

/** The smallest letters, and those of every text that does not say its size. */
export const TEXT_SIZE = 11;
/** From this weight on the bold face is taken. */
export const BOLD_FROM = 600;

export function stroke(colour: Colour, width: number, style: LineStyle = {}): Paint {
  return { stroke: colour, strokeWidth: width, ...style };
}

export function fill(colour: Colour, opacity?: number): Paint {
  return { fill: colour, ...(opacity === undefined ? {} : { fillOpacity: opacity }) };
}

export function group(marks: readonly Mark[]): Mark {
  return { kind: 'group', marks };
}

export function path(d: string, paint: Paint): Mark {
  return { kind: 'path', d, paint };
}

/** No mark where there is nothing to follow. */
export function pathIfAny(d: string, paint: Paint): Mark[] {
  return d === '' ? [] : [path(d, paint)];
}

export function circle(x: number, y: number, radius: number, paint: Paint): Mark {
  return { kind: 'circle', x: toTenth(x), y: toTenth(y), radius, paint };
}

export function rect({ x, y, width, height }: Box, paint: Paint, radius = 0): Mark {
  const box = { x: toTenth(x), y: toTenth(y), width: toTenth(width), height: toTenth(height) };
  return { kind: 'rect', ...box, radius, paint };
}

export function text(x: number, y: number, content: string, style: TextStyle = {}): Mark {
  return { kind: 'text', x: toTenth(x), y: toTenth(y), text: toLine(content), style };
}

/** Never negative zero. */
export function toTenth(value: number): number {
  const rounded = Math.round(value * 10) / 10;
  return rounded === 0 ? 0 : rounded;
}

/** What XML 1.0 forbids once white space is plain; lone surrogates are handled apart. */
const FORBIDDEN = /[\p{Cc}\p{Noncharacter_Code_Point}]/gu;
/** Text may not change the direction of what stands around it. */
const REORDERING = /\p{Bidi_Control}/gu;

/** Text that may stand in any picture, on one line. */
export function toLine(content: string): string {
  return content.toWellFormed().replace(/\s+/g, ' ').replace(FORBIDDEN, '\ufffd').replace(REORDERING, '');
}
