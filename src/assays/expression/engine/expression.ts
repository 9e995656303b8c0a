/**
 * Expression: the protein yield of a sequence, from BLI capture with a standard curve or from absorbance at 280 nm.
 * This folder: how much protein a sequence gives. Not here: other assays, the wire.
 */
import type { PlannedControl } from '#core/raw-mapping.ts';
import { mapWithPauses, finish, type Paused } from '#analysis/assays/assay.ts';
import { buildRankRange } from '#core/ranking.ts';
import {
  ENGINE,
  type AssayComparison,
  type InputFileRecord,
  type Outcome,
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
import { flagChangedSettings, assertPositiveControls } from '#analysis/assays/settings.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import { computeMassDa } from './protein.ts';
import { applyDoubts, computeLog10Distance, type Quantity } from '#analysis/quantities/quantity.ts';
import { combineReplicates } from '#analysis/quantities/replicates.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import { listStatedControls, type PlateSet, type TraceSet } from '#analysis/curves/trace.ts';
import { evaluateAbsorbancePlate } from './absorbance.ts';
import { isExpressed, evaluateCapturePlate } from './plate.ts';
import { resolveExpressionSettings } from './settings.ts';
import type { ExpressionSettings, ExpressionSettingsInput } from './settings.ts';
import type {
  ExpressionAnalysis,
  ExpressionClass,
  ExpressionPlate,
  Quantification,
  ReplicateExpression,
  SequenceExpression,
} from './types.ts';

export interface ExpressionInput {
  /** BLI plates. */
  traces: readonly TraceSet[];
  /** Plate-reader plates with absorbance at 280 nm. */
  plates: readonly PlateSet[];
  /** Amino-acid sequences by sample name, for molar yields and A280. */
  sequences?: Readonly<Record<string, string>> | undefined;
  excluded?: readonly ExcludedReplicate[] | undefined;
  plannedControls?: readonly PlannedControl[] | undefined;
}

/** Some plates of a run, each evaluated with the standards and controls on it. */
export interface ExpressionPart {
  plates: ExpressionPlate[];
  replicates: Measured[];
  /** Whether one of the plates is of sensors. */
  hasTraces: boolean;
  fileNotices: string[];
  plateNotices: string[];
  /** Replicates that were left out. */
  excluded: ExcludedReplicate[];
  controls: PlateControls[];
}

/** Throws AnalysisError when the settings are wrong or no sample was measured. */
export function analyzeExpressionSets(
  run: ExpressionInput,
  input: ExpressionSettingsInput = {},
  inputs: InputFileRecord[] = [],
): ExpressionAnalysis {
  const part = evaluateExpressionSets(run, input);
  const { sequences, excluded, plannedControls } = run;
  return finish(combineExpression([part], input, { inputs, sequences, excluded, plannedControls }));
}

/** Throws `settings_invalid`. `firstPlate` numbers plates without a name. */
export function evaluateExpressionSets(
  { traces: allTraces, plates: allPlates, sequences = {}, excluded }: ExpressionInput,
  input: ExpressionSettingsInput = {},
  firstPlate = 0,
): ExpressionPart {
  const settings = resolveExpressionSettings(input);
  const exclusions = new Exclusions(excluded);
  const traces = allTraces.map((set, index) => ({
    ...set,
    traces: exclusions.leaveOut(namePlate(set, firstPlate + index), set.traces),
  }));
  const firstRead = firstPlate + traces.length;
  const readerPlates = allPlates.map((set, index) => ({
    ...set,
    readings: exclusions.leaveOut(namePlate(set, firstRead + index), set.readings),
  }));
  const judged = [
    ...traces.map((set, index) => ({
      how: 'bli_capture' as const,
      ...evaluateCapturePlate(set, settings, sequences, firstPlate + index),
    })),
    ...readerPlates.map((set, index) => ({
      how: 'a280' as const,
      ...evaluateAbsorbancePlate(set, settings, sequences, firstRead + index),
    })),
  ];
  return {
    plates: judged.map(({ plate }) => plate),
    replicates: judged.flatMap((each) => each.replicates.map((well) => ({ ...well, how: each.how }))),
    hasTraces: traces.length > 0,
    fileNotices: [...traces, ...readerPlates].flatMap((set) => set.notices),
    plateNotices: judged.flatMap(({ notices }) => notices),
    excluded: exclusions.listMatched(),
    controls: [
      ...traces.map(({ traces: kept, ...set }, index) =>
        countControls(
          namePlate(set, firstPlate + index),
          set.statedControls ?? listStatedControls(allTraces[index].traces),
          kept,
        ),
      ),
      ...readerPlates.map(({ readings, ...set }, index) =>
        countControls(
          namePlate(set, firstRead + index),
          set.statedControls ?? listStatedControls(allPlates[index].readings),
          readings.map(({ well, role }) => ({ id: well, role })),
        ),
      ),
    ],
  };
}

/** Combines replicates to sequences and ranks them. Throws like `analyzeExpressionSets`. */
export function* combineExpression(
  parts: readonly ExpressionPart[],
  input: ExpressionSettingsInput,
  {
    inputs,
    sequences = {},
    excluded,
    plannedControls,
  }: { inputs: InputFileRecord[] } & Pick<ExpressionInput, 'sequences' | 'excluded' | 'plannedControls'>,
): Paused<ExpressionAnalysis> {
  const settings = resolveExpressionSettings(input);
  assertExcluded(
    excluded,
    parts.flatMap((part) => part.excluded),
  );
  const plates = parts.flatMap((part) => part.plates);
  const replicates = parts.flatMap((part) => part.replicates);
  if (replicates.length === 0) throw new AnalysisError('nothing_to_analyze', 'The files contain no samples.');
  assertPositiveControls('control_ng_per_ul', settings.controlNgPerUl, replicates);
  failControls(plates, replicates, settings);
  flagLostControls(plates, replicates, {
    controls: parts.flatMap(({ controls }) => controls),
    planned: plannedControls,
  });
  const all = yield* mapWithPauses(groupBySample(replicates), (group) =>
    aggregateSequence(group, plates, { settings, sequences }),
  );
  const { sequences: samples, controls } = splitControls(all);
  rankByYield(samples);
  flagChangedSettings(all, settings, resolveExpressionSettings());
  const positives = controls.filter(({ role }) => role === 'positive_control');
  for (const sample of samples)
    sample.performance = positives.map((control) => compareWithControl(sample, control));
  return {
    experimentType: 'expression',
    analysis: {
      engine: { ...ENGINE },
      model: parts.some(({ hasTraces }) => hasTraces) ? '4pl' : 'a280',
      settings,
      inputs,
    },
    notices: [
      ...parts.flatMap(({ fileNotices }) => fileNotices),
      ...parts.flatMap(({ plateNotices }) => plateNotices),
    ],
    plates,
    sequences: samples,
    controls,
  };
}

/** Results name a plate so, where its file does not. */
function namePlate({ plate }: { readonly plate: string | null }, index: number): string {
  return plate ?? `Plate ${index + 1}`;
}

type Measured = ReplicateExpression & { how: Quantification };

/** Fails the whole plate when a positive control is far from its expected yield. */
function failControls(
  plates: readonly ExpressionPlate[],
  replicates: readonly Measured[],
  settings: ExpressionSettings,
): void {
  for (const control of replicates.filter(({ role }) => role === 'positive_control')) {
    const expected = settings.controlNgPerUl[control.sample];
    if (expected === undefined) continue;
    const found = control.yield;
    const off = found === null ? Infinity : computeLog10Distance(found, expected);
    if (off <= settings.controlLog10Max) continue;
    const message = `The control ${control.sample} is far from the ${expected} ng/µL expected of it on ${control.plate}.`;
    const failed = createFlag('CONTROL_FAILED', 'warning', message, {
      value: found?.value ?? Number.NaN,
      limit: expected,
    });
    for (const plate of plates.filter((each) => each.plate === control.plate)) {
      plate.pass = false;
      plate.flags = removeDuplicateFlags([...plate.flags, failed]);
    }
    for (const well of replicates.filter((each) => each.plate === control.plate))
      well.flags = removeDuplicateFlags([...well.flags, failed]);
  }
}

function aggregateSequence(
  wells: readonly Measured[],
  plates: readonly ExpressionPlate[],
  context: { settings: ExpressionSettings; sequences: Readonly<Record<string, string>> },
): SequenceExpression {
  const { settings, sequences } = context;
  const sorted = sortReplicates(wells);
  const [first] = sorted;
  const combined = combineReplicates(
    sorted.flatMap((well) =>
      well.yield === null
        ? []
        : {
            ...well.yield,
            own: well.seOwnLn,
            ...(well.seSharedLn === null ? {} : { shared: well.seSharedLn }),
            ...(well.seFreedom === null ? {} : { ownFreedom: well.seFreedom, sharedFreedom: well.seFreedom }),
          },
    ),
    { unit: 'ng/µL', mean: 'geometric', amongLimits: 'median' },
  );
  const vague = findWideInterval(combined);
  const quantity = applyDoubts(combined, { wide_interval: vague !== null });
  const own = plates.filter(({ plate }) => sorted.some((well) => well.plate === plate));
  const listLimits = (
    of: (curve: NonNullable<ExpressionPlate['standardCurve']>) => number | null,
  ): number[] =>
    own.flatMap(({ standardCurve }) => (standardCurve === null ? [] : (of(standardCurve) ?? [])));
  const lloqs = listLimits((curve) => curve.lloqNgPerUl);
  const uloqs = listLimits((curve) => curve.uloqNgPerUl);
  const responses = sorted.flatMap(({ responseAdjusted }) => responseAdjusted ?? []);
  const expressed = isExpressed(quantity, settings);
  const mass = computeMassDa(sequences[first.sample] ?? '');
  return {
    sample: first.sample,
    role: first.role,
    isControl: first.role !== 'sample',
    outcome: decideOutcome(quantity, expressed),
    place: null,
    rankRange: null,
    nReplicates: sorted.length,
    nReplicatesPassed: sorted.filter((well) => well.yield !== null).length,
    performance: [],
    flags: removeDuplicateFlags([
      ...(vague === null ? [] : [vague]),
      ...findSpreadFlags(combined, settings),
      ...sorted.flatMap((well) => well.flags),
    ]),
    yield: quantity,
    yieldUg: scaleQuantity(quantity, settings.reactionVolumeUl / 1e3, 'µg'),
    molarUm: mass === null ? null : scaleQuantity(quantity, 1e3 / mass, 'µM'),
    expressionClass: classifyExpression(quantity, expressed, settings),
    expressed,
    lloqNgPerUl: lloqs.length === 0 ? null : Math.max(...lloqs) * settings.dilutionFactor,
    uloqNgPerUl: uloqs.length === 0 ? null : Math.min(...uloqs) * settings.dilutionFactor,
    quantification: first.how,
    response: responses.length === 0 ? null : computeMean(responses),
    isNoDnaSubtracted: settings.subtractNoDna && own.some(({ noDna }) => noDna.n > 0),
    replicates: sorted,
  };
}

function decideOutcome(quantity: Quantity | null, expressed: boolean | null): Outcome {
  if (quantity === null) return 'failed_qc';
  return expressed === false ? 'not_expressed' : 'measured';
}

function classifyExpression(
  quantity: Quantity | null,
  expressed: boolean | null,
  settings: ExpressionSettings,
): ExpressionClass | null {
  if (quantity === null || expressed === null) return null;
  if (!expressed) return 'none';
  if (quantity.value > settings.classMediumMaxNgPerUl) return 'high';
  if (quantity.relation === '>') return null;
  return quantity.value > settings.classLowMaxNgPerUl ? 'medium' : 'low';
}

function scaleQuantity(quantity: Quantity | null, factor: number, unit: string): Quantity | null {
  if (quantity === null) return null;
  const { ci95Low, ci95High } = quantity;
  return {
    ...quantity,
    unit,
    value: quantity.value * factor,
    ci95Low: ci95Low === null ? null : ci95Low * factor,
    ci95High: ci95High === null ? null : ci95High * factor,
  };
}

/** An end of an interval this many times away from the value leaves less than one significant digit, as for KD. */
const ENDS_FACTOR_MAX = 4;

function findWideInterval(quantity: Quantity | null): Flag | null {
  const { value, ci95Low, ci95High } = quantity ?? { value: null, ci95Low: null, ci95High: null };
  if (value === null || ci95Low === null || ci95High === null) return null;
  const factor = Math.sqrt(ci95High / ci95Low);
  if (factor <= ENDS_FACTOR_MAX) return null;
  const message = `The yield is known to a factor of ${factor.toPrecision(2)} only: its interval runs from ${ci95Low.toPrecision(2)} to ${ci95High.toPrecision(2)} ng/µL.`;
  return createFlag('POORLY_IDENTIFIED', 'warning', message, { value: factor, limit: ENDS_FACTOR_MAX });
}

function findSpreadFlags(quantity: Quantity | null, settings: ExpressionSettings): Flag[] {
  if (quantity === null || quantity.log10Sd === null) {
    if (quantity?.relation !== '~') return [];
    return [
      createFlag(
        'MIXED_RELATIONS',
        'warning',
        'The yield of some replicates is only a limit; the mean is an estimate.',
      ),
    ];
  }
  // CV of a lognormal value, from its spread in ln.
  const cvPct = 100 * Math.sqrt(Math.expm1((quantity.log10Sd * Math.LN10) ** 2));
  const limit = settings.replicateCvMaxPct;
  if (cvPct <= limit) return [];
  const message = 'The yields of the replicates spread widely (geometric CV in %).';
  return [createFlag('REPLICATES_DISAGREE', 'warning', message, { value: cvPct, limit })];
}

/** Ranks by the intervals of the yields; upper limits and sequences without expression have no rank. */
function rankByYield(samples: readonly SequenceExpression[]): void {
  assignPlaces(samples, ({ yield: amount, expressed }) =>
    amount === null || amount.relation === '<' || expressed === false
      ? null
      : buildRankRange(amount, 'higher'),
  );
}

/** Yields within a factor of 1.5 count as comparable. */
const COMPARABLE_LOG2 = Math.log2(1.5);

function compareWithControl(sample: SequenceExpression, control: SequenceExpression): AssayComparison {
  const name = control.sample;
  if (sample.yield === null || control.yield === null || control.yield.relation !== '=')
    return { control: name, delta: null, verdict: 'not_comparable' };
  const log2 = Math.log2(sample.yield.value / control.yield.value);
  if (sample.yield.relation === '<')
    return { control: name, delta: null, verdict: log2 < 0 ? 'worse' : 'not_comparable' };
  if (sample.yield.relation === '>')
    return { control: name, delta: null, verdict: log2 > 0 ? 'better' : 'not_comparable' };
  const verdict = Math.abs(log2) <= COMPARABLE_LOG2 ? 'comparable' : log2 > 0 ? 'better' : 'worse';
  return { control: name, delta: log2, verdict };
}
