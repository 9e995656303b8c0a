/** Evaluates one BLI plate: its standard curve, its control without DNA, and each sample well. */
import { formatCount } from '#core/words.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import { createLimit, createMeasuredBetween, type Quantity } from '#analysis/quantities/quantity.ts';
import {
  computeMean,
  computeStandardDeviation,
  computeMedian,
  computeT95,
} from '#analysis/numerics/statistics.ts';
import type { Trace, TraceSet } from '#analysis/curves/trace.ts';
import {
  buildCaptureCurves,
  measureCaptureRate,
  computeStandardNgPerUl,
  type CaptureRate,
  findCaptureFault,
  hasJump,
  type CaptureFault,
} from './capture.ts';
import { findBadStandard } from './bad-standard.ts';
import type { BadStandard } from './bad-standard.ts';
import { findContaminatedBlank } from './contaminated-blank.ts';
import { fitFourParameter, invert, computeResponseAt } from './four-parameter.ts';
import type { FourParameterFit, StandardPoint } from './four-parameter.ts';
import { computeQuantificationRange } from './quantification-range.ts';
import type { QuantificationRange } from './quantification-range.ts';
import type { ExpressionSettings } from './settings.ts';
import type { ExpressionPlate, ReplicateExpression } from './types.ts';

const LEVELS_MIN = 5;
const PARAMETERS = 4;

interface Calibration {
  fit: FourParameterFit;
  range: QuantificationRange & { lloq: number; uloq: number };
}

interface StandardWell extends StandardPoint {
  trace: Trace;
}

interface PlateContext {
  plate: string;
  settings: ExpressionSettings;
  /** Returns the standard deviation of a rate of this size. */
  computeSd: (rate: number) => number;
  calibration: Calibration | null;
  /** Rates of the usable standards. */
  standardRates: readonly CaptureRate[];
  /** The rate that is subtracted from every rate, and its standard error. */
  background: { rate: number; se: number };
}

/** `ordered` names the negative controls that are also ordered sequences and need a result. */
export function evaluateCapturePlate(
  set: TraceSet,
  settings: ExpressionSettings,
  ordered: Readonly<Record<string, string>>,
  index: number,
): { plate: ExpressionPlate; replicates: ReplicateExpression[]; notices: string[] } {
  const name = set.plate ?? `Plate ${index + 1}`;
  const rates = new Map(set.traces.map((trace) => [trace, measureCaptureRate(trace, settings)]));
  const noise = computeMedian([...rates.values()].flatMap((rate) => rate?.se ?? []));
  const computeSd = (rate: number): number => Math.hypot(noise, (settings.rateCvPct / 100) * rate);
  const massDa = Number(set.metadata.standard_mass_da);
  const isSteady = ([{ role }, rate]: [Trace, CaptureRate | null]): boolean => {
    const isCalibrator = role === 'standard' || role === 'negative_control';
    return !isCalibrator || rate === null || !hasJump(rate, computeSd(rate.rate));
  };
  const steady = new Map([...rates].filter(isSteady));
  const jumped = rates.size - steady.size;
  const all = collectStandardPoints(steady, massDa, computeSd);
  const first = fitFourParameter(all);
  const bad = first === null ? null : findBadStandard(all, first);
  const fit = bad === null ? first : bad.fit;
  const points = bad === null ? all : all.filter((point) => !bad.points.includes(point));
  const range = fit === null ? null : computeRange(fit, points, settings);
  const { noDna, flag: blankFlag } = summarizeNoDna(steady, computeSd);
  const leftOut = [
    ...(bad === null ? [] : [flagBadStandard(bad)]),
    ...(blankFlag === null ? [] : [blankFlag]),
  ];
  const flags = [...flagPlate({ points, fit, range, noDna, massDa, settings }), ...leftOut];
  if (jumped > 0) {
    const message = 'Captures with jumps, of standards or of controls without DNA, were left out.';
    flags.push(createFlag('SPIKE', 'info', message, { value: jumped }));
  }
  const isUsable = fit !== null && fit.r2 >= settings.standardCurveR2Min;
  const { lloq, uloq } = range ?? { lloq: null, uloq: null };
  const calibration =
    isUsable && range !== null && lloq !== null && uloq !== null
      ? { fit, range: { ...range, lloq, uloq } }
      : null;
  const background =
    settings.subtractNoDna && noDna.mean !== null && fit !== null
      ? { rate: noDna.mean - fit.a, se: (noDna.sd ?? 0) / Math.sqrt(noDna.n) }
      : { rate: 0, se: 0 };
  const standardRates = [...steady].flatMap(([trace, rate]) =>
    trace.role === 'standard' && rate !== null && !isLeftOut(bad, trace) ? rate : [],
  );
  const context = { plate: name, settings, computeSd, calibration, standardRates, background };
  const replicates = set.traces
    .filter((trace) => isJudged(trace, ordered))
    .map((trace) => evaluateWell(trace, rates.get(trace) ?? null, context));
  const worrying = flags.filter((each) => each.severity !== 'info' || leftOut.includes(each));
  for (const well of replicates) well.flags = removeDuplicateFlags([...well.flags, ...worrying]);
  const plate: ExpressionPlate = {
    plate: name,
    instrument: set.instrument,
    signalUnit: set.signalUnit,
    pass: calibration !== null && !flags.some(({ severity }) => severity !== 'info'),
    flags,
    noDna,
    standardCurve: fit === null ? null : buildStandardCurve(fit, range),
    curves:
      fit === null
        ? []
        : [buildStandardPicture(name, { fit, range, points: all, leftOut: bad?.points ?? [] })],
  };
  return { plate, replicates, notices: leftOut.map(({ message }) => `${name}: ${message}`) };
}

