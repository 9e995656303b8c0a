/** Evaluates one plate of a reader: its controls, then each sample well. */
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import { createMeasuredQuantity, stateQuantity, type Quantity } from '#analysis/quantities/quantity.ts';
import { sumVariances, type Variance } from '#analysis/numerics/statistics.ts';
import type { PlateReading, PlateSet } from '#analysis/curves/trace.ts';
import {
  findCeiling,
  chooseReadings,
  isSaturated,
  findLargest,
  flagLevels,
  computeReaderLevels,
} from './levels.ts';
import type { ReaderLevels } from './levels.ts';
import { computeFactor95 } from './blind-layout.ts';
import type { SharedLine } from './blind-layout.ts';
import type { FluorescenceSettings } from './settings.ts';
import type { FluorescencePlate, ReplicateFluorescence } from './types.ts';

const JUDGED: ReadonlySet<string> = new Set(['sample', 'positive_control', 'negative_control']);

export function evaluateReaderPlate(
  set: PlateSet,
  requested: FluorescenceSettings,
  index: number,
): { plate: FluorescencePlate; replicates: ReplicateFluorescence[]; reading: PlateReading } {
  const name = set.plate ?? `Plate ${index + 1}`;
  const readings = chooseReadings(set, name, requested);
  const settings = { ...requested, saturationSignal: findCeiling(readings, requested) };
  const largest = settings.saturationSignal ?? findLargest(readings);
  const levels = computeReaderLevels(set, name, readings, settings);
  const flags = removeDuplicateFlags(flagLevels(levels, readings, settings));
  const worrying = flags.filter(({ severity }) => severity !== 'info');
  const plateFlags = flags.filter((each) => worrying.includes(each) || each.code === 'FEW_REFERENCES');
  const { blank, reference, dark } = levels;
  const plate: FluorescencePlate = {
    plate: name,
    instrument: set.instrument,
    signalUnit: levels.unit,
    pass: worrying.length === 0,
    flags,
    curves: [buildPlatePicture(levels, readings, settings)],
    blank: blank ?? { n: 0, mean: null, sd: null },
    reference: {
      sample: readings.find(({ role }) => role === 'positive_control')?.sample ?? null,
      n: reference?.n ?? 0,
      value: reference?.value ?? null,
    },
    dark: dark ?? { n: 0, value: null },
    zPrime: levels.zPrime,
    zPrimeRobust: levels.zPrimeRobust,
    limitOfDetection: levels.limitOfDetection,
    effects: levels.model.effects,
  };
  const replicates = readings
    .filter(({ role }) => JUDGED.has(role))
    .map((reading) => evaluateWell(reading, levels, settings, { plateFlags, largest }));
  addPlaceErrors(replicates, readings, levels, settings);
  return { plate, replicates, reading: readings[0] };
}

function evaluateWell(
  reading: PlateReading,
  levels: ReaderLevels,
  settings: FluorescenceSettings,
  { plateFlags, largest }: { plateFlags: readonly Flag[]; largest: number | null },
): ReplicateFluorescence {
  const well: ReplicateFluorescence = {
    sample: reading.sample,
    role: reading.role,
    replicate: reading.replicate,
    plate: levels.name,
    well: reading.well,
    outcome: 'failed_qc',
    flags: [...plateFlags],
    curves: [],
    raw: reading.value,
    intensity: null,
    normalized: null,
    intensityError: null,
    normalizedError: null,
    saturated: isSaturated(reading, settings),
  };
  const { blank } = levels;
  // An overflowed reading is above every value that the detector could record.
  const seen = reading.value ?? largest;
  if (seen === null || blank === null) {
    const code = blank === null ? 'BLANK_MISSING' : 'SATURATED';
    const message =
      blank === null ? 'The plate has no blank.' : 'The detector overflowed: there is no value.';
    well.flags.push(createFlag(code, 'error', message));
    return well;
  }
  if (levels.isBlankWrong) {
    const message = 'The blanks are brighter than the dark control, so they cannot be subtracted.';
    well.flags = [
      ...plateFlags.filter(({ code }) => code !== 'CONTROL_FAILED'),
      createFlag('CONTROL_FAILED', 'error', message),
    ];
    return well;
  }
  const net = (seen - blank.mean) / getFactor(reading.well, levels, settings);
  const limit = levels.limitOfDetection ?? 0;
  const isBelow = net < limit && !well.saturated;
  const cases = { detector_saturated: well.saturated, below_blanks: isBelow };
  const value = isBelow ? limit : net;
  well.intensity = stateQuantity(createMeasuredQuantity(value, levels.unit, null), cases);
  well.normalized =
    levels.reference === null
      ? null
      : stateQuantity(createMeasuredQuantity(value / levels.reference.value, '', null), cases);
  well.intensityError = levels.blankError;
  well.normalizedError = computeNormalizedError(well.normalized, levels);
  if (well.saturated) {
    const message = 'The detector was saturated: the value is a lower limit.';
    well.flags.push(createFlag('SATURATED', 'warning', message));
  } else if (isBelow) {
    const message = 'The signal is not distinguishable from the blanks.';
    well.flags.push(createFlag('BELOW_DETECTION', 'info', message, { value: net, limit }));
  }
  well.outcome = 'measured';
  return well;
}

