/** What captions share: by which settings, from how many replicates and in which experiment a number came about. */
import { isRecord, type UnknownRecord } from '#core/records.ts';
import { isLimit } from '#core/relations.ts';
import { formatReplicateOutcome } from '../words/models.ts';
import type { ResultCurves, ShownQuantity } from '../store.ts';

export function readSettings({ analysis }: ResultCurves): UnknownRecord {
  const { settings } = analysis;
  return isRecord(settings) ? settings : {};
}

/** `Experiment DEMO-001-001; assayer-analysis 1.0.0.` */
export function writeSource(result: ResultCurves): string {
  const { name, version } = readEngine(result);
  const used = typeof name === 'string' ? `; ${name} ${toTextOrEmpty(version)}`.trimEnd() : '';
  return `Experiment ${result.experiment_code}${used}.`;
}

function readEngine({ analysis: { engine } }: ResultCurves): UnknownRecord {
  return isRecord(engine) ? engine : {};
}

/** Whether this version of the engine, such as 1.9, or a later one made the result: an earlier one did less. */
export function isMadeSince(result: ResultCurves, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = toTextOrEmpty(readEngine(result).version).split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function toTextOrEmpty(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** `n = 3 replicates.`, and which of them gave no value. */
export function writeReplicates(result: ResultCurves): string {
  const { replicates } = result;
  if (replicates.length === 0) return '';
  return `n = ${replicates.length} ${replicates.length === 1 ? 'replicate' : 'replicates'}${describeLeftOut(replicates.filter(hasFailed))}.`;
}

type Row = Readonly<Record<string, unknown>>;

const hasFailed = ({ outcome }: Row): boolean =>
  typeof outcome === 'string' && outcome !== 'measured' && outcome !== 'non_binder';

/** `; without a value: replicate 3 (failed qc)`; empty where every replicate has one. */
function describeLeftOut(left: readonly Row[]): string {
  const named = left.map(({ replicate, outcome, no_transition_reason: reason }, index) => {
    const why = [outcome === 'measured' ? undefined : outcome, reason].find(
      (each) => typeof each === 'string',
    );
    const number = typeof replicate === 'number' ? replicate : index + 1;
    return `${number}${typeof why === 'string' ? ` (${formatReplicateOutcome(why)})` : ''}`;
  });
  return named.length === 0
    ? ''
    : `; left out: ${named.length === 1 ? 'replicate' : 'replicates'} ${named.join(', ')}`;
}

interface Aggregate {
  readonly mean: 'geometric' | 'arithmetic';
  /** Member of a replicate that has its value. */
  readonly member: string;
  /** What the interval of one replicate rests on. */
  readonly error: 'fit' | 'calibration' | 'well' | 'plate';
  /** What stands for replicates of which some are limits. */
  readonly amongLimits: 'median' | 'mean';
}

const ERRORS: Readonly<Record<Aggregate['error'], { readonly one: string; readonly several: string }>> = {
  fit: {
    one: 'of the fit of this replicate',
    several: 'the wider of the intervals from the fits and from the spread of the replicates',
  },
  calibration: {
    one: 'of this replicate and of its calibration',
    several: 'from the errors or the spread of the replicates, the wider, and their common calibration',
  },
  well: {
    one: 'of this replicate',
    several: 'from the errors or the spread of the replicates, the wider',
  },
  plate: {
    one: 'of the blanks and references of the plate',
    several: 'from the spread of the replicates, and the blanks and references of the plate',
  },
};

/** Describes how a value and its interval came from the replicates: which of them, and as which kind of mean. */
export function writeAggregate(
  { replicates }: ResultCurves,
  quantity: ShownQuantity | undefined,
  { mean, member, error, amongLimits }: Aggregate,
): string {
  if (quantity === undefined || quantity.value === null) return 'no value.';
  const left = replicates.filter(({ [member]: value }) => typeof value !== 'number');
  const used = quantity.n ?? replicates.length - left.length;
  const of = replicates.length > used ? `${used} of ${replicates.length}` : String(used);
  const count = `n = ${of} ${of === '1' ? 'replicate' : 'replicates'}`;
  const relations = new Set(
    replicates.flatMap(({ [`${member}_relation`]: each, [member]: value }) =>
      typeof value === 'number' ? [isLimit(each)] : [],
    ),
  );
  const isMixed = relations.has(true) && relations.has(false);
  const kind = isMixed && amongLimits === 'median' ? 'median' : `${mean} mean`;
  const how =
    used === 0
      ? `${kind} over replicates`
      : isLimit(quantity.relation)
        ? used === 1
          ? `limit, ${count}`
          : `the limit that excludes least, ${count}`
        : used === 1
          ? count
          : `${kind} of ${count}${isMixed ? ', limits among them' : ''}`;
  const without = replicates.length > used ? describeLeftOut(left) : '';
  if (typeof quantity.ci95_low !== 'number') return `${how}${without}.`;
  return `${how}${without}; 95% CI: ${ERRORS[error][used === 1 ? 'one' : 'several']}.`;
}

interface Dot {
  readonly value: unknown;
  readonly relation: unknown;
}

interface Dots {
  readonly quantity: ShownQuantity | undefined;
  /** Such as ` beside the bar`. */
  readonly where: string;
}

/** Explains the marks of a bar and the replicates beside it: those that are drawn; empty where none is. */
export function describeDots(dots: readonly Dot[], { quantity, where }: Dots): string {
  const relations = dots.flatMap(({ value, relation }) => (typeof value === 'number' ? [relation] : []));
  const hasLimits = relations.some(isLimit);
  const hasLimitBar = typeof quantity?.value === 'number' && isLimit(quantity.relation);
  const marks = [
    ...(relations.some((each) => !isLimit(each)) ? [`circles${where}: replicates`] : []),
    ...(hasLimits ? [`open triangles${where}: replicates with only a limit`] : []),
    ...(hasLimitBar ? ['dashed bar: a limit'] : []),
  ].join('; ');
  return marks === '' ? '' : `${marks.charAt(0).toUpperCase()}${marks.slice(1)}.`;
}
