/** What the record of a binding result says about each replicate: subtraction, model, drift, Rmax. */
import { listRecords, type Row } from '#documents/records.ts';
import { formatPower } from '#core/number-words.ts';
import {
  formatDriftSource,
  formatModel,
  formatReferenceRule,
  nameReplicates,
} from '#features/results/words/models.ts';

/** A fact is null where the record does not have it. */
export interface ReplicateFacts {
  readonly replicate: number;
  readonly plate: string | null;
  readonly outcome: string | null;
  readonly referenceRule: string | null;
  /** Null without a fit. */
  readonly model: string | null;
  /** Whether a drift per curve was fitted. */
  readonly hasDrift: boolean | null;
  /** In the unit of the signal per s. */
  readonly driftPerS: number | null;
  readonly driftSource: string | null;
  readonly hasBulkShift: boolean | null;
  readonly rmaxRule: string | null;
}

interface Recorded {
  readonly replicates: readonly Row[];
  readonly details?: Row | null | undefined;
}

/** Reads the replicates, each with what the details add to its row. */
export function listReplicateFacts({ replicates, details }: Recorded): ReplicateFacts[] {
  const models = listRecords(details?.models);
  return replicates.map((row, index) => {
    const detail = models.find(
      (each) => each.replicate === row.replicate && (each.plate ?? null) === (row.plate ?? null),
    );
    const merged: Row = { ...detail, ...keepStated(row) };
    return {
      replicate: typeof row.replicate === 'number' ? row.replicate : index + 1,
      plate: toText(merged.plate),
      outcome: toText(merged.outcome),
      referenceRule: toText(merged.reference_rule),
      model: toText(merged.model),
      hasDrift: toFlag(merged.drift),
      driftPerS: toNumber(merged.drift_per_s),
      driftSource: toText(merged.drift_source),
      hasBulkShift: toFlag(merged.bulk_shift),
      rmaxRule: toText(merged.rmax_rule),
    };
  });
}

/** A row states less than the details of the same replicate where its member is null. */
function keepStated(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));
}

const toText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
const toFlag = (value: unknown) => (typeof value === 'boolean' ? value : null);
const toNumber = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/**
 * Writes one statement for all replicates that have the fact, or the replicates of each statement; empty where none
 * has it.
 */
function writeByReplicate(
  facts: readonly ReplicateFacts[],
  write: (facts: ReplicateFacts) => string | null,
): string {
  const worded = facts.flatMap((each) => {
    const words = write(each);
    return words === null ? [] : [{ words, replicate: each.replicate }];
  });
  const groups = [...Map.groupBy(worded, ({ words }) => words)];
  const [only] = groups;
  if (only === undefined) return '';
  if (groups.length === 1 && worded.length === facts.length) return only[0];
  return groups
    .map(([words, members]) => `${nameReplicates(members.map(({ replicate }) => replicate))}: ${words}`)
    .join(', ');
}

/** `reference subtracted`, `replicate 1 reference subtracted, replicate 2 no reference subtracted`. */
export function describeSubtraction(facts: readonly ReplicateFacts[]): string {
  return writeByReplicate(facts, ({ referenceRule: rule }) =>
    rule === null ? null : formatReferenceRule(rule),
  );
}

/** Names the model of each fitted replicate; empty without a fit. */
export function describeModels(fitted: readonly ReplicateFacts[]): string {
  return writeByReplicate(fitted, ({ model }) => (model === null ? null : formatModel(model)));
}

/** `drift fitted in 2 of 3 replicates, up to 3.1×10⁻⁵ nm/s, known from reference sensors`; empty without a record. */
export function describeDrift(fitted: readonly ReplicateFacts[], signalUnit: string): string {
  const statedReplicates = fitted.filter(({ hasDrift }) => hasDrift !== null);
  const drifting = statedReplicates.filter(({ hasDrift }) => hasDrift === true);
  const facts = [
    ...(statedReplicates.length === 0
      ? []
      : [
          drifting.length === 0
            ? 'no drift fitted'
            : `drift fitted in ${drifting.length} of ${statedReplicates.length} ${statedReplicates.length === 1 ? 'replicate' : 'replicates'}`,
        ]),
    ...describeDriftRates(fitted, signalUnit),
  ];
  return facts.join('; ');
}

