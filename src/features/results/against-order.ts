/** What was ordered and planned of a sequence beside what was measured of it; everything that counts asks here. */
import type { PlannedControl } from '#core/raw-mapping.ts';
import { joinFirst } from '#core/words.ts';
import type { PlanRecord } from '../runs/plan-schemas.ts';

export interface SequenceOrder {
  readonly nReplicates: number;
  /** Curves of the run's plan or, without a plan, ordered replicates times concentrations; null where nothing says. */
  readonly nCurves: number | null;
}

/** What counts of an experiment. */
interface Ordered {
  readonly n_replicates: number;
  /** Null for the assays without an analyte. */
  readonly method: string | null;
  readonly antigen_concentrations_nm: readonly number[] | null;
}

/** A measurement that people left out was measured all the same, so it is not missing. */
interface LeftOut {
  readonly nReplicates: number;
  readonly nCurves: number;
}

export interface OrderCounts {
  readonly n_replicates_ordered: number;
  readonly n_replicates: number;
  readonly n_curves_planned: number | null;
  readonly n_curves: number | null;
}

export interface NamedOrderCounts extends OrderCounts {
  readonly name: string;
}

export interface OrderFlag {
  readonly code: 'REPLICATES_MISSING' | 'CURVES_MISSING';
  readonly severity: 'warning' | 'error';
  readonly message: string;
  readonly value: number;
  readonly limit: number;
}

/**
 * Returns how many curves the plans have for each sequence, by its id. A replicate that a later run repeats is planned
 * once, and a curve in buffer alone is a control.
 */
export function countPlannedCurves(plans: readonly PlanRecord[]): ReadonlyMap<string, number> {
  const curves = new Map<string, Set<string>>();
  for (const { wells } of plans.flatMap(({ plates }) => plates))
    for (const { sequence_id: id, replicate, concentration_m: doseM } of wells) {
      if (id === null || doseM === null || doseM <= 0) continue;
      const own = curves.get(id) ?? new Set();
      curves.set(id, own.add(`${replicate}/${doseM}`));
    }
  return new Map([...curves].map(([id, own]) => [id, own.size]));
}

/** Lists the controls of the plates that hold wells of the experiment, each once for its plate. */
export function listPlannedControls(plans: readonly PlanRecord[], experimentId: string): PlannedControl[] {
  const controls = new Map<string, PlannedControl>();
  for (const { name: plate, wells } of plans.flatMap(({ plates }) => plates)) {
    if (!wells.some(({ experiment_id: id }) => id === experimentId)) continue;
    for (const { role, sample } of wells)
      if (role === 'positive_control' || role === 'negative_control')
        controls.set(`${plate} ${role} ${sample}`, { plate, role, sample });
  }
  return [...controls.values()];
}

export function describeSequenceOrder(
  { n_replicates: nReplicates, method, antigen_concentrations_nm: orderedNm }: Ordered,
  planned: ReadonlyMap<string, number>,
  sequenceId: string,
): SequenceOrder {
  if (method === null) return { nReplicates, nCurves: null };
  const doses = new Set(orderedNm?.filter((dose) => dose > 0));
  const product = doses.size === 0 ? null : nReplicates * doses.size;
  return { nReplicates, nCurves: planned.get(sequenceId) ?? product };
}

/** Returns the flags of a sequence of which less was measured than was ordered or planned. */
export function findOrderFlags(counts: OrderCounts, leftOut: LeftOut): OrderFlag[] {
  const { n_replicates_ordered: ordered, n_curves_planned: planned, n_curves: curves } = counts;
  const replicates = counts.n_replicates + leftOut.nReplicates;
  const flags: OrderFlag[] = [];
  if (replicates < ordered)
    flags.push({
      code: 'REPLICATES_MISSING',
      severity: replicates === 0 ? 'error' : 'warning',
      message: `${formatMeasured(replicates, ordered, 'ordered replicate')} measured.`,
      value: replicates,
      limit: ordered,
    });
  const counted = (curves ?? 0) + leftOut.nCurves;
  if (planned !== null && counted < planned)
    flags.push({
      code: 'CURVES_MISSING',
      severity: counted === 0 ? 'error' : 'warning',
      message: `${formatMeasured(counted, planned, 'planned curve')} measured.`,
      value: counted,
      limit: planned,
    });
  return flags;
}

function formatMeasured(measured: number, expected: number, noun: string): string {
  if (measured === 0) return `None of the ${expected} ${noun}s was`;
  return `${measured} of ${expected} ${noun}${expected === 1 ? '' : 's'} ${measured === 1 ? 'was' : 'were'}`;
}

/** Adds up the sequences of an experiment; unknown curves make the sum unknown. */
export function sumOrderCounts(counts: readonly OrderCounts[]): OrderCounts {
  const sum = (list: readonly (number | null)[]): number | null =>
    list.reduce<number | null>((total, each) => (total === null || each === null ? null : total + each), 0);
  return {
    n_replicates_ordered: counts.reduce((total, each) => total + each.n_replicates_ordered, 0),
    n_replicates: counts.reduce(
      (total, each) => total + Math.min(each.n_replicates, each.n_replicates_ordered),
      0,
    ),
    n_curves_planned: sum(counts.map((each) => each.n_curves_planned)),
    n_curves: sum(
      counts.map(({ n_curves: curves, n_curves_planned: planned }) =>
        curves === null || planned === null ? null : Math.min(curves, planned),
      ),
    ),
  };
}

/** `3 of 6 ordered replicates and 9 of 24 planned curves`; null where nothing is missing. */
export function formatShortfall(counts: OrderCounts): string | null {
  const { n_replicates_ordered: ordered, n_replicates: replicates, n_curves_planned: planned } = counts;
  const curves = counts.n_curves ?? 0;
  const parts = [
    ...(replicates < ordered ? [`${replicates} of ${ordered} ordered replicates`] : []),
    ...(planned !== null && curves < planned ? [`${curves} of ${planned} planned curves`] : []),
  ];
  return parts.length === 0 ? null : parts.join(' and ');
}

const NAMES_SHOWN = 5;

/**
 * Says which of several sequences lack what, for the lab: `6 of 9 ordered replicates (d2: 2 of 3, d3: 1 of 3)`; null
 * where nothing is missing.
 */
export function formatNamedShortfall(counts: readonly NamedOrderCounts[]): string | null {
  const total = formatShortfall(sumOrderCounts(counts));
  if (total === null || counts.length < 2) return total;
  const own = counts
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((each) => formatOwnShortfall(each))
    .filter((part) => part !== null);
  return `${total} (${joinFirst(own, NAMES_SHOWN)})`;
}

/** `d2: 2 of 3` replicates or, where all have curves, `d2: 9 of 12 curves`. */
function formatOwnShortfall({ name, ...counts }: NamedOrderCounts): string | null {
  const { n_replicates_ordered: ordered, n_replicates: replicates, n_curves_planned: planned } = counts;
  const curves = counts.n_curves ?? 0;
  if (replicates < ordered) return `${name}: ${replicates} of ${ordered}`;
  return planned !== null && curves < planned ? `${name}: ${curves} of ${planned} curves` : null;
}
