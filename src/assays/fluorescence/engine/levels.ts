/** Levels from the controls of a plate: blank, reference, dark control, and their separation. */
import { formatCount } from '#core/words.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import {
  computeMean,
  computeStandardDeviation,
  type Variance,
  computeMedian,
  MAD_TO_SD,
  computeMedianAbsoluteDeviation,
} from '#analysis/numerics/statistics.ts';
import type { PlateReading, PlateSet, WellRole } from '#analysis/curves/trace.ts';
import {
  computeLargestPct,
  computePlateEffects,
  type EffectModel,
  type PlacedValue,
  createPlaceFinder,
  type FindPlaceVariance,
} from './plate-effects.ts';
import { createLineFinder, type FindSharedLines } from './blind-layout.ts';
import type { FluorescenceSettings } from './settings.ts';

const CHANNEL = 'fluorescence';
/** How a read of one wavelength is named, which is that of an absorbance. */
const ABSORBANCE = /^(?:a\d{3}|raw data \(\d{3}\))$/i;

/** Levels in the unit of the reader. */
export interface ReaderLevels {
  name: string;
  unit: string;
  blank: { n: number; mean: number; sd: number } | null;
  /** Variance of the mean of the blanks; null below two of them. */
  blankError: Variance | null;
  /** Reference minus blank; null when it is not distinguishable from the blank. */
  reference: { n: number; value: number; error: Variance | null } | null;
  dark: { n: number; value: number } | null;
  /** What is wrong with blanks or controls, in sentences. */
  faults: string[];
  /** The blanks contain signal other than background, so they cannot be subtracted. */
  isBlankWrong: boolean;
  limitOfDetection: number | null;
  zPrime: number | null;
  zPrimeRobust: number | null;
  model: EffectModel;
  findSharedLines: FindSharedLines;
  findPlaceVariance: FindPlaceVariance;
}

/** Describes a read in words: `fluorescence 485/520 nm, gain 80`. */
export function readName({ channel, exNm, emNm, gain }: PlateReading): string {
  const wavelengths = exNm === null && emNm === null ? '' : ` ${exNm ?? '?'}/${emNm ?? '?'} nm`;
  return `${channel}${wavelengths}${gain === null ? '' : `, gain ${gain}`}`;
}

/**
 * The readings of the read that is analyzed, without empty wells. Throws `settings_invalid` where several reads could be
 * meant: wells read at two wavelengths or gains are no replicates.
 */
export function chooseReadings(set: PlateSet, name: string, settings: FluorescenceSettings): PlateReading[] {
  const channels = [...new Set(set.readings.map(({ channel }) => channel))];
  const channel = settings.channel ?? (channels.length === 1 ? channels[0] : CHANNEL);
  if (settings.channel === null && ABSORBANCE.test(channel)) {
    const message = `${name} holds absorbances (${channels.join('; ')}), which are no fluorescence. Upload the read of the fluorescence, or set channel if this is one.`;
    throw new AnalysisError('not_enough_data', message);
  }
  const isChosen = (reading: PlateReading): boolean =>
    reading.channel === channel &&
    reading.role !== 'empty' &&
    (settings.exNm ?? reading.exNm) === reading.exNm &&
    (settings.emNm ?? reading.emNm) === reading.emNm &&
    (settings.gain ?? reading.gain) === reading.gain;
  const chosen = set.readings.filter(isChosen);
  const reads = [...new Set(chosen.map(readName))];
  if (reads.length === 1) return chosen;
  if (reads.length > 1) {
    const message = `${name} has several reads: ${reads.join('; ')}. The settings ex_nm, em_nm and gain choose one.`;
    throw new AnalysisError('settings_invalid', message);
  }
  const known = [...new Set(set.readings.map(readName))].join('; ') || 'none';
  throw new AnalysisError('not_enough_data', `${name} has no such read of ${channel}; its reads: ${known}.`);
}

/** Values that 16-bit converters (65,535) and BMG readers (260,000) return on overflow without marking it. */
const KNOWN_CEILINGS: ReadonlySet<number> = new Set([65_535, 260_000]);
/** Noise never gives this many wells exactly the largest value. */
const EQUAL_TOPS_MIN = 3;

/**
 * Returns the signal at which the detector saturates: from the settings, or from a largest value that shows it; null
 * otherwise.
 */
