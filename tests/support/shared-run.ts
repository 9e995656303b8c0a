/** A started run over one order of each of two organizations, for tests of the files that they share. */
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import { createBuilders, createSequences, expectStatus, type Invoiced } from './builders.ts';
import { getText, type TestService } from './service.ts';
import { createSharedTraces, encodeFile } from './shared-files.ts';
import { insertTestRun } from './stored-runs.ts';

export interface SharedRun {
  readonly id: string;
  readonly code: string;
  readonly plan: PlanRecord;
  readonly own: Invoiced;
  readonly theirs: Invoiced;
}

export interface SharedRuns {
  /**
   * Both orders have a sequence called twin, so that the plan puts the codes of the orders before it, and one replicate
   * unless a number is given.
   */
  readonly start: (nReplicates?: number) => Promise<SharedRun>;
  /** Under a name that no client may read, unless another is given. */
  readonly addFile: (run: SharedRun, bytes: Uint8Array, name?: string) => ReturnType<TestService['ask']>;
  /** Started, with its file, and complete: both are analyzed. */
  readonly analyze: () => Promise<SharedRun>;
  readonly settle: () => Promise<void>;
}

/** `foreign` is a token of another organization. */
export async function createSharedRuns(
  service: Pick<TestService, 'ask' | 'service' | 'runLab'>,
  foreign: string,
): Promise<SharedRuns> {
  const { ask } = service;
  const { createBody, createInvoiced, createQueued } = await createBuilders(service);
  const [first = '', second = ''] = Object.values(createSequences(2));
  const post = (path: string, body: unknown = {}) => ask('POST', `/lab/${path}`, { body });
  const settle = async (): Promise<void> => {
    while ((await service.service.worker.runDue()) > 0);
  };
  const start: SharedRuns['start'] = async (nReplicates = 1) => {
    const order = (sequences: unknown) => createBody({ sequences, n_replicates: nReplicates });
    const own = await createQueued(order({ 'own-design': first, twin: second }));
    const others = order({ 'secret-design': `${second}GG`, twin: `${first}AA` });
    const theirs = await createInvoiced(others, { token: foreign });
    expectStatus(await post(`invoices/${theirs.invoiceId}/bank-transfer`), 201);
    await settle();
    expectStatus(await post(`experiments/${theirs.id}/materials`), 200);
    const id = await insertTestRun(ask, [own.code, theirs.code]);
    const run = expectStatus(await post(`runs/${id}/start`), 200).body;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
    const plan = run.plan as unknown as PlanRecord;
    return { id, code: getText(run.code), plan, own, theirs };
  };
  const addFile: SharedRuns['addFile'] = (run, bytes, name = 'P1-both-clients.csv') =>
    post(`runs/${run.id}/raw-files`, encodeFile(name, bytes));
  const analyze = async (): Promise<SharedRun> => {
    const run = await start();
    // Every run has other bytes, because the same bytes in two runs are refused.
    expectStatus(await addFile(run, createSharedTraces(run.plan, { salt: run.code })), 201);
    expectStatus(await post(`runs/${run.id}/complete`), 200);
    await settle();
    return run;
  };
  return { start, addFile, analyze, settle };
}