/** Whether a well is evaluated: samples, positive controls, and negative controls that are sequences of the order. */
export function isJudged(
  { role, sample }: { readonly role: string; readonly sample: string },
  ordered: Readonly<Record<string, string>>,
): boolean {
  if (role === 'negative_control') return Object.hasOwn(ordered, sample);
  return role === 'sample' || role === 'positive_control';
}

function computeRange(
  fit: FourParameterFit,
  points: readonly StandardPoint[],
  settings: ExpressionSettings,
): QuantificationRange {
  return computeQuantificationRange(fit, points, {
    recoveryMinPct: settings.recoveryMinPct,
    recoveryMaxPct: settings.recoveryMaxPct,
    cvMaxPct: settings.recoveryCvMaxPct,
    blankSd: settings.blankSd,
  });
}

function collectStandardPoints(
  rates: ReadonlyMap<Trace, CaptureRate | null>,
  massDa: number,
  computeSd: (rate: number) => number,
): StandardWell[] {
  if (!(massDa > 0)) return [];
  return [...rates].flatMap(([trace, rate]) => {
    if (trace.role !== 'standard' || rate === null || trace.concentrationM === null) return [];
    const x = computeStandardNgPerUl(trace.concentrationM, massDa);
    return { x, response: rate.rate, sd: computeSd(rate.rate), trace };
  });
}

function summarizeNoDna(
  rates: ReadonlyMap<Trace, CaptureRate | null>,
  computeSd: (rate: number) => number,
): { noDna: ExpressionPlate['noDna']; flag: Flag | null } {
  const wells = [...rates].flatMap(([trace, rate]) =>
    trace.role === 'negative_control' && rate !== null ? { trace, rate: rate.rate } : [],
  );
  const all = wells.map(({ rate }) => rate);
  const apart = findContaminatedBlank(all, computeSd(computeMedian(all)));
  const values = all.filter((_, i) => i !== apart);
  const noDna = {
    n: values.length,
    mean: values.length === 0 ? null : computeMean(values),
    sd: values.length < 2 ? null : computeStandardDeviation(values),
  };
  if (apart === null) return { noDna, flag: null };
  const message = `The control without DNA ${nameTrace(wells[apart].trace)} responds unlike the other ${values.length} and was left out: it may be contaminated.`;
  const numbers = { value: wells[apart].rate, limit: noDna.mean ?? Number.NaN };
  return { noDna, flag: createFlag('BLANK_LEFT_OUT', 'info', message, numbers) };
}

function nameTrace({ id, well }: Trace): string {
  return well ?? id;
}

function isLeftOut(bad: BadStandard<StandardWell> | null, trace: Trace): boolean {
  return bad?.points.some((point) => point.trace === trace) ?? false;
}

function flagBadStandard({ points, x, read }: BadStandard<StandardWell>): Flag {
  const list = points.map(({ trace }) => nameTrace(trace)).join(', ');
  const found =
    read === null ? 'it lies beyond the curve of the others' : `the others read ${formatNgPerUl(read)}`;
  const message = `The standard of ${formatNgPerUl(x)} (${list}) does not lie on the curve of the other standards and was left out: ${found}.`;
  return createFlag('STANDARD_LEFT_OUT', 'info', message, { value: read ?? Number.NaN, limit: x });
}

function formatNgPerUl(value: number): string {
  return `${Number(value.toPrecision(3))} ng/µL`;
}

interface Findings {
  points: readonly StandardPoint[];
  fit: FourParameterFit | null;
  range: QuantificationRange | null;
  noDna: ExpressionPlate['noDna'];
  massDa: number;
  settings: ExpressionSettings;
}

