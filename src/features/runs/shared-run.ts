/** A stored run as its files are read: its plan by owners, its experiments, its mapping, and which of them are open. */
import { createHash } from 'node:crypto';
import type { MeasuredSequence } from '#analysis/preview/types.ts';
import type { Cut, CutProblem, CutShare, PlannedCells } from '#analysis/cuts/types.ts';
import type { StoredFile } from '#analysis/formats/reading/input-file.ts';
import { fail } from '#core/failures.ts';
import type { MappingEntry } from '#core/raw-mapping.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { selectLatestRun } from './raw-files/store.ts';
import { formatNamedShortfall, type NamedOrderCounts } from '../results/against-order.ts';
import { findSharedMapping, type SharedFileRow } from './file-store.ts';
import { selectRunExperiments, type RunExperimentRow, type StoredRun } from './store.ts';
import { selectSequencesOfExperiment } from '../sequences/store.ts';
import type { RawFilePorts } from '../installation/outward-context.ts';
import { requireRun } from './stored-run.ts';

export interface SharedRun {
  readonly run: StoredRun;
  readonly experiments: readonly RunExperimentRow[];
  readonly plates: readonly PlannedCells[];
  readonly mapping: readonly MappingEntry[];
  /** 0 where nobody mapped anything. */
  readonly mappingVersion: number;
}

/** Throws `lab_run_not_found`. */
export async function loadSharedRun(sql: Sql, idOrCode: string): Promise<SharedRun> {
  const run = await requireRun(sql, idOrCode);
  const experiments = await selectRunExperiments(labScope, sql, run.id);
  const names = new Map<string, string>();
  for (const { experiment_id: id } of experiments)
    for (const sequence of await selectSequencesOfExperiment(labScope, sql, id))
      names.set(sequence.id, sequence.name);
  const mapping = await findSharedMapping(sql, run.id);
  return {
    run,
    experiments,
    plates: listCells(run, names),
    mapping: mapping?.entries ?? [],
    mappingVersion: mapping?.version ?? 0,
  };
}

function listCells({ plan }: StoredRun, names: ReadonlyMap<string, string>): PlannedCells[] {
  return plan.plates.map(({ name, wells }) => ({
    name,
    wells: wells.map(
      ({ well, order, role, sample, replicate, concentration_m, experiment_id, sequence_id }) => ({
        well,
        order,
        role,
        sample,
        // The name in the plan may begin with the code of an order; the client knows the name of the sequence.
        name: (sequence_id === null ? undefined : names.get(sequence_id)) ?? sample,
        replicate,
        concentrationM: concentration_m,
        owner: experiment_id,
      }),
    ),
  }));
}

/** Lists the names that the files of a run may use: of sequences and of controls. */
export function listPlannedNames({ plates }: Pick<SharedRun, 'plates'>): Set<string> {
  const samples = plates.flatMap(({ wells }) => wells.map(({ sample }) => sample));
  return new Set(samples.filter((sample) => sample !== ''));
}

/** The experiments whose raw data still arrive, and those whose analysis was stopped, which accept files again. */
export interface OpenExperiments {
  readonly recording: readonly RunExperimentRow[];
  readonly stopped: readonly RunExperimentRow[];
}

export async function findOpenExperiments(
  sql: Sql,
  experiments: readonly RunExperimentRow[],
): Promise<OpenExperiments> {
  const recording: RunExperimentRow[] = [];
  const stopped: RunExperimentRow[] = [];
  for (const row of experiments) {
    if (row.run_id === null || !['in_production', 'data_analysis'].includes(row.status)) continue;
    const latest = await selectLatestRun(labScope, sql, row.experiment_id);
    // A run that repeats replicates of one experiment takes the files of that experiment alone.
    if (latest?.id !== row.run_id) continue;
    if (row.status === 'in_production' && latest.status === 'running') recording.push(row);
    else if (row.status === 'data_analysis' && latest.problem !== null) stopped.push(row);
  }
  return { recording, stopped };
}

