/**
 * Layouts that cannot tell an effect of the plate from a sample: all replicates of a sample share a row or a column,
 * and nothing else shows the effect of that line. The scatter of such replicates does not contain it, so it is added
 * to their intervals.
 */
import { locateWell } from '#core/wells.ts';
import { computeMean, type Variance, computeT95 } from '#analysis/numerics/statistics.ts';
import type { EffectModel, PlacedValue } from './plate-effects.ts';

export type LineKind = 'row' | 'column';

/** A row or column in which all or most wells of a sample lie. */
export interface SharedLine {
  kind: LineKind;
  /** `C` or `7`. */
  name: string;
  /** Whether all of the wells lie in it, and nothing else on the plate shows its effect. */
  isBlind: boolean;
  /** Variance that it adds to the mean of these wells, relative to their value squared. */
  variance: Variance;
}

/**
 * SD of ln(signal) between rows or columns of a plate on which nothing shows it: its 95 % interval is a factor of 1.63.
 * Clogged tips, uneven temperature and evaporation give effects of 10 to 40 %.
 */
const USUAL_SD = 0.25;
/** Wells that replicates must have beyond one per sample, and lines that they must lie in, to show the effects. */
const FREEDOM_MIN = 4;
const LINES_MIN = 3;

/** Returns the lines in which several of these wells lie, with what each may add to their mean. */
export type FindSharedLines = (wells: readonly string[]) => SharedLine[];

/** `values` are the signals of all wells but blanks, grouped by sample. */
export function createLineFinder(
  values: readonly PlacedValue[],
  model: EffectModel,
  { isCorrected }: { isCorrected: boolean },
): FindSharedLines {
  const usual = { row: estimateVariance(values, 'row'), column: estimateVariance(values, 'column') };
  const known = { row: model.effects.rowsPct ?? {}, column: model.effects.columnsPct ?? {} };
  return (wells) =>
    (['row', 'column'] as const).flatMap((kind) => {
      const lines = Map.groupBy(wells, (well) => getLine(well, kind));
      const [largest] = [...lines].sort(([, a], [, b]) => b.length - a.length);
      if (largest === undefined || largest[0] === null) return [];
      const name = nameLine(largest[0], kind);
      const effectPct = lines.size === 1 ? known[kind][name] : undefined;
      if (effectPct !== undefined) {
        const left = isCorrected ? 0 : effectPct / 100;
        return {
          kind,
          name,
          isBlind: false,
          variance: { variance: left ** 2, freedom: Number.POSITIVE_INFINITY },
        };
      }
      const hidden = computeHiddenPart([...lines.values()].map(({ length }) => length));
      if (hidden === 0) return [];
      const { variance, freedom } = toRelative(usual[kind]);
      return { kind, name, isBlind: lines.size === 1, variance: { variance: hidden * variance, freedom } };
    });
}

/**
 * The part of the variance between lines that the scatter of wells does not show: all of it where they share one line,
 * none where each has its own. `counts` are the wells in each line.
 */
function computeHiddenPart(counts: readonly number[]): number {
  const n = counts.reduce((sum, count) => sum + count, 0);
  if (n < 2) return 1;
  return (counts.reduce((sum, count) => sum + count ** 2, 0) / n - 1) / (n - 1);
}

/** The variance of a factor whose 95 % interval reaches as far up as that of its logarithm. */
function toRelative({ variance, freedom }: Variance): Variance {
  const t = computeT95(freedom);
  return { variance: (Math.expm1(t * Math.sqrt(variance)) / t) ** 2, freedom };
}

/** How far a value may be off at 95 %, as a factor. */
export function computeFactor95({ variance, freedom }: Variance): number {
  return 1 + computeT95(freedom) * Math.sqrt(variance);
}

/**
 * Estimates how much lines differ from replicates that lie in several of them; their other scatter makes the estimate
 * larger. Without enough of them the usual size of such effects is taken.
 */
function estimateVariance(values: readonly PlacedValue[], kind: LineKind): Variance {
  let squares = 0;
  let freedom = 0;
  const lines = new Set<number>();
  for (const members of Map.groupBy(values, ({ group }) => group).values()) {
    const placed = [...Map.groupBy(members, ({ well }) => getLine(well, kind)).entries()].flatMap(
      ([line, each]) =>
        line === null ? [] : { line, value: computeMean(each.map(({ value }) => Math.log(value))) },
    );
    if (placed.length < 2) continue;
    const center = computeMean(placed.map(({ value }) => value));
    for (const { line, value } of placed) {
      squares += (value - center) ** 2;
      lines.add(line);
    }
    freedom += placed.length - 1;
  }
  if (freedom < FREEDOM_MIN || lines.size < LINES_MIN)
    return { variance: USUAL_SD ** 2, freedom: Number.POSITIVE_INFINITY };
  return { variance: squares / freedom, freedom };
}

function getLine(well: string, kind: LineKind): number | null {
  return locateWell(well)?.[kind] ?? null;
}

function nameLine(line: number, kind: LineKind): string {
  return kind === 'row' ? String.fromCharCode(65 + line) : String(line + 1);
}
