/**
 * Colors of the figures, each in a light and a dark look. In SVG every mark has its light color as an attribute, so
 * the figure is correct where style sheets are ignored (print workflows, slides); the style sheet adds the dark look
 * for screens that prefer it.
 */

const TOKENS = {
  paper: { light: '#ffffff', dark: '#14171c' },
  ink: { light: '#1a1d21', dark: '#eceef1' },
  muted: { light: '#5b626b', dark: '#a4acb7' },
  axis: { light: '#7d848d', dark: '#79818d' },
  grid: { light: '#eceef0', dark: '#262b33' },
  phase: { light: '#a9b0b8', dark: '#59616d' },
  warning: { light: '#8a4b00', dark: '#f0b65a' },
  fit: { light: '#111316', dark: '#fbfcfd' },
} as const;
export type Token = keyof typeof TOKENS;

/**
 * Colors from low to high concentration. Lightness changes with concentration in even steps, so that the order is
 * visible to the color-blind and in grayscale print; every color contrasts with the paper and with the fit drawn over
 * it.
 */
const RAMP = {
  light: ['#432da8', '#862f9e', '#ba387f', '#d8544e', '#d07c1e'],
  dark: ['#5f63ea', '#9a66ee', '#d668c2', '#f08484', '#f0b054'],
} as const;
const UNKNOWN = { light: '#7d848d', dark: '#a4acb7' } as const;

export interface Color {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

/** Returns the color at position `index` of `count` ascending concentrations; a negative index has no color. */
export function getSeriesColor(index: number, count: number): Color {
  if (index < 0) return { name: 'cx', ...UNKNOWN };
  const at = count === 1 ? 0.5 : index / (count - 1);
  return { name: `c${index}`, light: interpolateRamp(RAMP.light, at), dark: interpolateRamp(RAMP.dark, at) };
}

/** Returns the color at a fraction of the way along evenly spaced stops. */
export function interpolateRamp(stops: readonly string[], at: number): string {
  const position = at * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(position));
  const [from, to] = [parseChannels(stops[index]), parseChannels(stops[index + 1])];
  const mixed = from.map((value, place) =>
    Math.round(value + ((to[place] ?? value) - value) * (position - index)),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function parseChannels(hex = '#000000'): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}

export function getColor(token: Token): Color {
  return { name: token, ...TOKENS[token] };
}

/** The colors that every figure has. */
export const TOKEN_COLORS: readonly Color[] = Object.entries(TOKENS).map(([name, look]) => ({
  name,
  ...look,
}));