export function createNotRunningFailure({ status }: StoredRun, action: string): Error {
  return fail('run_not_running', { status, action });
}

type CutPorts = Pick<RawFilePorts, 'cut'>;

/** Cuts files by the plan of a run. Rejects with the failure of the files or the pool. */
export async function cutSharedFiles(
  ports: CutPorts,
  { run, plates, mapping }: SharedRun,
  {
    files,
    refuses = 'nothing',
  }: { readonly files: readonly StoredFile[]; readonly refuses?: 'nothing' | 'errors' },
): Promise<Cut> {
  const instrument = run.instrument ?? '';
  return ports.cut(run.experiment_type, { files, mapping, plates, instrument, refuses });
}

/** Digest of everything that a cut depends on; the plan of a started run does not change. */
export function computeCutKey(
  { run, mappingVersion }: Pick<SharedRun, 'run' | 'mappingVersion'>,
  files: readonly Pick<SharedFileRow, 'name' | 'sha256'>[],
): string {
  const facts = [run.id, mappingVersion, files.map(({ name, sha256 }) => [name, sha256])];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** What files hold of each experiment, for staff. */
export function describeShares(
  { experiments, plates }: Pick<SharedRun, 'experiments' | 'plates'>,
  shares: readonly CutShare[],
) {
  const cells = plates.flatMap(({ wells }) => wells);
  return experiments.map(({ experiment_id: id, code, status }) => {
    const share = shares.find(({ owner }) => owner === id);
    const seen = new Set(share?.samples);
    const planned = new Set(cells.filter(({ owner }) => owner === id).map(({ sample }) => sample));
    return {
      experiment_id: id,
      experiment_code: code,
      status,
      n_curves: share?.nOwn ?? 0,
      sequences_without_data: [...planned].filter((sample) => !seen.has(sample)),
    };
  });
}

export function selectErrors(problems: readonly CutProblem[]): CutProblem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

/**
 * `2 of 6 ordered replicates and 8 of 24 planned curves (d1: 1 of 3, d2: 1 of 3) of ABC-001-001`; null where the files
 * hold every planned well of the experiments. `measured` is what the files hold by the names of the plan.
 */
export function formatLack(
  { experiments, plates }: Pick<SharedRun, 'experiments' | 'plates'>,
  shares: readonly CutShare[],
  measured: readonly MeasuredSequence[],
): string | null {
  const cells = plates.flatMap(({ wells }) => wells);
  const parts = experiments.flatMap(({ experiment_id: id, code }) => {
    const own = cells.filter(({ owner }) => owner === id);
    const nOwn = shares.find(({ owner }) => owner === id)?.nOwn ?? 0;
    if (nOwn >= own.length) return [];
    const counted = formatNamedShortfall(countSamples(own, measured));
    return [`${counted ?? `${nOwn} of ${own.length} planned wells`} of ${code}`];
  });
  return parts.length === 0 ? null : parts.join('; ');
}

function countSamples(
  own: readonly PlannedCells['wells'][number][],
  measured: readonly MeasuredSequence[],
): NamedOrderCounts[] {
  const bySample = new Map(measured.map((each) => [each.sequence, each]));
  return [...Map.groupBy(own, ({ sample }) => sample)].map(([sample, wells]) => {
    const found = bySample.get(sample);
    const hasAnalyte = wells.some(({ concentrationM }) => concentrationM !== null);
    return {
      name: wells[0]?.name ?? sample,
      n_replicates_ordered: new Set(wells.map(({ replicate }) => replicate)).size,
      n_replicates: found?.nReplicates ?? 0,
      n_curves_planned: hasAnalyte ? wells.filter(({ concentrationM: dose }) => dose !== 0).length : null,
      n_curves: hasAnalyte ? (found?.nCurves ?? 0) : null,
    };
  });
}
