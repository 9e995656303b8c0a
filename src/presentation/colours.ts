/**
 * Colours of the pictures, each with a light and a dark look. In SVG every mark carries its light colour as an
 * attribute, so the picture is right where style sheets do not reach (print workflows, slides); the style sheet adds
 * the dark look on screens that ask for it.
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
 * Low to high concentration. Lightness rises with it in even steps, so that colour blindness and grey print keep the
 * order; every step stands off the paper and off the fit that is drawn over it.
 */
const RAMP = {
  light: ['#432da8', '#862f9e', '#ba387f', '#d8544e', '#d07c1e'],
  dark: ['#5f63ea', '#9a66ee', '#d668c2', '#f08484', '#f0b054'],
} as const;
const UNKNOWN = { light: '#7d848d', dark: '#a4acb7' } as const;

export interface Colour {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

/** The colour of place `index` among `count` ascending concentrations; a negative index has none. */
export function seriesColour(index: number, count: number): Colour {
  if (index < 0) return { name: 'cx', ...UNKNOWN };
  const at = count === 1 ? 0.5 : index / (count - 1);
  return { name: `c${index}`, light: ramp(RAMP.light, at), dark: ramp(RAMP.dark, at) };
}

/** The colour at a share of the way along evenly spaced stops. */
export function ramp(stops: readonly string[], at: number): string {
  const position = at * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(position));
  const [from, to] = [channels(stops[index]), channels(stops[index + 1])];
  const mixed = from.map((value, place) =>
    Math.round(value + ((to[place] ?? value) - value) * (position - index)),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channels(hex = '#000000'): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}

export function colourOf(token: Token): Colour {
  return { name: token, ...TOKENS[token] };
}

/** Those that every picture has. */
export const TOKEN_COLOURS: readonly Colour[] = Object.entries(TOKENS).map(([name, look]) => ({
  name,
  ...look,
}));