/** Of the replicates with one source the largest drift, so that each source has its own. */
function describeDriftRates(fitted: readonly ReplicateFacts[], signalUnit: string): string[] {
  const statedReplicates = fitted.filter(
    ({ driftPerS, driftSource }) => driftPerS !== null || driftSource !== null,
  );
  const groups = [...Map.groupBy(statedReplicates, ({ driftSource }) => driftSource)];
  return groups.map(([source, members]) => {
    const rates = members.flatMap(({ driftPerS }) => driftPerS ?? []);
    const size =
      rates.length === 0
        ? 'size of drift'
        : `drift ${rates.length === 1 ? 'of' : 'up to'} ${formatDriftRate(findLargest(rates), signalUnit)}`;
    const sourceWords = source === null ? '' : ` ${formatDriftSource(source)}`;
    const replicateNames =
      members.length === fitted.length
        ? ''
        : ` (${nameReplicates(members.map(({ replicate }) => replicate))})`;
    return `${size}${sourceWords}${replicateNames}`;
  });
}

function findLargest(rates: readonly number[]): number {
  return rates.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0);
}

/** `−3.1×10⁻⁵ nm/s`, `0 nm/s`. */
export function formatDriftRate(rate: number, signalUnit: string): string {
  const size = rate === 0 ? '0' : formatPower(Math.abs(rate));
  return `${rate < 0 ? '−' : ''}${size} ${signalUnit}/s`;
}

/** `Rmax of each curve by itself`, `one Rmax for all curves of a replicate`; empty without a record. */
export function describeRmaxRule(fitted: readonly ReplicateFacts[]): string {
  return writeByReplicate(fitted, ({ rmaxRule: rule }) =>
    rule === null ? null : (RMAX_RULES[rule] ?? null),
  );
}

export const RMAX_RULES: Readonly<Record<string, string>> = {
  local: 'one Rmax per curve',
  pooled: 'one Rmax per curve, held to a common one',
  global: 'one Rmax for all curves',
};

/** Names the replicates in which a refractive-index step was fitted, beyond the model that is named for it. */
export function describeBulkShift(fitted: readonly ReplicateFacts[]): string {
  const stepped = fitted.filter(
    ({ hasBulkShift, model }) => hasBulkShift === true && model !== '1:1_bulk_shift',
  );
  return stepped.length === 0
    ? ''
    : `refractive-index step fitted in ${stepped.length} of ${fitted.length} ${fitted.length === 1 ? 'replicate' : 'replicates'}`;
}

/** The technique and the plates of a result, as its files state them. */
export interface PlateFacts {
  readonly techniques: readonly string[];
  /** Numbers of negative controls, one for each plate that states it. */
  readonly negativeControls: readonly number[];
}

/** Reads the plates that the replicates were measured on. */
export function readPlateFacts(analysis: Row, replicates: readonly Row[]): PlateFacts {
  const used = new Set(replicates.flatMap(({ plate }) => (typeof plate === 'string' ? [plate] : [])));
  const plates = listRecords(analysis.plates).filter(
    ({ plate }) => used.size === 0 || (typeof plate === 'string' && used.has(plate)),
  );
  return {
    techniques: [...new Set(plates.flatMap(({ technique }) => toText(technique) ?? []))],
    negativeControls: plates.flatMap(({ n_negative_controls: count }) => toNumber(count) ?? []),
  };
}

/** ` by SPR (ordered: BLI)`, ` by BLI`, ` by BLI (as ordered)` where the files do not say. */
export function describeTechnique(techniques: readonly string[], ordered: string | null): string {
  const order = ordered?.toUpperCase() ?? null;
  if (techniques.length === 0) return order === null ? '' : ` by ${order} (as ordered)`;
  const techniqueNames = techniques.map((each) => each.toUpperCase()).join(' and ');
  return order === null || techniqueNames === order
    ? ` by ${techniqueNames}`
    : ` by ${techniqueNames} (ordered: ${order})`;
}
