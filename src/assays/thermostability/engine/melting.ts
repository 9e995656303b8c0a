/** Thermostability of all wells of one experiment, with one method and one baseline rule for all curves. */
import type { PlannedControl } from '#core/raw-mapping.ts';
import { mapWithPauses, finish, type Paused } from '#analysis/assays/assay.ts';
import { ENGINE, type InputFileRecord } from '#analysis/assays/analysis-records.ts';
import { assertExcluded, type ExcludedReplicate, flagLostControls } from '#analysis/assays/exclusions.ts';
import { flagChangedSettings, assertPositiveControls } from '#analysis/assays/settings.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { removeDuplicateFlags, createFlag } from '#analysis/quality/flags.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';
import type { MeltSet } from '#analysis/curves/trace.ts';
import { aggregateMelting, compareMelting, rankByTm } from './aggregate.ts';
import { joinEvidence, evaluateMelts } from './part.ts';
import type { MeltingPart } from './part.ts';
import { resolveMeltingSettings } from './settings.ts';
import type { MeltingSettings, MeltingSettingsInput } from './settings.ts';
import { buildWells } from './wells.ts';
import type { MeltPlateQc, MeltingProvenance, ReplicateMelting, ThermostabilityAnalysis } from './types.ts';

/** Throws `settings_invalid` and `nothing_to_analyze`. */
export function analyzeMeltingSets(
  sets: readonly MeltSet[],
  input: MeltingSettingsInput = {},
  inputs: InputFileRecord[] = [],
  {
    excluded = [],
    plannedControls,
  }: {
    readonly excluded?: readonly ExcludedReplicate[] | undefined;
    readonly plannedControls?: readonly PlannedControl[] | undefined;
  } = {},
): ThermostabilityAnalysis {
  const settings = resolveMeltingSettings(input);
  const part = evaluateMelts(sets, settings, { firstPlate: 0, choice: {}, excluded });
  return finish(combineMelting([part], settings, { inputs, excluded, plannedControls }));
}

/** Throws `nothing_to_analyze` or `settings_invalid` where the analysis would, without its fits. */
export function assertMelts(sets: readonly MeltSet[], input: MeltingSettingsInput): void {
  const settings = resolveMeltingSettings(input);
  const wells = sets.flatMap((set, index) => buildWells(set, index, settings).wells);
  assertTested(wells.some(({ curve }) => curve !== null));
  assertPositiveControls('control_tm_c', settings.controlTmC, wells);
}

function assertTested(hasCurves: boolean): void {
  if (hasCurves) return;
  throw new AnalysisError('nothing_to_analyze', 'The files contain no melting curves of samples.');
}

/**
 * Combines wells to samples, ranks them and compares them with the controls. All parts were analyzed with the same
 * choice. Throws `nothing_to_analyze` without any curve.
 */
export function* combineMelting(
  parts: readonly MeltingPart[],
  settings: MeltingSettings,
  {
    inputs,
    excluded,
    plannedControls,
  }: {
    inputs: InputFileRecord[];
    excluded?: readonly ExcludedReplicate[] | undefined;
    plannedControls?: readonly PlannedControl[] | undefined;
  },
): Paused<ThermostabilityAnalysis> {
  const replicates = parts.flatMap((part) => part.replicates);
  assertTested(replicates.some(({ outcome }) => outcome !== 'not_tested'));
  assertPositiveControls('control_tm_c', settings.controlTmC, replicates);
  assertExcluded(
    excluded,
    parts.flatMap((part) => part.excluded),
  );
  const plates = parts.flatMap((part) => part.plates);
  const qc = plates.map((plate) => evaluatePlateQc(plate, replicates, settings));
  flagLostControls(qc, replicates, {
    controls: parts.flatMap(({ controls }) => controls),
    planned: plannedControls,
  });
  const groups = Map.groupBy(replicates, ({ role, sample, concentrationM }) =>
    JSON.stringify([role, sample, concentrationM]),
  );
  const all = yield* mapWithPauses([...groups.values()], (group) => aggregateMelting(group, settings));
  const sequences = all.filter((each) => !each.isControl);
  const controls = all.filter((each) => each.isControl);
  rankByTm(sequences);
  flagChangedSettings(all, settings, resolveMeltingSettings());
  compareMelting(sequences, controls);
  const [{ choice, sharedSlopes }] = parts;
  const { r2 } = joinEvidence(parts);
  const analysis: MeltingProvenance = {
    engine: { ...ENGINE },
    model: choice.method,
    methodEvidence: { medianR2: r2.length === 0 ? null : computeMedian(r2), curves: r2.length },
    sharedSlopes,
    settings,
    inputs,
  };
  const notices = parts.flatMap((part) => part.notices);
  return { experimentType: 'thermostability', analysis, notices, plates: qc, sequences, controls };
}

function evaluatePlateQc(
  { plate, instrument }: MeltingPart['plates'][number],
  replicates: ReplicateMelting[],
  settings: MeltingSettings,
): MeltPlateQc {
  const ofPlate = replicates.filter((each) => each.plate === plate);
  const positives = Map.groupBy(
    ofPlate.filter((each) => each.role === 'positive_control'),
    (each) => each.sample,
  );
  const positiveControls = [...positives].map(([sample, wells]) => {
    const found = wells.flatMap((each) => each.tm?.value ?? []);
    const tmC = found.length === 0 ? null : computeMedian(found);
    const expectedTmC = settings.controlTmC[sample] ?? null;
    const off = tmC === null || expectedTmC === null ? 0 : Math.abs(tmC - expectedTmC);
    return { sample, tmC, expectedTmC, pass: tmC !== null && off <= settings.limits.controlMaxC };
  });
  const flags = positiveControls
    .filter((each) => !each.pass)
    .map(({ sample, tmC, expectedTmC }) => {
      const message = `The positive control ${sample} did not give its expected Tm on ${plate}.`;
      const numbers = tmC === null ? {} : { value: tmC, limit: expectedTmC ?? Number.NaN };
      return createFlag('CONTROL_FAILED', 'warning', message, numbers);
    });
  for (const blank of ofPlate.filter((each) => each.role === 'blank' && each.tm !== null)) {
    const message = `The blank in ${blank.well} of ${plate} shows a transition.`;
    flags.push(createFlag('BLANK_MELTS', 'warning', message, { value: blank.tm?.value ?? Number.NaN }));
  }
  const distinct = removeDuplicateFlags(flags);
  for (const each of ofPlate) each.flags = removeDuplicateFlags([...each.flags, ...distinct]);
  return {
    plate,
    instrument,
    pass: distinct.length === 0,
    positiveControls,
    flags: distinct,
  };
}
