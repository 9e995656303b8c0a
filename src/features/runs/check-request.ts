/** What must be true of a request before plates are filled. Every problem is named at once. */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { findAssay } from '#assays/registry.ts';
import { LAYOUTS } from './layouts.ts';
import type { Layout, LayoutName } from './layouts.ts';
import { createProblem, SEED_MAX } from './plan.ts';
import type { ExperimentToPlan, PlanProblem, PlanRequest } from './plan.ts';
import { nameSequences } from './preparations.ts';

/** Statuses in which no run is planned, with what to do. In the others a run is next, or may be repeated. */
const NOT_ORDERED = 'plan its run when its order is accepted, or leave it out';
const NOT_PLANNED: Readonly<Partial<Record<ExperimentStatus, string>>> = {
  draft: NOT_ORDERED,
  waiting_for_confirmation: NOT_ORDERED,
  quote_sent: NOT_ORDERED,
  data_analysis: 'wait for its analysis, or leave it out',
  done: 'its results are released; leave it out',
  canceled: 'leave it out',
};
const REPLICATES_MAX = 20;
const CONCENTRATIONS_MAX = 30;
/** So many are spread in less than half a second. */
const PREPARATIONS_MAX = 3_000;

/** Finds the layout of a run: the one asked for, or the first that its assay and method have; null if none fits. */
export function findLayout({ experiments, layout }: PlanRequest): LayoutName | null {
  const [first] = experiments;
  if (first === undefined) return null;
  const offered = listOfferedLayouts(first);
  if (layout === undefined) return offered[0] ?? null;
  return offered.includes(layout) ? layout : null;
}

function listOfferedLayouts({ experimentType, method }: ExperimentToPlan): LayoutName[] {
  const layouts = findAssay(experimentType)?.layouts ?? [];
  return layouts.filter((name) => LAYOUTS[name].method === null || LAYOUTS[name].method === method);
}

export function findRequestProblems(request: PlanRequest): PlanProblem[] {
  const { experiments, seed } = request;
  const [first] = experiments;
  if (first === undefined)
    return [createProblem('no_experiments', 'The run has no experiment: add one at least.')];
  const problems = [...findMixes(experiments), ...experiments.flatMap(findExperimentProblems)];
  if (!Number.isInteger(seed) || seed < 0 || seed > SEED_MAX)
    problems.push(
      createProblem('seed_invalid', `The seed is ${seed}: give an integer from 0 to ${SEED_MAX}.`),
    );
  const preparations = experiments.reduce((sum, each) => sum + each.nReplicates * each.sequences.length, 0);
  if (preparations > PREPARATIONS_MAX) {
    const message = `The run has ${preparations} replicates of sequences, and a plan at most ${PREPARATIONS_MAX}: plan the experiments in several runs.`;
    problems.push(createProblem('run_too_large', message));
  }
  return [...problems, ...findLayoutProblems(request, first)];
}

function findMixes(experiments: readonly ExperimentToPlan[]): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const kinds = new Set(experiments.map(({ experimentType, method }) => `${experimentType} ${method ?? ''}`));
  if (kinds.size > 1) {
    const message = `The experiments have different assays or methods (${[...kinds].map((each) => each.trim()).join(', ')}): plan a run for each.`;
    problems.push(createProblem('mixed_assays', message));
  }
  if (new Set(experiments.map(({ targetKey }) => targetKey)).size > 1) {
    const codes = experiments.map(({ code }) => code).join(', ');
    const message = `The experiments ${codes} have different targets, and the controls of a plate are measured against one: plan a run for each target.`;
    problems.push(createProblem('mixed_targets', message));
  }
  return problems;
}

