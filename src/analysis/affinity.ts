/** Affinity: trace sets to KD, kon and koff per sequence. */
import type { AffinityAnalysis, InputFileRecord, PlateQc, ReplicateAffinity, SequenceAffinity } from './affinity-types.ts';
import { aggregateSequence, assignPlaces, compareWithControls } from './aggregate.ts';
import { AnalysisError } from './errors.ts';
import { distinctFlags, flag } from './flags.ts';
import type { Flag } from './flags.ts';
import { arrangePlate, referenceLookup } from './kinetics/plate.ts';
import { plateLevels, processPlate } from './kinetics/plate-levels.ts';
import type { PlateLevels } from './kinetics/plate-levels.ts';
import { judgeReplicate } from './kinetics/replicate.ts';
import { ENGINE, resolveSettings } from './settings.ts';
import type { BindingSettings, BindingSettingsInput } from './settings.ts';
import type { TraceSet } from './trace.ts';

/** Analyses parsed trace sets; `inputs` are the files they came from, for the record. */
export function analyzeAffinitySets(
  sets: readonly TraceSet[],
  input: BindingSettingsInput = {},
  inputs: InputFileRecord[] = [],
): AffinityAnalysis {
  const settings = resolveSettings(input);
  const plates: PlateQc[] = [];
  const replicates: ReplicateAffinity[] = [];
  for (const [index, set] of sets.entries()) {
    const judged = judgePlate(set, settings, index);
    plates.push(judged.qc);
    replicates.push(...judged.replicates);
  }
  if (replicates.length === 0) throw new AnalysisError('nothing_to_analyze', 'The files contain no sample traces.');
  const all = bySequence(replicates, settings);
  const sequences = all.filter((each) => each.role === 'sample');
  const controls = all.filter((each) => each.role !== 'sample');
  assignPlaces(sequences);
  compareWithControls(sequences, controls);
  return {
    experimentType: 'affinity',
    analysis: { engine: { ...ENGINE }, model: '1:1', settings, inputs },
    notices: sets.flatMap((set) => set.notices),
    plates,
    sequences,
    controls,
  };
}

function bySequence(replicates: readonly ReplicateAffinity[], settings: BindingSettings): SequenceAffinity[] {
  const groups = Map.groupBy(replicates, ({ role, sample }) => JSON.stringify([role, sample]));
  return [...groups.values()].map((group) => aggregateSequence(group, settings));
}

function judgePlate(
  set: TraceSet,
  settings: BindingSettings,
  index: number,
): { qc: PlateQc; replicates: ReplicateAffinity[] } {
  const plate = arrangePlate(set, settings, index);
  const lookup = referenceLookup(plate);
  const processed = processPlate(plate, lookup, settings);
  const levels = plateLevels(plate, processed, settings);
  const replicates = [...processed].map(([group, each]) => judgeReplicate(group, each, { plate, levels, settings }));
  const qc = plateQc(set, plate.name, levels, { replicates, settings });
  for (const failed of qc.flags.filter((each) => each.code === 'CONTROL_FAILED')) {
    for (const replicate of replicates) replicate.flags = distinctFlags([...replicate.flags, failed]);
  }
  return { qc, replicates };
}

function plateQc(
  set: TraceSet,
  plate: string,
  levels: PlateLevels,
  { replicates, settings }: { replicates: readonly ReplicateAffinity[]; settings: BindingSettings },
): PlateQc {
  const flags: Flag[] = [...levels.flags];
  const positives = replicates.filter((each) => each.role === 'positive_control');
  const positiveControls = positives.map((each) => {
    const expectedKdM = settings.controlKdM[each.sample] ?? null;
    const kdM = each.kd?.value ?? null;
    const off = expectedKdM === null || kdM === null ? 0 : Math.abs(Math.log10(kdM / expectedKdM));
    const pass = each.outcome === 'measured' && off <= settings.limits.controlLog10Max;
    return { sample: each.sample, outcome: each.outcome, kdM, expectedKdM, pass };
  });
  for (const control of positiveControls.filter((each) => !each.pass)) {
    const message = `The positive control ${control.sample} did not give its expected result on ${plate}.`;
    const numbers = control.kdM === null ? {} : { value: control.kdM, limit: control.expectedKdM ?? Number.NaN };
    flags.push(flag('CONTROL_FAILED', 'warning', message, numbers));
  }
  const binding = replicates.filter((each) => each.role === 'negative_control' && each.outcome === 'measured');
  const negatives = replicates.filter((each) => each.role === 'negative_control').length;
  if (binding.length * 4 > negatives) {
    const message = `${binding.length} of ${negatives} negative controls bind on ${plate}.`;
    flags.push(flag('CONTROL_FAILED', 'warning', message, { value: binding.length }));
  }
  return {
    plate,
    technique: set.technique,
    instrument: set.instrument,
    signalUnit: set.signalUnit,
    pass: !flags.some((each) => each.severity !== 'info'),
    noise: levels.noise,
    negativeControls: { n: levels.negativeResponses.length, median: levels.negativeMedian, robustSd: levels.negativeSd },
    positiveControls,
    expressedMin: levels.expressedMin,
    flags: distinctFlags(flags),
  };
}