/**
 * Returns the variance of (F − b)/(R − b) from the errors of R and b. The blank appears twice and cancels where F is
 * as bright as R.
 */
function computeNormalizedError(
  normalized: Quantity | null,
  { reference, blankError }: ReaderLevels,
): Variance | null {
  if (normalized === null || reference === null || reference.error === null || blankError === null)
    return null;
  const { value } = normalized;
  const scaleVariance = ({ variance, freedom }: Variance, by: number): Variance => {
    return { variance: variance * (by / reference.value) ** 2, freedom };
  };
  return sumVariances([scaleVariance(reference.error, value), scaleVariance(blankError, 1 - value)]);
}

/**
 * Adds to the errors of each sample what the row or column may add that its wells share. A line that the
 * references share too cancels in the normalized intensity. An intensity in the unit of the reader is that of a place, and
 * nobody knows which place is undisturbed: unless effects are divided out, its interval contains how much places differ.
 */
function addPlaceErrors(
  replicates: readonly ReplicateFluorescence[],
  readings: readonly PlateReading[],
  { findSharedLines, findPlaceVariance }: ReaderLevels,
  { plateEffects }: FluorescenceSettings,
): void {
  const referenceWells = readings.flatMap(({ role, well }) => (role === 'positive_control' ? well : []));
  const ofReference = findSharedLines(referenceWells);
  const samples = Map.groupBy(
    replicates.filter(({ role }) => role === 'sample'),
    ({ sample }) => sample,
  );
  for (const wells of samples.values()) {
    const own = findSharedLines(wells.flatMap(({ well }) => well ?? []));
    const apart = [...selectOthers(own, ofReference), ...selectOthers(ofReference, own)];
    const ofPlaces =
      plateEffects === 'correct' ? null : findPlaceVariance(wells.flatMap(({ well }) => well ?? []));
    const blind = apart.filter(({ isBlind }) => isBlind);
    for (const well of wells) {
      well.intensityError = addRelative(well.intensityError, well.intensity, [
        ...own,
        ...(ofPlaces === null ? [] : [{ variance: ofPlaces }]),
      ]);
      well.normalizedError = addRelative(well.normalizedError, well.normalized, apart);
      if (blind.length > 0) well.flags.push(flagBlind(blind, own));
    }
  }
}

function selectOthers(lines: readonly SharedLine[], others: readonly SharedLine[]): SharedLine[] {
  return lines.filter((line) => !others.some(({ kind, name }) => kind === line.kind && name === line.name));
}

function addRelative(
  error: Variance | null,
  quantity: Quantity | null,
  lines: readonly Pick<SharedLine, 'variance'>[],
): Variance | null {
  if (error === null || quantity === null || lines.length === 0) return error;
  const { value } = quantity;
  const added = lines.map(({ variance: { variance, freedom } }) => ({
    variance: variance * value ** 2,
    freedom,
  }));
  return sumVariances([error, ...added]);
}

function flagBlind(blind: readonly SharedLine[], own: readonly SharedLine[]): Flag {
  const describe = (lines: readonly SharedLine[]): string =>
    lines.map(({ kind, name }) => `${kind} ${name}`).join(' and ');
  const [ofSample, ofReferences] = [
    blind.filter((line) => own.includes(line)),
    blind.filter((line) => !own.includes(line)),
  ];
  const places = [
    ofSample.length > 0 && `all replicates are in ${describe(ofSample)}`,
    ofReferences.length > 0 && `all references are in ${describe(ofReferences)}`,
  ].filter((each) => each !== false);
  const factor = computeFactor95(sumVariances(blind.map(({ variance }) => variance)));
  const message = `The layout cannot tell an effect of the plate from the sample: ${places.join(', and ')}. The interval covers an effect of a factor of ${factor.toPrecision(2)}.`;
  return createFlag('LAYOUT_BLIND', 'warning', message, { value: factor });
}

function getFactor(well: string, levels: ReaderLevels, settings: FluorescenceSettings): number {
  return settings.plateEffects === 'correct' ? levels.model.getFactor(well) : 1;
}

function buildPlatePicture(
  levels: ReaderLevels,
  readings: readonly PlateReading[],
  settings: FluorescenceSettings,
) {
  const { blank, reference } = levels;
  const roundDigits = (value: number | null): number | null =>
    value === null ? null : Number(value.toPrecision(7));
  const normalizeReading = ({ value, well }: PlateReading): number | null =>
    value === null || blank === null || reference === null
      ? null
      : (value - blank.mean) / getFactor(well, levels, settings) / reference.value;
  return {
    kind: 'plate',
    replicate: null,
    plate: levels.name,
    well: readings.map(({ well }) => well),
    role: readings.map(({ role }) => role),
    sample: readings.map(({ sample }) => sample),
    sample_replicate: readings.map(({ replicate }) => replicate),
    signal: readings.map(({ value }) => roundDigits(value)),
    normalized: readings.map((reading) => roundDigits(normalizeReading(reading))),
    saturated: readings.map((reading) => isSaturated(reading, settings)),
  };
}