function flagPlate({ points, fit, range, noDna, massDa, settings }: Findings): Flag[] {
  const flags: Flag[] = [];
  const levels = new Set(points.filter(({ x }) => x > 0).map(({ x }) => x)).size;
  if (!(massDa > 0)) {
    const message = 'The file does not state the mass of the standard (standard_mass_da).';
    flags.push(createFlag('STANDARD_CURVE_FAILED', 'error', message));
  } else if (fit === null) {
    const message = `No curve could be fitted to ${formatCount(points.length, 'standard')}.`;
    flags.push(createFlag('STANDARD_CURVE_FAILED', 'error', message));
  } else if (fit.r2 < settings.standardCurveR2Min) {
    const message = 'The standards do not fit their curve.';
    const numbers = { value: fit.r2, limit: settings.standardCurveR2Min };
    flags.push(createFlag('STANDARD_CURVE_FAILED', 'error', message, numbers));
  } else if (range?.lloq === null) {
    const message = 'Fewer than two adjacent standards are within the limits of recovery.';
    flags.push(createFlag('STANDARD_CURVE_FAILED', 'error', message));
  }
  if (fit !== null && levels < LEVELS_MIN) {
    const message = `The standard curve rests on ${formatCount(levels, 'concentration')}.`;
    flags.push(createFlag('FEW_STANDARDS', 'warning', message, { value: levels, limit: LEVELS_MIN }));
  }
  if (noDna.n === 0 && settings.subtractNoDna) {
    const message = 'The plate has no control without DNA: no background was subtracted from the samples.';
    flags.push(createFlag('NO_DNA_CONTROL_MISSING', 'warning', message));
  }
  const lowest = range?.levels.find(({ x }) => x === range.lloq);
  if (noDna.mean !== null && lowest !== undefined && noDna.mean > lowest.meanResponse) {
    const message = 'The control without DNA responds more than the lowest usable standard.';
    const numbers = { value: noDna.mean, limit: lowest.meanResponse };
    flags.push(createFlag('BACKGROUND_HIGH', 'warning', message, numbers));
  }
  return removeDuplicateFlags(flags);
}

function evaluateWell(trace: Trace, rate: CaptureRate | null, context: PlateContext): ReplicateExpression {
  const { calibration, settings, background } = context;
  const well: ReplicateExpression = {
    sample: trace.sample,
    role: trace.role === 'positive_control' || trace.role === 'negative_control' ? trace.role : 'sample',
    replicate: trace.replicate,
    plate: context.plate,
    well: trace.well,
    outcome: 'failed_qc',
    flags: [],
    curves: buildCaptureCurves(trace, trace.replicate, rate, settings),
    yield: null,
    seOwnLn: null,
    seSharedLn: null,
    seFreedom: null,
    response: rate?.rate ?? null,
    responseAdjusted: rate === null ? null : rate.rate - background.rate,
  };
  if (rate === null) {
    well.flags.push(createFlag('STEPS_UNUSABLE', 'error', 'The trace has no loading within the window.'));
    return well;
  }
  if (calibration === null) {
    well.flags.push(createFlag('STANDARD_CURVE_FAILED', 'error', 'The plate has no usable standard curve.'));
    return well;
  }
  const own = calibration.fit.scale * context.computeSd(rate.rate);
  const fault = findFault(rate, context, calibration);
  if (fault !== null) {
    well.flags.push(FAULTS[fault]);
    return well;
  }
  quantify(well, rate.rate - background.rate, Math.hypot(own, background.se), calibration, settings);
  return well;
}

/** A faulty capture gives no limit either, because a saturating sensor and a slow shift of the buffer look alike. */
const FAULTS: Record<CaptureFault, Flag> = {
  jumps: createFlag(
    'SPIKE',
    'error',
    'The capture jumps within the window, so its rate is not a binding rate.',
  ),
  fills: createFlag(
    'SATURATED',
    'error',
    'The capture levels off within the window, as when the sensor saturates: dilute the sample or shorten the window (rate_to_s).',
  ),
  bends: createFlag('POOR_FIT', 'error', 'The capture is not linear within the window.'),
};

/** If the nearest standard bends in the same way as a capture, the standard curve still reads it correctly. */
function findFault(
  rate: CaptureRate,
  { computeSd, standardRates }: PlateContext,
  { fit, range }: Calibration,
): CaptureFault | null {
  const limits = {
    sd: computeSd(rate.rate),
    noise: computeSd(0),
    lowest: Math.abs(computeResponseAt(fit, range.lloq)),
  };
  const fault = findCaptureFault(rate, limits);
  if (fault === null || fault === 'jumps' || standardRates.length === 0) return fault;
  const computeDistance = (each: CaptureRate): number => Math.abs(each.rate - rate.rate);
  const nearest = standardRates.reduce((best, each) =>
    computeDistance(each) < computeDistance(best) ? each : best,
  );
  return findCaptureFault(nearest, limits) === fault ? null : fault;
}

