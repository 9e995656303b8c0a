/** What the ordered sequences put on plates: a preparation is one replicate of one sequence. */
import type { ExperimentToPlan, PlannedContent } from './plan.ts';

export interface Preparation {
  readonly sample: string;
  readonly replicate: number;
  readonly experiment: ExperimentToPlan;
  readonly sequenceId: string;
}

export interface LabeledSequence {
  readonly experiment: ExperimentToPlan;
  readonly sequenceId: string;
  /** The name of the sequence; behind the code of its experiment where the name alone does not say which is meant. */
  readonly sample: string;
}

/** Names that a plate map cannot say alone: its word for an empty well, and its sign for a harmless formula. */
const AMBIGUOUS = /^(?:empty$|'[=+\-@＝＋－＠])/i;

/** Gives every sequence of a run a name of its own. */
export function nameSequences(experiments: readonly ExperimentToPlan[]): LabeledSequence[] {
  const counts = new Map<string, number>();
  for (const { sequences } of experiments)
    for (const { name } of sequences) counts.set(name, (counts.get(name) ?? 0) + 1);
  return experiments.flatMap((experiment) =>
    experiment.sequences.map(({ id, name }) => ({
      experiment,
      sequenceId: id,
      sample: (counts.get(name) ?? 0) > 1 || AMBIGUOUS.test(name) ? `${experiment.code} ${name}` : name,
    })),
  );
}

/**
 * First replicates of all sequences come first, then second ones, so that a lost plate costs no sequence all its
 * replicates.
 */
export function listPreparations(experiments: readonly ExperimentToPlan[]): Preparation[] {
  const labeled = nameSequences(experiments);
  const most = Math.max(0, ...experiments.map(({ nReplicates }) => nReplicates));
  return Array.from({ length: most }, (_, index) => index + 1).flatMap((replicate) =>
    labeled
      .filter(({ experiment }) => replicate <= experiment.nReplicates)
      .map(({ sample, experiment, sequenceId }) => ({ sample, replicate, experiment, sequenceId })),
  );
}

/** Returns the content of a well of a preparation. */
export function createSampleContent(
  { sample, replicate, experiment, sequenceId }: Preparation,
  concentrationM: number | null,
): PlannedContent {
  return { role: 'sample', sample, replicate, concentrationM, experimentId: experiment.id, sequenceId };
}

/** Returns the content of a well that the lab adds. */
export function createLabContent(
  role: Exclude<PlannedContent['role'], 'sample'>,
  sample: string,
  replicate: number,
  concentrationM: number | null,
): PlannedContent {
  return { role, sample, replicate, concentrationM, experimentId: null, sequenceId: null };
}

/** Returns the concentrations of all experiments, the highest first, each once. */
export function listConcentrations(experiments: readonly ExperimentToPlan[]): number[] {
  const all = new Set(experiments.flatMap(({ concentrationsM }) => concentrationsM));
  return [...all].toSorted((a, b) => b - a);
}
