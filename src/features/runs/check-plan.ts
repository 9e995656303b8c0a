/** What is wrong with a plan, made or edited: every problem is named, and a run starts when no error is left. */
import { LAYOUTS } from './layouts.ts';
import { findArrangementProblems } from './check-arrangement.ts';
import { findLayout, findRequestProblems } from './check-request.ts';
import { createProblem } from './plan.ts';
import type { PlannedWell, PlanProblem, PlanRequest, RunPlan } from './plan.ts';
import { nameSequences } from './preparations.ts';
import type { LabeledSequence } from './preparations.ts';

/** Compares a plan with the request that it serves. */
export function findPlanProblems(plan: RunPlan, request: PlanRequest): PlanProblem[] {
  const labeled = nameSequences(request.experiments);
  return [
    ...findRequestProblems(request),
    ...findMismatches(plan, request),
    ...findArrangementProblems(plan, request),
    ...findContentProblems(plan, request, labeled),
    ...findRepeatedWells(plan),
    ...findMissingWells(plan, labeled),
  ];
}

/** A plan of other layout, size or seed would be judged by rules that it was not made by. */
export function findMismatches({ layout, size, seed }: RunPlan, request: PlanRequest): PlanProblem[] {
  const expected = findLayout(request);
  if ((expected === null || layout === expected) && size === request.size && seed === request.seed) return [];
  const message = `The plan has the layout ${layout}, ${size} wells and the seed ${seed}, and its request ${expected ?? 'no layout'}, ${request.size} wells and the seed ${request.seed}: send the request that the plan was made for.`;
  return [createProblem('plan_of_other_request', message)];
}

/** Whether a run may start by this plan. */
export function isStartable(problems: readonly PlanProblem[]): boolean {
  return problems.every(({ severity }) => severity === 'warning');
}

interface PlacedWell extends PlannedWell {
  readonly plate: string;
}

function listWells({ plates }: RunPlan): PlacedWell[] {
  return plates.flatMap(({ name, wells }) => wells.map((well) => ({ ...well, plate: name })));
}

function findContentProblems(
  plan: RunPlan,
  { controls }: PlanRequest,
  labeled: readonly LabeledSequence[],
): PlanProblem[] {
  const bySample = new Map(labeled.map((each) => [each.sample, each]));
  const added: Partial<Record<PlannedWell['role'], readonly string[]>> = {
    positive_control: controls.positive === null ? [] : [controls.positive],
    negative_control: controls.negatives,
    standard: controls.standard === null ? [] : [controls.standard.sample],
  };
  return listWells(plan).flatMap((well) => {
    const known = added[well.role];
    if (well.role === 'sample') return findSampleProblems(well, bySample.get(well.sample));
    if (known === undefined || known.includes(well.sample)) return [];
    const message = `${describeWell(well)} holds ${formatName(well.sample)}, which is no ${well.role.replace('_', ' ')} of the run: choose one of its controls.`;
    return [createProblem('sequence_unknown', message, well)];
  });
}

function findSampleProblems(well: PlacedWell, found: LabeledSequence | undefined): PlanProblem[] {
  const { sample, replicate, concentrationM } = well;
  if (
    found === undefined ||
    found.sequenceId !== well.sequenceId ||
    found.experiment.id !== well.experimentId
  ) {
    const message = `${describeWell(well)} holds ${formatName(sample)}, which is no sequence of the experiments of the run: choose one of theirs, or mark the well empty.`;
    return [createProblem('sequence_unknown', message, well)];
  }
  const { nReplicates, code } = found.experiment;
  const problems: PlanProblem[] = [];
  if (!Number.isInteger(replicate) || replicate < 1 || replicate > nReplicates) {
    const message = `${describeWell(well)} holds replicate ${replicate} of ${sample}, and ${code} orders ${nReplicates}: choose 1 to ${nReplicates}.`;
    problems.push(createProblem('replicate_unordered', message, well));
  }
  if (!listOrdered(found).includes(concentrationM)) {
    const message = `${describeWell(well)} holds ${sample} at ${formatMolar(concentrationM)}, which ${code} does not order: choose ${listOrdered(found).map(formatMolar).join(', ')}.`;
    problems.push(createProblem('concentration_unordered', message, well));
  }
  return problems;
}

/** The concentrations of each replicate, with buffer; null alone where the assay has none. */
function listOrdered({ experiment }: LabeledSequence): (number | null)[] {
  const { concentrationsM } = experiment;
  return concentrationsM.length === 0 ? [null] : [...concentrationsM, 0];
}

function findRepeatedWells(plan: RunPlan): PlanProblem[] {
  const repeatsBuffer = LAYOUTS[plan.layout].arrangement === 'cycles';
  const wells = listWells(plan).filter(
    ({ role, concentrationM }) => role === 'sample' && !(repeatsBuffer && concentrationM === 0),
  );
  const groups = Map.groupBy(wells, (well) =>
    JSON.stringify([well.sample, well.replicate, well.concentrationM]),
  );
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map((well) => {
      const message = `${describeWell(well)} repeats ${describeWell(first ?? well)}: replicate ${well.replicate} of ${well.sample}${formatAt(well.concentrationM)}. Mark one of them empty, or give it another replicate.`;
      return createProblem('replicate_twice', message, well);
    }),
  );
}

function findMissingWells(plan: RunPlan, labeled: readonly LabeledSequence[]): PlanProblem[] {
  const placed = new Set(
    listWells(plan)
      .filter(({ role }) => role === 'sample')
      .map(({ sample, replicate, concentrationM }) => JSON.stringify([sample, replicate, concentrationM])),
  );
  return labeled.flatMap((each) => {
    const replicates = Array.from({ length: each.experiment.nReplicates }, (_, index) => index + 1);
    return replicates.flatMap((replicate) => {
      const { sample } = each;
      const missing = listOrdered(each).filter(
        (concentrationM) => !placed.has(JSON.stringify([sample, replicate, concentrationM])),
      );
      if (missing.length === 0) return [];
      const fault =
        missing[0] === null ? 'has no well' : `has no well at ${missing.map(formatMolar).join(', ')}`;
      const message = `Replicate ${replicate} of ${sample} ${fault}: put it into an empty well, or plan the run again.`;
      return [createProblem('replicate_missing', message)];
    });
  });
}

function describeWell({ plate, well }: PlacedWell): string {
  return `Well ${well} of plate ${plate}`;
}

function formatName(sample: string): string {
  return sample === '' ? 'no name' : `“${sample}”`;
}

function formatAt(concentrationM: number | null): string {
  return concentrationM === null ? '' : ` at ${formatMolar(concentrationM)}`;
}

function formatMolar(concentrationM: number | null): string {
  if (concentrationM === null) return 'no concentration';
  return concentrationM === 0 ? 'buffer' : `${Number((concentrationM * 1e9).toPrecision(6))} nM`;
}