export function findCeiling(
  readings: readonly PlateReading[],
  { saturationSignal }: FluorescenceSettings,
): number | null {
  if (saturationSignal !== null) return saturationSignal;
  const top = findLargest(readings);
  if (top === null) return null;
  const equal = readings.filter(({ value }) => value === top).length;
  return KNOWN_CEILINGS.has(top) || equal >= EQUAL_TOPS_MIN ? top : null;
}

/** Returns the largest value that the detector recorded; overflowed readings are above it. */
export function findLargest(readings: readonly PlateReading[]): number | null {
  const values = readings.flatMap(({ value }) => value ?? []);
  return values.length === 0 ? null : Math.max(...values);
}

export function isSaturated(
  { saturated, value }: PlateReading,
  { saturationSignal }: FluorescenceSettings,
): boolean {
  return saturated || (saturationSignal !== null && value !== null && value >= saturationSignal);
}

/** `settings` contain the ceiling of the read as saturation. */
export function computeReaderLevels(
  set: PlateSet,
  name: string,
  readings: readonly PlateReading[],
  settings: FluorescenceSettings,
): ReaderLevels {
  const getWells = (role: WellRole): PlateReading[] => readings.filter((each) => each.role === role);
  const getValues = (role: WellRole): number[] =>
    getWells(role).flatMap((each) => (isSaturated(each, settings) ? [] : (each.value ?? [])));
  const blanks = getValues('blank');
  const background = blanks.length === 0 ? 0 : computeMean(blanks);
  const placed = listPlaced(readings, background, settings);
  const model = computePlateEffects(settings.plateEffects === 'off' ? [] : placed);
  const isCorrected = settings.plateEffects === 'correct';
  const getCorrected = (role: WellRole): number[] =>
    getWells(role).flatMap((each) => {
      if (isSaturated(each, settings) || each.value === null) return [];
      return isCorrected ? background + (each.value - background) / model.getFactor(each.well) : each.value;
    });
  // If an effect was removed from samples but not from references, their ratio has an unknown error.
  const isReached =
    !isCorrected ||
    !hasEffect(model, settings) ||
    getWells('positive_control').every(({ well }) => Object.values(model.isKnown(well)).every(Boolean));
  const references = getCorrected('positive_control');
  const darks = getCorrected('negative_control');
  const overflowed = getWells('positive_control').filter((each) => isSaturated(each, settings)).length;
  const sd = blanks.length < 2 ? 0 : computeStandardDeviation(blanks);
  const blank = blanks.length === 0 ? null : { n: blanks.length, mean: background, sd };
  const limitOfDetection = blank === null ? null : settings.blankSd * blank.sd;
  const center = settings.reference === 'mean' ? computeMean : computeMedian;
  const subtractBlank = (values: readonly number[]) =>
    values.length === 0 || blank === null ? null : { n: values.length, value: center(values) - blank.mean };
  const level = computeReferenceLevel(references, overflowed, settings);
  const reference =
    level === null || blank === null
      ? null
      : { n: references.length, value: level.value - blank.mean, error: isReached ? level.error : null };
  const dark = subtractBlank(darks);
  const isAboveDark = dark === null || (reference !== null && reference.value > dark.value);
  const isAboveBlank = reference !== null && reference.value > (limitOfDetection ?? 0);
  const negatives = darks.length >= 2 ? darks : blanks;
  const isBlankWrong =
    dark !== null && blank !== null && -dark.value > (limitOfDetection ?? 0) && blank.n > 1;
  const clear = placed.filter(({ value }) => value > CLEAR_SD * sd);
  const spanned = computeMedian(references) - computeMedian(blanks);
  const found = { overflowed, isAboveBlank, isAboveDark, isBlankWrong };
  const faults = [
    ...findControlFaults(found, getWells('positive_control').length),
    ...(blank !== null && isBlankScattered(blank, spanned, settings) ? [BLANKS_SCATTER] : []),
  ];
  return {
    name,
    unit: set.unit ?? 'RFU',
    blank,
    blankError: computeCenterError(blanks, 'mean'),
    reference: isAboveBlank && isAboveDark && !isBlankWrong ? reference : null,
    dark,
    faults,
    isBlankWrong,
    limitOfDetection,
    zPrime: overflowed > 0 ? null : computeZPrime(references, negatives),
    zPrimeRobust: overflowed > 0 ? null : computeRobustZPrime(references, negatives),
    model,
    findSharedLines: createLineFinder(clear, model, { isCorrected }),
    findPlaceVariance: createPlaceFinder(clear),
  };
}

