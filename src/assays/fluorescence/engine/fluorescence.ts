/**
 * Fluorescence: the brightness of a sequence relative to the reference of its plate.
 * This folder: how bright a sequence is beside the reference of its plate. Not here: other assays, the wire.
 */
import type { PlannedControl } from '#core/raw-mapping.ts';
import { mapWithPauses, finish, type Paused } from '#analysis/assays/assay.ts';
import { buildRankRange } from '#core/ranking.ts';
import { isLimit } from '#core/relations.ts';
import {
  ENGINE,
  type AssayComparison,
  type InputFileRecord,
  assignPlaces,
  groupBySample,
  sortReplicates,
  splitControls,
} from '#analysis/assays/analysis-records.ts';
import {
  assertExcluded,
  Exclusions,
  type ExcludedReplicate,
  countControls,
  flagLostControls,
  type PlateControls,
} from '#analysis/assays/exclusions.ts';
import { flagChangedSettings } from '#analysis/assays/settings.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { combineReplicates } from '#analysis/quantities/replicates.ts';
import { computeMean, computeStandardDeviation, type Variance } from '#analysis/numerics/statistics.ts';
import { listStatedControls, type PlateReading, type PlateSet } from '#analysis/curves/trace.ts';
import { readName } from './levels.ts';
import { evaluateReaderPlate } from './plate.ts';
import { resolveFluorescenceSettings } from './settings.ts';
import type { FluorescenceSettings, FluorescenceSettingsInput } from './settings.ts';
import type {
  FluorescenceAnalysis,
  FluorescencePlate,
  ReplicateFluorescence,
  SequenceFluorescence,
} from './types.ts';

/** Some plates of a run, each evaluated with the blanks and references on it. */
export interface FluorescencePart {
  plates: FluorescencePlate[];
  replicates: ReplicateFluorescence[];
  /** How each plate was read, by its name. */
  reads: [plate: string, reading: PlateReading][];
  notices: string[];
  /** Replicates that were left out. */
  excluded: ExcludedReplicate[];
  controls: PlateControls[];
}

/** Throws AnalysisError when the settings are wrong or no sample was measured. */
export function analyzeFluorescenceSets(
  sets: readonly PlateSet[],
  input: FluorescenceSettingsInput = {},
  inputs: InputFileRecord[] = [],
  excluded: readonly ExcludedReplicate[] = [],
): FluorescenceAnalysis {
  const part = evaluateFluorescenceSets(sets, input, { firstPlate: 0, excluded });
  return finish(combineFluorescence([part], input, { inputs, excluded }));
}

/** Throws `settings_invalid`. `firstPlate` numbers plates without a name. */
export function evaluateFluorescenceSets(
  sets: readonly PlateSet[],
  input: FluorescenceSettingsInput,
  { firstPlate, excluded }: { firstPlate: number; excluded: readonly ExcludedReplicate[] | undefined },
): FluorescencePart {
  const settings = resolveFluorescenceSettings(input);
  const exclusions = new Exclusions(excluded);
  const judged = sets.map((set, index) => {
    const number = firstPlate + index;
    const readings = exclusions.leaveOut(set.plate ?? `Plate ${number + 1}`, set.readings);
    const kept = readings.map(({ well, role }) => ({ id: well, role }));
    const stated = set.statedControls ?? listStatedControls(set.readings);
    const found = evaluateReaderPlate({ ...set, readings }, settings, number);
    return { ...found, controls: countControls(found.plate.plate, stated, kept) };
  });
  return {
    plates: judged.map(({ plate }) => plate),
    replicates: judged.flatMap((each) => each.replicates),
    reads: judged.map(({ plate, reading }) => [plate.plate, reading]),
    notices: sets.flatMap((set) => set.notices),
    excluded: exclusions.listMatched(),
    controls: judged.map(({ controls }) => controls),
  };
}

