/** Decides whether a plate is valid, from its controls and from what it lacks. */
import { formatCount } from '#core/words.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { Outcome } from '#analysis/assays/analysis-records.ts';
import type { TraceRole, TraceSet } from '#analysis/curves/trace.ts';
import { formatNames } from '#analysis/assays/settings.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '#analysis/quality/flags.ts';
import { computeLog10Distance, type Quantity } from '#analysis/quantities/quantity.ts';
import type { PlateLevels } from './kinetics/plate-levels.ts';
import type { BindingSettings } from './settings.ts';
import type { PlateQc } from './types.ts';

export interface ControlOutcome {
  sample: string;
  role: TraceRole;
  outcome: Outcome;
  kd: Quantity | null;
}

interface PlateFindings {
  levels: PlateLevels;
  /** All replicates of the plate; those that are not controls are ignored. */
  controls: readonly ControlOutcome[];
  settings: BindingSettings;
}

/** An estimate of the control's KD, as from one or two concentrations, may be off by less than a factor of ten. */
const ESTIMATE_LOG10_MAX = 1;

function getLargestDistance(kd: Quantity | null, { limits: { controlLog10Max } }: BindingSettings): number {
  return kd?.relation === '~' ? Math.max(controlLog10Max, ESTIMATE_LOG10_MAX) : controlLog10Max;
}

/** Outcomes of a control that was on its sensors. */
const TELLING: ReadonlySet<Outcome> = new Set(['measured', 'non_binder', 'inconclusive']);

/** The plate fails when more than this fraction of the negative controls binds. */
const NEGATIVES_BINDING_MAX = 0.25;

/** The known KD of each positive control. The value of the catalog is that of one control; a setting overrides it. */
function listKnownValues(
  positives: readonly ControlOutcome[],
  { controlKdM, targetControlKdM }: BindingSettings,
): ReadonlyMap<string, number> {
  const names = [...new Set(positives.map(({ sample }) => sample))];
  const unnamed = names.filter((name) => controlKdM[name] === undefined);
  return new Map(
    names.flatMap((name): [string, number][] => {
      const value = controlKdM[name] ?? (unnamed.length === 1 ? targetControlKdM : null);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Nothing shows that such a plate works; its results remain, because many plates are measured without. */
function flagMissingControls(plate: string, positiveControls: PlateQc['positiveControls']): Flag[] {
  if (positiveControls.length === 0) {
    const message = `${plate} has no positive control: nothing on it shows that a binder would have been measured correctly.`;
    return [createFlag('CONTROL_MISSING', 'info', message)];
  }
  const unknown = positiveControls.filter(({ expectedKdM }) => expectedKdM === null);
  if (unknown.length === 0) return flagUncheckedControls(plate, positiveControls);
  const message = `The KD of the positive control ${formatNames(unknown.map(({ sample }) => sample))} is not known: neither the catalog nor the setting control_kd_m has it, so only its binding was checked.`;
  return [createFlag('CONTROL_VALUE_UNKNOWN', 'info', message)];
}

/** A control that responds, but whose curves bound KD on neither side, shows nothing of its known value. */
function flagUncheckedControls(plate: string, positiveControls: PlateQc['positiveControls']): Flag[] {
  const isRead = positiveControls.some(({ kdM, missed }) => kdM !== null || missed);
  const first = positiveControls.find(({ outcome }) => outcome === 'measured');
  if (isRead || first === undefined || first.expectedKdM === null) return [];
  const message = `The positive control ${first.sample} responds on ${plate}, but its curves give no KD, so its known KD of ${formatBriefly(first.expectedKdM)} was not checked.`;
  return [createFlag('CONTROL_VALUE_UNKNOWN', 'warning', message, { limit: first.expectedKdM })];
}

/** `: its KD is 1.2 µM, and 20 nM was expected`; empty where it was not measured. */
function describeMiss({ outcome, kdM, expectedKdM }: PlateQc['positiveControls'][number]): string {
  if (outcome === 'non_binder') return ': it does not bind';
  if (kdM === null || expectedKdM === null) return '';
  return `: its KD is ${formatBriefly(kdM)}, and ${formatBriefly(expectedKdM)} was expected`;
}

const formatBriefly = (valueM: number): string => formatConcentration(Number(valueM.toPrecision(2)));

export function evaluatePlateControls(
  set: TraceSet,
  plate: string,
  { levels, controls, settings }: PlateFindings,
): PlateQc {
  const flags: Flag[] = [...levels.flags];
  const positives = controls.filter((each) => each.role === 'positive_control');
  const knownValues = listKnownValues(positives, settings);
  const positiveControls = positives.map((each) => {
    const expectedKdM = knownValues.get(each.sample) ?? null;
    const off = expectedKdM === null || each.kd === null ? 0 : computeLog10Distance(each.kd, expectedKdM);
    const pass = each.outcome === 'measured' && off <= getLargestDistance(each.kd, settings);
    // A control that was not on its sensors says nothing about the results of the others.
    const missed = !pass && TELLING.has(each.outcome);
    return {
      sample: each.sample,
      outcome: each.outcome,
      kdM: each.kd?.value ?? null,
      expectedKdM,
      pass,
      missed,
    };
  });
  flags.push(...flagMissingControls(plate, positiveControls));
  for (const control of keepFirstBySample(positiveControls.filter((each) => !each.pass))) {
    const message = `The positive control ${control.sample} did not give its expected result on ${plate}${describeMiss(control)}.`;
    const numbers =
      control.kdM === null ? {} : { value: control.kdM, limit: control.expectedKdM ?? Number.NaN };
    flags.push(createFlag('CONTROL_FAILED', 'warning', message, numbers));
  }
  const negatives = controls.filter((each) => each.role === 'negative_control');
  const binding = negatives.filter((each) => each.outcome === 'measured');
  if (binding.length > NEGATIVES_BINDING_MAX * negatives.length) {
    const message = `${binding.length} of ${formatCount(negatives.length, 'negative control')} ${binding.length === 1 ? 'binds' : 'bind'} on ${plate}.`;
    flags.push(createFlag('CONTROL_FAILED', 'warning', message, { value: binding.length }));
  }
  return {
    plate,
    technique: set.technique,
    instrument: set.instrument,
    signalUnit: set.signalUnit,
    pass: !flags.some((each) => each.severity !== 'info'),
    noise: levels.noise,
    negativeControls: {
      n: levels.negativeResponses.length,
      median: levels.negativeMedian,
      robustSd: levels.negativeSd,
    },
    positiveControls,
    expressedMin: levels.expressedMin,
    flags: joinFailures(flags),
  };
}

function keepFirstBySample<Control extends { sample: string }>(controls: readonly Control[]): Control[] {
  return controls.filter(({ sample }, i) => controls.findIndex((each) => each.sample === sample) === i);
}

/** Returns one flag per code; that of failed controls says everything that failed. */
function joinFailures(flags: readonly Flag[]): Flag[] {
  const failures = flags.filter(({ code }) => code === 'CONTROL_FAILED');
  const message = failures.map((each) => each.message).join(' ');
  const severity = failures.some((each) => each.severity === 'error') ? 'error' : 'warning';
  return removeDuplicateFlags(flags).map((flag) =>
    flag.code === 'CONTROL_FAILED' ? { ...flag, message, severity } : flag,
  );
}