function findExperimentProblems(experiment: ExperimentToPlan): PlanProblem[] {
  const { code, status, nReplicates, sequences } = experiment;
  const problems: PlanProblem[] = [];
  const remedy = NOT_PLANNED[status];
  if (remedy !== undefined)
    problems.push(createProblem('experiment_not_ready', `${code} is ${status}: ${remedy}.`));
  if (sequences.length === 0)
    problems.push(
      createProblem('sequence_missing', `${code} has no sequences: add them or leave the experiment out.`),
    );
  if (!Number.isInteger(nReplicates) || nReplicates < 1 || nReplicates > REPLICATES_MAX)
    problems.push(
      createProblem(
        'replicates_invalid',
        `${code} has ${nReplicates} replicates: choose 1 to ${REPLICATES_MAX}.`,
      ),
    );
  return problems;
}

function findLayoutProblems(request: PlanRequest, first: ExperimentToPlan): PlanProblem[] {
  const offered = listOfferedLayouts(first);
  if (offered.length === 0) {
    const method = first.method === null ? 'without a method' : `by ${first.method.toUpperCase()}`;
    const message = `No layout of plates is known for ${first.experimentType} ${method}: set the method of the experiment, or plan its plates outside.`;
    return [createProblem('assay_not_planned', message)];
  }
  const name = findLayout(request);
  if (name === null) {
    const message = `The layout ${String(request.layout)} does not fit ${first.experimentType}: choose ${offered.join(' or ')}.`;
    return [createProblem('layout_not_offered', message)];
  }
  const layout = LAYOUTS[name];
  return [
    ...request.experiments.flatMap((each) => findConcentrationProblems(each, layout)),
    ...findControlProblems(request, layout),
  ];
}

function findConcentrationProblems(
  { code, concentrationsM }: ExperimentToPlan,
  { arrangement }: Layout,
): PlanProblem[] {
  if (arrangement !== 'columns' && arrangement !== 'cycles') {
    if (concentrationsM.length === 0) return [];
    const message = `${code} has concentrations, and its layout has none: leave them out.`;
    return [createProblem('concentrations_invalid', message)];
  }
  const isValid = concentrationsM.every((each) => each > 0 && each <= 1);
  const isDistinct = new Set(concentrationsM).size === concentrationsM.length;
  const isCounted = concentrationsM.length >= 1 && concentrationsM.length <= CONCENTRATIONS_MAX;
  if (isValid && isDistinct && isCounted) return [];
  const message = `${code} needs 1 to ${CONCENTRATIONS_MAX} different concentrations above 0 and up to 1 M: choose them; the plan adds buffer.`;
  return [createProblem('concentrations_invalid', message)];
}

function findControlProblems({ controls, experiments, size }: PlanRequest, layout: Layout): PlanProblem[] {
  const { positive, negatives, standard } = controls;
  const neededCounts = layout.countControls(size);
  const problems: PlanProblem[] = [];
  if (neededCounts.positive_control > 0 && positive === null)
    problems.push(
      createProblem('control_missing', 'The layout needs a positive control: name the protein it uses.'),
    );
  if (neededCounts.negative_control > 0 && negatives.length === 0)
    problems.push(
      createProblem('control_missing', 'The layout needs a negative control: name one, such as no-DNA.'),
    );
  const levels = new Set(standard?.concentrationsM);
  const areLevels = [...levels].every((each) => each >= 0 && each <= 1) && levels.size >= 4;
  const isStandard =
    standard !== null && areLevels && levels.has(0) && levels.size === standard.concentrationsM.length;
  if (layout.standardRepeats > 0 && !isStandard)
    problems.push(
      createProblem(
        'standard_missing',
        'The layout needs a standard of at least four different concentrations in M, one of them 0: name it and its concentrations.',
      ),
    );
  const names = new Set(nameSequences(experiments).map(({ sample }) => sample));
  const standards = standard === null ? [] : [standard.sample];
  const added = [...(positive === null ? [] : [positive]), ...negatives, ...standards];
  for (const name of new Set(added.filter((each, index) => names.has(each) || added.indexOf(each) < index)))
    problems.push(
      createProblem(
        'name_of_control',
        `${name} names a control and something else of the run: give the control another name.`,
      ),
    );
  return problems;
}
