/** Measures in points (1/72 inch) and colors of every document. */
import type { PaperSize } from '#core/context.ts';

export type Face = 'regular' | 'bold';

export interface TextStyle {
  readonly face: Face;
  readonly size: number;
  readonly color: string;
}

const INK = '#171a20';
const MUTED = '#59616e';
export const ACCENT = '#3346b8';
export const LINE = '#d4d9e0';
export const SUNKEN = '#eff1f4';
export const GOOD = '#14663f';
export const ATTENTION = '#8a4b00';

export const styles = {
  title: { face: 'bold', size: 19, color: INK },
  issuer: { face: 'bold', size: 12.5, color: INK },
  heading: { face: 'bold', size: 10.5, color: INK },
  body: { face: 'regular', size: 8.8, color: INK },
  strong: { face: 'bold', size: 8.8, color: INK },
  muted: { face: 'regular', size: 8.2, color: MUTED },
  label: { face: 'bold', size: 7.4, color: MUTED },
  total: { face: 'bold', size: 11, color: INK },
} as const satisfies Record<string, TextStyle>;

const LEADING = 1.42;

export function computeLineHeight(style: TextStyle): number {
  return style.size * LEADING;
}

export const papers: Readonly<Record<PaperSize, { readonly width: number; readonly height: number }>> = {
  a4: { width: 595.28, height: 841.89 },
  letter: { width: 612, height: 792 },
};

export const MARGIN = { top: 48, right: 48, bottom: 62, left: 48 } as const;
export const FOOTER_HEIGHT = 30;
