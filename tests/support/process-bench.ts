/** Processes of the service over one database, and another service in which time passes over what they leave behind. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMs, type Clock } from '#core/clock.ts';
import { createIds } from '#core/ids.ts';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { createLogger } from '#transports/log.ts';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import { createService, type Service } from '../../src/main.ts';
import { readSettings } from '#settings/settings.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { startProcess, type ServiceProcess } from './process.ts';

const STEP_S = 5;
/** What is in doubt must be known after this long. */
const REST_S = 60;

/** What is not as it will be, in words. */
export type Unrest = () => Promise<string | undefined>;

export interface ProcessBench {
  readonly directory: string;
  readonly database: PostgresDatabase;
  /** The process that runs; started when none does. */
  readonly process: () => Promise<ServiceProcess>;
  readonly kill: () => Promise<void>;
  /** One more process; the caller ends it. */
  readonly startAnother: () => Promise<ServiceProcess>;
  /** The service of this process, whose clock goes ahead while the others rest. */
  readonly startBystander: () => Promise<Service>;
  /** Payments that were under way when everybody had stopped: handed over or about to be, and not known to be over. */
  readonly countInDoubt: () => Promise<number>;
  /**
   * Lets time pass in another process of the service until each of `unrests` in turn finds nothing more to tell, for a
   * minute of its clock each.
   */
  readonly runToRest: (story: string, ...unrests: readonly Unrest[]) => Promise<void>;
  /** Cents of all paid invoices. */
  readonly readPaidCents: () => Promise<number>;
  readonly expectHealthyLedger: (story: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function processBench(variables: Readonly<Record<string, string>>): Promise<ProcessBench> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-processes-'));
  const postgres = await startOwnPostgres(directory);
  const { database } = postgres;
  // So slow a lab that what was paid is not measured meanwhile.
  const settings = { ...variables, SANDBOX_SPEED: '1', RATE_LIMIT_PER_SECOND: '0' };
  const running: { process?: ServiceProcess; bystander?: Bystander } = {};

  async function countRows(sql: string): Promise<number> {
    const [row] = await database.read.query<{ count: number }>(sql);
    return row?.count ?? 0;
  }

  const another = () => startProcess(directory, { ...settings, DATABASE_URL: postgres.url });
  const standBy = async (): Promise<Bystander> =>
    (running.bystander ??= await createBystander(
      { ...settings, DATA_DIR: join(directory, 'bystander') },
      postgres,
    ));

  return {
    directory,
    database,
    startAnother: another,
    startBystander: async () => (await standBy()).service,
    process: async () => (running.process ??= await another()),
    async kill() {
      await running.process?.kill();
      delete running.process;
    },
    countInDoubt: () =>
      countRows(`select (select count(*) from payment_attempts where state in ('prepared', 'settling'))
        + (select count(*) from processor_invoices where status = 'wanted') as count`),
    async runToRest(story, ...unrests) {
      const { clock, service } = await standBy();
      for (const unrest of unrests) {
        for (let waitedS = 0; ; waitedS += STEP_S, clock.aheadS += STEP_S) {
          await service.worker.runDue();
          await service.worker.runChores();
          const restless = await unrest();
          if (restless === undefined) break;
          assert.ok(waitedS < REST_S, `${restless}, ${REST_S} s later, ${story}`);
        }
      }
      clock.aheadS = 0;
    },
    readPaidCents: () =>
      countRows(`select coalesce(sum(total_cents), 0)::bigint as count from invoices where status = 'paid'`),
    async expectHealthyLedger(story) {
      assert.deepEqual(await checkLedger(labScope, database.read), [], story);
    },
    async close() {
      await running.process?.kill();
      await running.bystander?.service.close();
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Bystander {
  readonly service: Service;
  readonly clock: { aheadS: number };
}

/** A service in this process, with a clock that goes ahead of that of the others. */
async function createBystander(
  variables: Readonly<Record<string, string>>,
  { connection }: Awaited<ReturnType<typeof startOwnPostgres>>,
): Promise<Bystander> {
  const clock: Clock & { aheadS: number } = {
    aheadS: 0,
    now: () => addMs(new Date(), clock.aheadS * 1_000),
    readMonotonicMs: () => performance.now() + clock.aheadS * 1_000,
  };
  const log = createLogger('error', { write: (line: string) => void process.stderr.write(line) });
  const sources = { clock, ids: createIds(clock), log };
  return { clock, service: await createService(readSettings(variables), sources, connection) };
}