/** Combines replicates to sequences and ranks them. Throws like `analyzeFluorescenceSets`. */
export function* combineFluorescence(
  parts: readonly FluorescencePart[],
  input: FluorescenceSettingsInput,
  {
    inputs,
    excluded,
    plannedControls,
  }: {
    inputs: InputFileRecord[];
    excluded: readonly ExcludedReplicate[] | undefined;
    plannedControls?: readonly PlannedControl[] | undefined;
  },
): Paused<FluorescenceAnalysis> {
  const settings = resolveFluorescenceSettings(input);
  assertExcluded(
    excluded,
    parts.flatMap((part) => part.excluded),
  );
  const plates = parts.flatMap((part) => part.plates);
  const replicates = parts.flatMap((part) => part.replicates);
  if (!replicates.some(({ role }) => role === 'sample'))
    throw new AnalysisError('nothing_to_analyze', 'The files contain no samples.');
  flagLostControls(plates, replicates, {
    controls: parts.flatMap(({ controls }) => controls),
    planned: plannedControls,
  });
  const reads = new Map(parts.flatMap((part) => part.reads));
  const all = yield* mapWithPauses(groupBySample(replicates), (group) =>
    aggregateSequence(group, plates, { settings, reads }),
  );
  const { sequences: samples, controls } = splitControls(all);
  rankByBrightness(samples);
  flagChangedSettings(all, settings, resolveFluorescenceSettings());
  const references = controls.filter(({ role }) => role === 'positive_control');
  for (const sample of samples)
    sample.performance = references.map((control) => compareWithControl(sample, control.sample));
  return {
    experimentType: 'fluorescence',
    analysis: { engine: { ...ENGINE }, model: 'endpoint', settings, inputs },
    notices: parts.flatMap(({ notices }) => notices),
    plates,
    sequences: samples,
    controls,
  };
}

function aggregateSequence(
  wells: readonly ReplicateFluorescence[],
  plates: readonly FluorescencePlate[],
  { settings, reads }: { settings: FluorescenceSettings; reads: ReadonlyMap<string, PlateReading> },
): SequenceFluorescence {
  const sorted = sortReplicates(wells);
  const [first] = sorted;
  const own = plates.filter(({ plate }) => sorted.some((well) => well.plate === plate));
  const optics = own.flatMap(({ plate }) => reads.get(plate) ?? []);
  const isOneScale = new Set(optics.map(readName)).size <= 1;
  const intensity = isOneScale ? combineWells(sorted, (well) => [well.intensity, well.intensityError]) : null;
  const normalized = combineWells(sorted, (well) => [well.normalized, well.normalizedError]);
  const zPrimes = own.flatMap(({ zPrime }) => zPrime ?? []);
  const cvPct = computeCv(sorted, isOneScale);
  const read = isOneScale ? optics.at(0) : undefined;
  return {
    sample: first.sample,
    role: first.role,
    isControl: first.role !== 'sample',
    outcome: intensity === null && normalized === null ? 'failed_qc' : 'measured',
    place: null,
    rankRange: null,
    nReplicates: sorted.length,
    nReplicatesPassed: sorted.filter((well) => well.intensity !== null && !well.saturated).length,
    performance: [],
    flags: removeDuplicateFlags([
      ...(isOneScale ? [] : [flagReadsDiffer()]),
      ...findSpreadFlags(intensity ?? normalized, cvPct, settings),
      ...sorted.flatMap((well) => well.flags),
    ]),
    intensity,
    intensityUnit: own[0]?.signalUnit ?? 'RFU',
    normalized,
    log2Fold: computeLog2(normalized),
    exNm: read?.exNm ?? null,
    emNm: read?.emNm ?? null,
    gain: read?.gain ?? null,
    zPrimePlate: zPrimes.length === 0 ? null : Math.min(...zPrimes),
    saturated: sorted.some(({ saturated }) => saturated),
    cvPct,
    replicates: sorted,
  };
}

function flagReadsDiffer(): Flag {
  const message =
    'The plates were read at different wavelengths or gains: only the normalized intensities are combined.';
  return createFlag('READS_DIFFER', 'info', message);
}