function findControlFaults(
  found: { overflowed: number; isAboveBlank: boolean; isAboveDark: boolean; isBlankWrong: boolean },
  references: number,
): string[] {
  const { overflowed, isAboveBlank, isAboveDark, isBlankWrong } = found;
  return [
    overflowed > 0 && `${overflowed} of ${references} reference wells overflowed the detector.`,
    overflowed === 0 &&
      !isAboveBlank &&
      'The plate has no reference that is distinguishable from its blanks.',
    isAboveBlank &&
      !isAboveDark &&
      'The reference is no brighter than the dark control: check whether wells were swapped.',
    isBlankWrong && 'The blanks are brighter than the dark control: check whether they contain fluorophore.',
  ].filter((each) => each !== false);
}

/** Signals above this multiple of the scatter of the blanks show effects of the plate; the noise of others hides them. */
const CLEAR_SD = 20;

const BLANKS_SCATTER =
  'The blanks scatter by a large fraction of the reference: check whether one contains fluorophore.';
/**
 * Blanks that scatter more than replicates may are at fault if their limit of detection exceeds this fraction of the
 * reference.
 */
const BLANK_SCATTER_MAX = 0.1;

function isBlankScattered(
  blank: { mean: number; sd: number },
  spanned: number,
  { blankSd, replicateCvMaxPct }: FluorescenceSettings,
): boolean {
  const isWide = 100 * blank.sd > replicateCvMaxPct * Math.abs(blank.mean);
  return isWide && spanned > 0 && blankSd * blank.sd > BLANK_SCATTER_MAX * spanned;
}

/** A median is valid while fewer than half of its wells overflowed; a mean is not. */
function computeReferenceLevel(
  values: readonly number[],
  overflowed: number,
  { reference }: FluorescenceSettings,
): { value: number; error: Variance | null } | null {
  if (values.length === 0) return null;
  if (overflowed === 0)
    return {
      value: reference === 'mean' ? computeMean(values) : computeMedian(values),
      error: computeCenterError(values, reference),
    };
  const infinities = Array.from({ length: overflowed }, () => Number.POSITIVE_INFINITY);
  const value = computeMedian([...values, ...infinities]);
  return reference === 'median' && Number.isFinite(value) ? { value, error: null } : null;
}

/** Variance of the median of normal values relative to that of their mean: π/2 for many values. */
const MEDIAN_TO_MEAN = Math.PI / 2;

/**
 * Returns null for one well, whose error is unknown. The median of two wells is their mean. The spread is that of
 * these wells, not of the blank.
 */
function computeCenterError(values: readonly number[], center: 'mean' | 'median'): Variance | null {
  const n = values.length;
  if (n < 2) return null;
  const factor = center === 'median' && n > 2 ? MEDIAN_TO_MEAN : 1;
  return { variance: (factor * computeStandardDeviation(values) ** 2) / n, freedom: n - 1 };
}

function listPlaced(
  readings: readonly PlateReading[],
  blank: number,
  settings: FluorescenceSettings,
): PlacedValue[] {
  return readings.flatMap((reading) => {
    const isLeftOut = isSaturated(reading, settings) || reading.role === 'blank';
    const value = (reading.value ?? 0) - blank;
    const group = JSON.stringify([reading.role, reading.sample]);
    return !isLeftOut && value > 0 ? { well: reading.well, group, value } : [];
  });
}

export function flagLevels(
  levels: ReaderLevels,
  readings: readonly PlateReading[],
  settings: FluorescenceSettings,
): Flag[] {
  const flags: Flag[] = [];
  const blanks = levels.blank?.n ?? 0;
  if (blanks < settings.blanksMin) {
    const numbers = { value: blanks, limit: settings.blanksMin };
    const severity = blanks === 0 ? 'error' : 'warning';
    flags.push(createFlag('BLANK_MISSING', severity, `The plate has ${blanks} blank wells.`, numbers));
  }
  if (levels.faults.length > 0) {
    const consequences = levels.reference === null ? ['Nothing can be normalized.'] : [];
    flags.push(createFlag('CONTROL_FAILED', 'warning', [...levels.faults, ...consequences].join(' ')));
  }
  if (levels.reference?.n === 1) {
    const message =
      'The scatter of a single reference well is unknown: normalized intensities have no interval.';
    flags.push(createFlag('FEW_REFERENCES', 'info', message, { value: 1, limit: 2 }));
  }
  if (levels.zPrime !== null && levels.zPrime < settings.zPrimeMin) {
    const message = 'Reference and dark control are too close compared with their scatter.';
    flags.push(
      createFlag('LOW_Z_PRIME', 'warning', message, { value: levels.zPrime, limit: settings.zPrimeMin }),
    );
  }
  return [...flags, ...flagEffects(levels.model, readings, settings)];
}