/** Below the lowest and above the highest usable standard, only limits are reported. */
function quantify(
  well: ReplicateExpression,
  response: number,
  responseSd: number,
  { fit, range }: Calibration,
  settings: ExpressionSettings,
): void {
  const read = invert(fit, response, responseSd);
  const isRising = fit.d > fit.a;
  const isPastTop = isRising ? response >= fit.d : response <= fit.d;
  if (read === null ? isPastTop : read.x > range.uloq) {
    well.yield = createLimit(range.uloq * settings.dilutionFactor, 'ng/µL', 'above_standards');
    const message = 'The response is above the highest usable standard; dilute the sample and measure again.';
    well.flags.push(createFlag('ABOVE_ULOQ', 'warning', message, { limit: range.uloq }));
  } else if (read === null || read.x < range.lloq) {
    well.yield = createLimit(range.lloq * settings.dilutionFactor, 'ng/µL', 'below_standards');
    const message = 'The response is below the lowest usable standard.';
    well.flags.push(createFlag('BELOW_LLOQ', 'info', message, { limit: range.lloq }));
  } else {
    well.seSharedLn = invert(fit, response, 0)?.seLn ?? null;
    well.seOwnLn = Math.sqrt(Math.max(0, read.seLn ** 2 - (well.seSharedLn ?? 0) ** 2));
    const spread = Math.exp(computeT95(fit.points - PARAMETERS) * read.seLn);
    const value = read.x * settings.dilutionFactor;
    well.yield = createMeasuredBetween(value, 'ng/µL', { low: 1 / spread, high: spread });
  }
  well.outcome = isExpressed(well.yield, settings) === false ? 'not_expressed' : 'measured';
}

/** Returns null where the assay cannot decide, because the limit of the yield is on the wrong side. */
export function isExpressed(quantity: Quantity | null, settings: ExpressionSettings): boolean | null {
  if (quantity === null) return null;
  const limit = settings.expressedMinNgPerUl;
  if (quantity.relation === '<') return quantity.value <= limit ? false : null;
  if (quantity.relation === '>') return quantity.value >= limit ? true : null;
  return quantity.value >= limit;
}

function buildStandardCurve(
  fit: FourParameterFit,
  range: QuantificationRange | null,
): ExpressionPlate['standardCurve'] {
  const { a, b, c, d, r2 } = fit;
  const { lloq = null, uloq = null, levels = [] } = range ?? {};
  return { a, b, cNgPerUl: c, d, r2, lloqNgPerUl: lloq, uloqNgPerUl: uloq, levels };
}

const CURVE_POINTS = 80;

interface StandardPicture {
  readonly fit: FourParameterFit;
  readonly range: QuantificationRange | null;
  /** All standards, also those that were left out. */
  readonly points: readonly StandardPoint[];
  readonly leftOut: readonly StandardPoint[];
}

function buildStandardPicture(plate: string, { fit, range, points, leftOut }: StandardPicture) {
  const positive = points.filter(({ x }) => x > 0).map(({ x }) => x);
  const from = Math.log(Math.min(...positive) / 2);
  const to = Math.log(Math.max(...positive) * 2);
  const grid = Array.from({ length: CURVE_POINTS }, (_, i) =>
    Math.exp(from + ((to - from) * i) / (CURVE_POINTS - 1)),
  );
  const recovery = new Map(range?.levels.map(({ x, recoveryPct }) => [x, recoveryPct]));
  const roundDigits = (value: number): number => Number(value.toPrecision(7));
  return {
    kind: 'standard_curve',
    replicate: null,
    plate,
    concentration_ng_per_ul: points.map(({ x }) => roundDigits(x)),
    response: points.map(({ response }) => roundDigits(response)),
    excluded: points.map((point) => leftOut.includes(point)),
    recovery_pct: points.map((point) => {
      const pct = leftOut.includes(point) ? null : (recovery.get(point.x) ?? null);
      return pct === null ? null : roundDigits(pct);
    }),
    fit_concentration_ng_per_ul: grid.map(roundDigits),
    fit_response: grid.map((x) => roundDigits(computeResponseAt(fit, x))),
    lloq_ng_per_ul: range?.lloq === null || range === null ? null : roundDigits(range.lloq),
    uloq_ng_per_ul: range?.uloq === null || range === null ? null : roundDigits(range.uloq),
  };
}
