/** `assayer lab example-files`: writes simulated raw files of an order or a planned run, to try the steps of the lab. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Static } from '#core/schema.ts';
import { hasTarget } from '#assays/registry.ts';
import type { getLabExperiment, getLabSequences } from '#features/queue/contract.ts';
import type { getLabReview } from '#features/review/contract.ts';
import { listOpenRepeats } from '#features/review/rules.ts';
import type { getLabRun } from '#features/runs/run-contract.ts';
import { connect, type Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { saveDocument } from './files.ts';
import { print } from './terminal.ts';

type Experiment = Static<(typeof getLabExperiment)['output']>;
type Sequences = Static<(typeof getLabSequences)['output']>['sequences'];
type Review = Static<(typeof getLabReview)['output']>;
type Run = Static<(typeof getLabRun)['output']>;
type Example = { readonly fileName: string; readonly bytes: Uint8Array };

const PREFIX = 'simulated-';

export const guide = {
  name: 'lab example-files',
  usage: ['CODE [--out DIR] [--force]', '--run RUN [--out DIR] [--force]'],
  about: `Writes the raw files that the simulated instrument records of an order or of a planned run, to try upload, review and
release without an instrument. While a run repeats replicates that the review chose, it writes only these. Nobody
measured them: the names of the files begin with "${PREFIX}", and each file says that its instrument is simulated.
Nothing is sent to the service. Never release them to a client as data of theirs.`,
  options: {
    'run RUN':
      'a planned run of affinity or screening, such as RUN-000012: one file for each plate of its plan',
    'out DIR': 'the folder to write into; the current one by default',
    force: 'replaces files that exist already',
    ...CONNECTION,
  },
  examples: [
    'lab example-files DEMO-001-004 --out example',
    `lab experiments upload DEMO-001-004 example/${PREFIX}*`,
  ],
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const api = connect(values);
  const [code = ''] = positionals;
  const files = values.run === undefined ? await recordOrder(api, code) : await recordRun(api, values.run);
  const folder = values.out ?? '.';
  mkdirSync(folder, { recursive: true });
  for (const { fileName, bytes } of files) {
    const path = join(folder, `${PREFIX}${fileName}`);
    await saveDocument(path, { chunks: [bytes], size: bytes.length }, values.force === true);
    print(path);
  }
}

const readExperiment = (api: Api, id: string): Promise<Experiment> =>
  api.get<Experiment>(
    `/lab/experiments/${encodeURIComponent(id)}`,
    'code experiment_type status n_replicates:number runs[]:object',
  );

async function readSequences(api: Api, id: string): Promise<Sequences> {
  const { sequences } = await api.get<{ readonly sequences: Sequences }>(
    `/lab/experiments/${encodeURIComponent(id)}/sequences`,
    'sequences[].id sequences[].name sequences[].aa_string',
  );
  return sequences;
}

/** What the simulated instrument has to know of an order besides its sequences. */
function describeOrder(order: Experiment) {
  return {
    experimentCode: order.code,
    experimentType: order.experiment_type,
    method: order.method ?? ('bli' as const),
    target: { id: order.target_id ?? order.code, name: order.target_name ?? 'antigen' },
  };
}

async function recordOrder(api: Api, code: string): Promise<readonly Example[]> {
  const order = await readExperiment(api, code);
  const { findSimulatedAssay } = await import('#assays/simulated.ts');
  const assay = findSimulatedAssay(order.experiment_type);
  if (assay === undefined)
    throw new CommandError(
      `${order.code} is ${order.experiment_type}, which no simulated instrument measures.`,
    );
  const sequences = await readSequences(api, code);
  const { antigen_concentrations_nm: concentrationsNm, n_replicates: nReplicates, runs } = order;
  const repeated = await countRepeats(api, order);
  return [
    ...assay.record({
      ...describeOrder(order),
      nReplicates: repeated === null ? nReplicates : Math.max(...repeated.values()),
      concentrationsNm,
      // A later run measures fresh samples; its files have names of their own.
      options: { attempt: runs.at(-1)?.ordinal },
      sequences: sequences
        .filter(({ name }) => repeated?.has(name) ?? true)
        .map(({ id, name, aa_string: aaString, is_control: isControl }) => ({
          id,
          name,
          aaString,
          isControl,
          nReplicates: repeated?.get(name),
        })),
    }),
  ];
}

/** Counts the replicates of each sequence that the run in production repeats; null where it measures the whole order. */
async function countRepeats(
  api: Api,
  { code, status, runs }: Experiment,
): Promise<ReadonlyMap<string, number> | null> {
  if (status !== 'in_production' || runs.length < 2) return null;
  const { decisions } = await api.get<Review>(
    `/lab/experiments/${encodeURIComponent(code)}/review`,
    'decisions[]:object',
  );
  const open = listOpenRepeats(decisions, runs);
  if (open.length === 0) return null;
  const replicates = Map.groupBy(open, ({ sequence }) => sequence);
  // Several curves of one replicate are measured with one sample; they name no well.
  return new Map(
    [...replicates].map(([sequence, own]) => [
      sequence,
      new Set(own.map(({ plate, replicate, well }) => JSON.stringify([plate, replicate, well]))).size,
    ]),
  );
}

async function recordRun(api: Api, run: string): Promise<readonly Example[]> {
  const {
    code,
    experiment_type: type,
    experiments,
    plan,
  } = await api.get<Run>(
    `/lab/runs/${encodeURIComponent(run)}`,
    'code experiment_type plan:object experiments[].experiment_id',
  );
  // Runs against a target are curves of sensors, which the planned files are.
  if (!hasTarget(type))
    throw new CommandError(
      `${code} is a run of ${type}; planned runs of affinity and screening have example files. Name one of its orders instead.`,
    );
  const [first] = experiments;
  if (first === undefined) throw new CommandError(`${code} serves no order.`);
  const order = await readExperiment(api, first.experiment_id);
  const residues = new Map<string, string>();
  for (const { experiment_id: id } of experiments)
    for (const { id: sequenceId, aa_string: text } of await readSequences(api, id))
      residues.set(sequenceId, text);
  const { recordPlan, PlanNotRecordedError } = await import('#sandbox/planned-files.ts');
  try {
    return [...recordPlan({ ...describeOrder(order), experimentCode: code, plan, residues })];
  } catch (error) {
    if (!(error instanceof PlanNotRecordedError)) throw error;
    throw new CommandError(`${code} has no example files. ${error.message}`);
  }
}