function hasEffect(
  { effects: { rowsPct, columnsPct, edgePct } }: EffectModel,
  { effectMaxPct }: FluorescenceSettings,
): boolean {
  return (
    Math.max(computeLargestPct(rowsPct), computeLargestPct(columnsPct), Math.abs(edgePct ?? 0)) > effectMaxPct
  );
}

/**
 * If a correction cannot reach every well, the warning remains, because uncorrected wells and controls are compared
 * with corrected ones.
 */
function flagEffects(
  { effects, isKnown }: EffectModel,
  readings: readonly PlateReading[],
  settings: FluorescenceSettings,
): Flag[] {
  const limit = settings.effectMaxPct;
  const wells = readings
    .filter(({ role }) => role !== 'blank')
    .map(({ well }) => ({ well, ...isKnown(well) }));
  const found: Flag[] = [];
  const add = (
    code: 'ROW_EFFECT' | 'COLUMN_EFFECT' | 'EDGE_EFFECT',
    what: string,
    value: number,
    unreached: readonly { well: string }[],
  ): void => {
    if (value <= limit) return;
    const isCorrected = settings.plateEffects === 'correct';
    const isReached = isCorrected && unreached.length === 0;
    const where = `It was divided out where it is known, not in ${formatWells(unreached)}, whose replicates are not in rows and columns that can be compared.`;
    const sentence = isReached ? 'It was divided out.' : isCorrected ? where : 'It was not corrected.';
    const severity = isReached ? 'info' : 'warning';
    found.push(createFlag(code, severity, `${what} (in %). ${sentence}`, { value, limit }));
  };
  const bareRows = wells.filter(({ row }) => !row);
  const bareColumns = wells.filter(({ column }) => !column);
  const bare = wells.filter(({ row, column }) => !row || !column);
  add('ROW_EFFECT', 'A row differs from the plate', computeLargestPct(effects.rowsPct), bareRows);
  add('COLUMN_EFFECT', 'A column differs from the plate', computeLargestPct(effects.columnsPct), bareColumns);
  add('EDGE_EFFECT', 'Wells at the edge differ from inner ones', Math.abs(effects.edgePct ?? 0), bare);
  return found;
}

const WELLS_NAMED_MAX = 6;

function formatWells(wells: readonly { well: string }[]): string {
  const named = wells.slice(0, WELLS_NAMED_MAX).map(({ well }) => well);
  return wells.length > named.length
    ? `${named.join(', ')} and ${formatCount(wells.length - named.length, 'more well')}`
    : named.join(', ');
}

/**
 * Returns 1 − 3(sd_p + sd_n)/(µ_p − µ_n); null below two wells of either control, and when the positives are not
 * above the negatives.
 */
export function computeZPrime(positives: readonly number[], negatives: readonly number[]): number | null {
  if (positives.length < 2 || negatives.length < 2) return null;
  return computeSeparation(
    computeMean(positives) - computeMean(negatives),
    computeStandardDeviation(positives) + computeStandardDeviation(negatives),
  );
}

/** Returns Z′ from medians and scaled MADs; null below three wells of either control. */
export function computeRobustZPrime(
  positives: readonly number[],
  negatives: readonly number[],
): number | null {
  if (positives.length < 3 || negatives.length < 3) return null;
  return computeSeparation(
    computeMedian(positives) - computeMedian(negatives),
    MAD_TO_SD * (computeMedianAbsoluteDeviation(positives) + computeMedianAbsoluteDeviation(negatives)),
  );
}

function computeSeparation(distance: number, spread: number): number | null {
  return distance > 0 ? 1 - (3 * spread) / distance : null;
}
