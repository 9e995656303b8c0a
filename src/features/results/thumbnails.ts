/** The curves of a result as a small picture: one replicate, each curve at the same few points, in small integers. */
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts';
import type { Curve, MeltCurve, Sensorgram } from './curves.ts';

/** Points of a curve, evenly over its axis. */
const POINTS = 48;
const LEVELS = 255;

export const Thumbnail = Type.Object({
  kind: Nullable(OneOf(['sensorgram', 'melt']), { description: 'null without curves to show' }),
  signal_unit: Type.String({ description: 'unit of `low` and `high`' }),
  start: Type.Number({ description: 'where the curves begin: s for a sensorgram, °C for a melt' }),
  end: Type.Number({ description: 'where they end' }),
  low: Type.Number({ description: 'signal of the value 0' }),
  high: Type.Number({ description: `signal of the value ${LEVELS}` }),
  curves: Type.Array(
    Type.Object({
      concentration_m: Nullable(Type.Number(), { description: 'of the antigen, in M; null without one' }),
      values: Type.Array(Nullable(Type.Integer()), {
        description: `${POINTS} signals, evenly from \`start\` to \`end\`, 0 to ${LEVELS}; null where the curve has none`,
      }),
    }),
    { description: 'of the first replicate, by concentration' },
  ),
});
type Thumbnail = Static<typeof Thumbnail>;

interface Line {
  readonly dose: number | null;
  readonly xs: readonly number[];
  readonly ys: readonly (number | null | undefined)[];
}

/** Takes the fit where there is one, because it has no noise. */
export function computeThumbnail(signalUnit: string, curves: readonly Curve[]): Thumbnail {
  const sensorgrams = takeFirst(curves.filter((curve): curve is Sensorgram => curve.kind === 'sensorgram'));
  const melts = takeFirst(curves.filter((curve): curve is MeltCurve => curve.kind === 'melt')).slice(0, 1);
  const lines: Line[] =
    sensorgrams.length > 0
      ? sensorgrams.map((curve) => ({
          dose: curve.concentration_m,
          xs: curve.time_s,
          ys: curve.fit ?? curve.signal,
        }))
      : melts.map((curve) => ({ dose: null, xs: curve.temperature_c, ys: curve.signal }));
  const drawn = lines.filter(({ xs }) => xs.length > 1).toSorted((a, b) => (a.dose ?? 0) - (b.dose ?? 0));
  const kind = drawn.length === 0 ? null : sensorgrams.length > 0 ? 'sensorgram' : 'melt';
  const ends = drawn.flatMap(({ xs }) => [xs[0] ?? 0, xs.at(-1) ?? 0]);
  const [start, end] = findRange(ends);
  const signals = drawn.flatMap(({ ys }) => ys.filter((y): y is number => isNumber(y)));
  const [low, high] = findRange(kind === 'sensorgram' ? [0, ...signals] : signals);
  const toLevel = (y: number | null): number | null =>
    y === null ? null : Math.round(((y - low) / (high - low || 1)) * LEVELS);
  return {
    kind,
    signal_unit: signalUnit,
    start: round(start),
    end: round(end),
    low: round(low),
    high: round(high),
    curves: drawn.map((line) => ({
      concentration_m: line.dose,
      values: sample(line, start, end).map(toLevel),
    })),
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const round = (value: number): number => Number(value.toPrecision(4));

function findRange(values: readonly number[]): [low: number, high: number] {
  if (values.length === 0) return [0, 0];
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

function takeFirst<Own extends Sensorgram | MeltCurve>(curves: readonly Own[]): Own[] {
  const kept = curves.filter((curve) => !('excluded' in curve && curve.excluded === true));
  const all = kept.length > 0 ? kept : curves;
  const first = Math.min(...all.map(({ replicate }) => replicate));
  return all.filter(({ replicate }) => replicate === first);
}

/** Reads the line at even places; between two points on a straight line, and nothing beyond its ends. */
function sample({ xs, ys }: Line, start: number, end: number): (number | null)[] {
  let at = 0;
  return Array.from({ length: POINTS }, (_, index) => {
    const x = start + ((end - start) * index) / (POINTS - 1);
    while (at < xs.length - 2 && (xs[at + 1] ?? Infinity) < x) at += 1;
    const left = xs[at] ?? 0;
    const right = xs[at + 1] ?? 0;
    const [from, to] = [ys[at], ys[at + 1]];
    const slack = (end - start) * 1e-6;
    if (!isNumber(from) || !isNumber(to) || x < left - slack || x > right + slack) return null;
    return from + (to - from) * Math.min(1, Math.max(0, (x - left) / (right - left || 1)));
  });
}