function findSpreadFlags(
  intensity: Quantity | null,
  cvPct: number | null,
  settings: FluorescenceSettings,
): Flag[] {
  const flags: Flag[] = [];
  const limit = settings.replicateCvMaxPct;
  if (cvPct !== null && cvPct > limit) {
    const message = 'The intensities of the replicates spread widely (CV in %).';
    flags.push(createFlag('REPLICATES_DISAGREE', 'warning', message, { value: cvPct, limit }));
  }
  if (intensity?.relation === '~') {
    const message = 'The intensity of some replicates is only a limit; the mean is an estimate.';
    flags.push(createFlag('MIXED_RELATIONS', 'warning', message));
  }
  return flags;
}

/** Without the error that the wells share there is no interval. */
function combineWells(
  wells: readonly ReplicateFluorescence[],
  pick: (well: ReplicateFluorescence) => [Quantity | null, Variance | null],
): Quantity | null {
  const found = wells
    .map(pick)
    .flatMap(([quantity, error]) => (quantity === null ? [] : { quantity, error }));
  const [first] = found;
  if (first === undefined) return null;
  const combined = combineReplicates(
    found.map(({ quantity: { value, relation }, error }) => ({
      value,
      relation,
      own: null,
      ...(error === null ? {} : { shared: Math.sqrt(error.variance), sharedFreedom: error.freedom }),
    })),
    { unit: first.quantity.unit, mean: 'arithmetic', amongLimits: 'median' },
  );
  const isKnown = found.every(({ error }) => error !== null);
  return combined === null || isKnown ? combined : { ...combined, ci95Low: null, ci95High: null };
}

function computeCv(wells: readonly ReplicateFluorescence[], isOneScale: boolean): number | null {
  const values = wells.flatMap(({ intensity, normalized }) => {
    const quantity = isOneScale ? intensity : normalized;
    return quantity?.relation === '=' ? quantity.value : [];
  });
  return values.length < 2 ? null : (100 * computeStandardDeviation(values)) / computeMean(values);
}

/** Returns null for a limit, whose logarithm cannot be compared, and for an interval that includes zero. */
function computeLog2(normalized: Quantity | null): Quantity | null {
  if (normalized === null || isLimit(normalized.relation)) return null;
  if (!(normalized.value > 0)) return null;
  const { ci95Low: low, ci95High: high } = normalized;
  const isOpen = low === null || high === null || low <= 0;
  return {
    ...normalized,
    value: Math.log2(normalized.value),
    unit: '',
    ci95Low: isOpen ? null : Math.log2(low),
    ci95High: isOpen ? null : Math.log2(high),
  };
}

/** Ranks by the intervals of brightness; a sample that is not distinguishable from a blank has no rank. */
function rankByBrightness(samples: readonly SequenceFluorescence[]): void {
  assignPlaces(samples, (sample) => {
    const brightness = sample.normalized ?? sample.intensity;
    return brightness === null || !isAboveBlank(sample) ? null : buildRankRange(brightness, 'higher');
  });
}

/** Whether most of the wells are distinguishable from a blank. */
function isAboveBlank({ replicates }: SequenceFluorescence): boolean {
  const known = replicates.flatMap(({ intensity }) => intensity ?? []);
  return 2 * known.filter(({ relation }) => relation !== '<').length > known.length;
}

/** Intensities within a factor of 1.25 count as comparable. */
const COMPARABLE_LOG2 = Math.log2(1.25);

function compareWithControl(
  { normalized, log2Fold }: SequenceFluorescence,
  control: string,
): AssayComparison {
  if (normalized === null) return { control, delta: null, verdict: 'not_comparable' };
  if (log2Fold === null) {
    const isWorse = normalized.relation === '<' && normalized.value < 1;
    const isBetter = normalized.relation === '>' && normalized.value > 1;
    return { control, delta: null, verdict: isWorse ? 'worse' : isBetter ? 'better' : 'not_comparable' };
  }
  const isClose = Math.abs(log2Fold.value) <= COMPARABLE_LOG2;
  const verdict = isClose ? 'comparable' : log2Fold.value > 0 ? 'better' : 'worse';
  return { control, delta: log2Fold.value, verdict };
}
