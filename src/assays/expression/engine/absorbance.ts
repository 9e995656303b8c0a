/** Absorbance at 280 nm of purified protein on a plate reader (Pace et al. 1995). */
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { computeConcentrationA280, countPairedCystines } from './protein.ts';
import { createLimit, createMeasuredBetween, type Quantity } from '#analysis/quantities/quantity.ts';
import { computeMean, computeStandardDeviation, computeT95 } from '#analysis/numerics/statistics.ts';
import type { PlateReading, PlateSet } from '#analysis/curves/trace.ts';
import { findContaminatedBlank } from './contaminated-blank.ts';
import { isExpressed, isJudged } from './plate.ts';
import type { ExpressionSettings } from './settings.ts';
import type { ExpressionPlate, ReplicateExpression } from './types.ts';

const CHANNEL = /280/;
const BLANKS_MIN = 3;
/** Blanks of a plate reader scatter by at least this much between wells, even if two of them happen to agree. */
const READER_SD_AU = 0.002;
/** No plate reader resolves higher absorbances; such numbers have another unit or a misread decimal mark. */
const ABSORBANCE_MAX_AU = 10;

interface Blank {
  n: number;
  mean: number;
  sd: number;
}

/** `sequences` by sample name: without its sequence an absorbance cannot be converted to a concentration. */
export function evaluateAbsorbancePlate(
  set: PlateSet,
  settings: ExpressionSettings,
  sequences: Readonly<Record<string, string>>,
  index: number,
): { plate: ExpressionPlate; replicates: ReplicateExpression[]; notices: string[] } {
  const name = set.plate ?? `Plate ${index + 1}`;
  const readings = set.readings.filter(({ channel }) => CHANNEL.test(channel));
  const implausible = readings.find(({ value }) => value !== null && Math.abs(value) > ABSORBANCE_MAX_AU);
  if (implausible !== undefined) {
    const found = `${implausible.value} in well ${implausible.well}`;
    const message = `${name} has an absorbance at 280 nm of ${found}; an absorbance is at most ${ABSORBANCE_MAX_AU} AU. Check its unit and decimal mark.`;
    throw new AnalysisError('values_implausible', message);
  }
  if (readings.length === 0) throw new AnalysisError('not_enough_data', `${name} has no reading at 280 nm.`);
  const buffers = summarizeBlanks(readings, 'blank');
  const noDna = summarizeBlanks(readings, 'negative_control');
  // A reaction absorbs more than buffer does, so wells without DNA show the background where there are enough.
  const isNoDna = settings.subtractNoDna && noDna.found >= BLANKS_MIN;
  const { found, blank: summary, flag } = isNoDna ? noDna : buffers;
  const leftOut = flag === null ? [] : [flag];
  const flags: Flag[] = [...leftOut];
  if (found < BLANKS_MIN) {
    const message = `The plate has ${found} blanks; ${BLANKS_MIN} are needed.`;
    flags.push(createFlag('BLANK_MISSING', 'error', message, { value: found, limit: BLANKS_MIN }));
  }
  const blank = found < BLANKS_MIN ? null : summary;
  const replicates = readings
    .filter((reading) => isJudged(reading, sequences))
    .map((reading) => evaluateWell(reading, blank, { name, settings, sequence: sequences[reading.sample] }));
  const plate: ExpressionPlate = {
    plate: name,
    instrument: set.instrument,
    signalUnit: set.unit ?? 'AU',
    pass: blank !== null,
    flags,
    curves: [],
    standardCurve: null,
    noDna: isNoDna && blank !== null ? blank : { n: 0, mean: null, sd: null },
  };
  for (const well of replicates) well.flags.unshift(...flags.filter(({ code }) => code === 'BLANK_LEFT_OUT'));
  const notices = flags
    .filter(({ code }) => code === 'BLANK_LEFT_OUT')
    .map(({ message }) => `${name}: ${message}`);
  return { plate, replicates, notices };
}

