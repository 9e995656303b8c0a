/** Thermostability of everything that was melted in one experiment: one method and one baseline rule for all curves. */
import type { InputFileRecord } from '../affinity-types.ts';
import { AnalysisError } from '../errors.ts';
import { distinctFlags, flag } from '../flags.ts';
import { ENGINE } from '../settings.ts';
import { median } from '../statistics.ts';
import type { MeltSet } from '../trace.ts';
import { aggregateMelting, assignMeltingPlaces, compareMelting } from './aggregate.ts';
import { examine, judge } from './examine.ts';
import type { Examination, FittedShape } from './examine.ts';
import { judgeWell } from './replicate.ts';
import { resolveMeltingSettings } from './settings.ts';
import type { MeltingSettings, MeltingSettingsInput, TmMethod } from './settings.ts';
import { fitSharedSlopes } from './shared-slopes.ts';
import type { MeltPlateQc, MeltingProvenance, ReplicateMelting, ThermostabilityAnalysis } from './types.ts';
import { wellsOf } from './wells.ts';
import type { Well } from './wells.ts';

interface Examined {
  well: Well;
  examination: Examination | null;
}

/** Throws `settings_invalid` and `nothing_to_analyze`. */
export function analyzeMeltingSets(
  sets: readonly MeltSet[],
  input: MeltingSettingsInput = {},
  inputs: InputFileRecord[] = [],
): ThermostabilityAnalysis {
  const settings = resolveMeltingSettings(input);
  const plates = sets.map((set, index) => ({ set, ...wellsOf(set, index, settings) }));
  const wells = plates.flatMap((each) => each.wells);
  if (wells.every((well) => well.curve === null))
    throw new AnalysisError('nothing_to_analyze', 'The files contain no melting curves of samples.');
  const shape = shapeOf(wells, settings);
  const examined = wells.map((well): Examined => {
    return { well, examination: well.curve === null ? null : examine(well.curve, shape, settings) };
  });
  const notices = plates.flatMap((each) => each.notices);
  const sharedSlopes = shape === 'two_state' ? shareSlopes(examined, settings, notices) : null;
  const { method, evidence } = chooseMethod(examined, shape, settings);
  const replicates = examined.map(({ well, examination }) => judgeWell(well, examination, method, settings));
  const qc = plates.map(({ set, plate }) => plateQc(plate, set, replicates, settings));
  const all = [
    ...Map.groupBy(replicates, ({ role, sample, concentrationM }) =>
      JSON.stringify([role, sample, concentrationM]),
    ).values(),
  ].map((group) => aggregateMelting(group, settings));
  const sequences = all.filter((each) => !each.isControl);
  const controls = all.filter((each) => each.isControl);
  assignMeltingPlaces(sequences);
  compareMelting(sequences, controls);
  const analysis: MeltingProvenance = {
    engine: { ...ENGINE },
    model: method,
    methodEvidence: evidence,
    sharedSlopes,
    settings,
    inputs,
  };
  return { experimentType: 'thermostability', analysis, notices, plates: qc, sequences, controls };
}

/** Dye curves fall after their maximum, which no two-state baseline describes: they are fitted as Boltzmann curves. */
function shapeOf(wells: readonly Well[], { method }: MeltingSettings): FittedShape {
  if (method === 'two_state' || method === 'boltzmann') return method;
  return wells.every((well) => well.channel === 'dye') ? 'boltzmann' : 'two_state';
}

function chooseMethod(
  examined: readonly Examined[],
  shape: FittedShape,
  { method, limits }: MeltingSettings,
): { method: TmMethod; evidence: MeltingProvenance['methodEvidence'] } {
  const r2 = examined.flatMap(({ examination }) =>
    examination?.fit && examination.none === null ? [examination.fit.r2] : [],
  );
  const evidence = { medianR2: r2.length === 0 ? null : median(r2), curves: r2.length };
  if (method !== 'auto') return { method, evidence };
  const missed = examined.filter(({ examination }) => {
    return examination !== null && examination.none !== null && examination.inflections.length > 0;
  });
  const fits = missed.length <= r2.length && (evidence.medianR2 ?? 1) > limits.r2Min;
  return { method: fits ? shape : 'derivative', evidence };
}

/** Replaces the fits of all curves that have a transition by fits with one pair of slopes. */
function shareSlopes(
  examined: Examined[],
  settings: MeltingSettings,
  notices: string[],
): MeltingProvenance['sharedSlopes'] {
  if (settings.baseline !== 'shared') return null;
  const usable = examined.flatMap(({ examination }) =>
    examination?.fit && examination.none === null ? [{ examination, fit: examination.fit }] : [],
  );
  if (usable.length < 2) {
    notices.push('Fewer than two curves have a transition: their baselines could not be shared.');
    return null;
  }
  const shared = fitSharedSlopes(
    usable.map((each) => each.examination.fittedCurve),
    usable.map((each) => each.fit),
  );
  for (const [k, { examination }] of usable.entries()) {
    examination.fit = shared.fits[k];
    examination.none = judge(examination, shared.fits[k], settings);
  }
  const { foldedPerC, unfoldedPerC, converged } = shared;
  return { foldedPerC, unfoldedPerC, converged };
}

function plateQc(
  plate: string,
  set: MeltSet,
  replicates: ReplicateMelting[],
  settings: MeltingSettings,
): MeltPlateQc {
  const here = replicates.filter((each) => each.plate === plate);
  const positives = Map.groupBy(
    here.filter((each) => each.role === 'positive_control'),
    (each) => each.sample,
  );
  const positiveControls = [...positives].map(([sample, wells]) => {
    const found = wells.flatMap((each) => each.tm?.value ?? []);
    const tmC = found.length === 0 ? null : median(found);
    const expectedTmC = settings.controlTmC[sample] ?? null;
    const off = tmC === null || expectedTmC === null ? 0 : Math.abs(tmC - expectedTmC);
    return { sample, tmC, expectedTmC, pass: tmC !== null && off <= settings.limits.controlMaxC };
  });
  const flags = positiveControls
    .filter((each) => !each.pass)
    .map(({ sample, tmC, expectedTmC }) => {
      const message = `The positive control ${sample} did not give its expected Tm on ${plate}.`;
      const numbers = tmC === null ? {} : { value: tmC, limit: expectedTmC ?? Number.NaN };
      return flag('CONTROL_FAILED', 'warning', message, numbers);
    });
  for (const blank of here.filter((each) => each.role === 'blank' && each.tm !== null)) {
    const message = `The blank in ${blank.well} of ${plate} shows a transition.`;
    flags.push(flag('BLANK_MELTS', 'warning', message, { value: blank.tm?.value ?? Number.NaN }));
  }
  const distinct = distinctFlags(flags);
  for (const each of here) each.flags = distinctFlags([...each.flags, ...distinct]);
  return {
    plate,
    instrument: set.instrument,
    pass: distinct.length === 0,
    positiveControls,
    flags: distinct,
  };
}