/** `found` counts all wells of the role; one contaminated well of three or more is left out of `blank`. */
function summarizeBlanks(
  readings: readonly PlateReading[],
  content: 'blank' | 'negative_control',
): { found: number; blank: Blank | null; flag: Flag | null } {
  const wells = readings.flatMap(({ role, value, well }) =>
    role === content && value !== null ? { well, value } : [],
  );
  const all = wells.map(({ value }) => value);
  const apart = findContaminatedBlank(all, READER_SD_AU);
  const values = all.filter((_, i) => i !== apart);
  const blank =
    values.length < 2
      ? null
      : { n: values.length, mean: computeMean(values), sd: computeStandardDeviation(values) };
  if (apart === null || blank === null) return { found: all.length, blank, flag: null };
  const { well, value } = wells[apart];
  const wellKind = content === 'blank' ? 'blank' : 'control without DNA';
  const message = `The ${wellKind} ${well} absorbs unlike the other ${values.length} and was left out: it may be contaminated.`;
  const flag = createFlag('BLANK_LEFT_OUT', 'info', message, { value, limit: blank.mean });
  return { found: all.length, blank, flag };
}

function evaluateWell(
  reading: PlateReading,
  blank: Blank | null,
  context: { name: string; settings: ExpressionSettings; sequence: string | undefined },
): ReplicateExpression {
  const { name, settings, sequence } = context;
  const net = reading.value === null || blank === null ? null : reading.value - blank.mean;
  const well: ReplicateExpression = {
    sample: reading.sample,
    role: reading.role,
    replicate: reading.replicate,
    plate: name,
    well: reading.well,
    outcome: 'failed_qc',
    flags: [],
    curves: [],
    yield: null,
    seOwnLn: null,
    seSharedLn: null,
    seFreedom: null,
    response: reading.value,
    responseAdjusted: net,
  };
  const limit = blank === null ? 0 : settings.blankSd * blank.sd;
  const floor =
    sequence === undefined ? null : computeConcentrationA280(limit, getProtein(sequence, settings));
  if (floor === null || sequence === undefined) {
    const message =
      sequence === undefined
        ? 'The sequence of the sample is not known.'
        : 'Without tryptophan and tyrosine a protein does not absorb at 280 nm.';
    well.flags.push(createFlag('A280_BLIND', 'error', message));
    return well;
  }
  if (net === null || blank === null) {
    const message = reading.saturated ? 'The detector was saturated.' : 'No value or no blank.';
    well.flags.push(createFlag(reading.saturated ? 'SATURATED' : 'BLANK_MISSING', 'error', message));
    return well;
  }
  const concentration = computeConcentrationA280(Math.max(net, limit), getProtein(sequence, settings));
  if (concentration === null) return well;
  const isBelow = net < limit;
  const value = concentration * settings.dilutionFactor;
  if (!isBelow) {
    well.seOwnLn = blank.sd / net;
    // The same mean of the blanks is subtracted from all wells, so they share its error.
    well.seSharedLn = blank.sd / Math.sqrt(blank.n) / net;
    well.seFreedom = blank.n - 1;
  }
  well.yield = buildQuantity(value, well);
  if (isBelow) {
    const message = 'The absorbance is not distinguishable from the blanks.';
    well.flags.push(createFlag('BELOW_LLOQ', 'info', message, { value: net, limit }));
  }
  well.outcome = isExpressed(well.yield, settings) === false ? 'not_expressed' : 'measured';
  return well;
}

function getProtein(sequence: string, { cystines, pathCm }: ExpressionSettings) {
  return { sequence, pathCm, cystines: cystines === 'all_paired' ? countPairedCystines(sequence) : 0 };
}

/** Returns a value with its interval, or a limit where the well has no error. */
function buildQuantity(value: number, { seOwnLn, seSharedLn, seFreedom }: ReplicateExpression): Quantity {
  if (seOwnLn === null || seFreedom === null) return createLimit(value, 'ng/µL', 'below_blanks');
  const spread = Math.exp(computeT95(seFreedom) * Math.hypot(seOwnLn, seSharedLn ?? 0));
  return createMeasuredBetween(value, 'ng/µL', { low: 1 / spread, high: spread });
}
