/**
 * A campaign of 96 sequences in two replicates at five concentrations, from raw files to stored results, in a listening
 * service; and how long a request waits meanwhile.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createDirectoryBlobs } from '#adapters/blobs/directory.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import type { BenchOptions } from './run.ts';
import type * as Database from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import { CONCENTRATIONS_NM, createPlateFiles, REPLICATES, SEQUENCES } from './support/plate-files.ts';
import type { Finding, Report } from './support/report.ts';
import type * as Server from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';
import { measureWaits } from './support/waits.ts';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 5;
const WORKERS = 2;
const ANALYSIS_LIMIT_S = 120;

const RATIO_MIN = 0.9;

/**
 * With `against`, a checkout of another commit, a campaign of it follows each of ours, in rotating order. No requests are
 * sent then: the longer other work makes a campaign, the more of them its CPU would contain.
 */
export async function run({ against }: BenchOptions): Promise<Report[]> {
  const campaigns: Campaign[] = [];
  try {
    for (const root of against === undefined ? [ROOT] : [ROOT, against])
      campaigns.push(await openCampaign(root));
    const quiet = await measureWaits(campaigns[0].ready, () => setTimeout(2_000));
    const rounds = campaigns.map((): Round[] => []);
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const k of campaigns.keys()) {
        const which = (k + round) % campaigns.length;
        const found = await campaigns[which].runRound(round, against === undefined);
        // The first round starts the threads and warms them up.
        if (round > 0) rounds[which].push(found);
      }
    return [createReport(campaigns[0].files, rounds, quiet)];
  } finally {
    for (const campaign of campaigns) await campaign.close();
  }
}

interface Round {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** How long requests waited meanwhile, in ms. */
  readonly waitsMs: readonly number[];
}

interface Campaign {
  readonly ready: ServiceReady;
  readonly files: readonly RawFile[];
  /** `asksMeanwhile`: whether a caller asks for the health of the service again and again. */
  runRound(round: number, asksMeanwhile: boolean): Promise<Round>;
  close(): Promise<void>;
}

/** Starts the service of a checkout on a database of its own. */
async function openCampaign(root: string): Promise<Campaign> {
  const { openBenchDatabase } = await load<typeof Database>(root, 'database.ts');
  const { startServer } = await load<typeof Server>(root, 'server-process.ts');
  const database = await openBenchDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-plate-'));
  const { user, host, port, database: name } = database.connection;
  const pool = new pg.Pool({ user, host, port, database: name, max: 2 });
  // The server may end a connection that is closing.
  pool.on('error', () => undefined);
  const closeDatabase = async (): Promise<void> => {
    await pool.end();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const files = await recordFiles(join(dataDir, 'blobs'));
    const argument: ServiceArgument = { connection: database.connection, dataDir, analysisWorkers: WORKERS };
    const service = await startServer<ServiceReady>('service', argument);
    return {
      ready: service.ready,
      files,
      async runRound(round, asksMeanwhile) {
        const experimentId = await createInAnalysis(service.ready, pool, files, round);
        const cpuBefore = await service.readCpuSeconds();
        const start = performance.now();
        await makeDue(pool, experimentId);
        const analyzed = (): Promise<void> => waitUntilAnalyzed(pool, experimentId);
        const waitsMs = asksMeanwhile ? await measureWaits(service.ready, analyzed) : [];
        if (!asksMeanwhile) await analyzed();
        const seconds = (performance.now() - start) / 1_000;
        return { seconds, cpuSeconds: (await service.readCpuSeconds()) - cpuBefore, waitsMs };
      },
      async close() {
        await service.stop();
        await closeDatabase();
      },
    };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

function load<Module>(root: string, file: string): Promise<Module> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the module of the same name in another checkout
  return import(pathToFileURL(join(root, 'bench', 'support', file)).href) as Promise<Module>;
}

interface RawFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

function createReport(
  files: readonly RawFile[],
  [own, other]: readonly Round[][],
  quiet: readonly number[],
): Report {
  const megabytes = files.reduce((sum, file) => sum + file.size, 0) / 1e6;
  const seconds = own.map((round) => round.seconds);
  const requests = own.reduce((sum, { waitsMs }) => sum + waitsMs.length, 0);
  return {
    title: 'A campaign from files to stored results',
    findings: [
      { what: 'from due to stored, median', value: computeMedian(seconds), unit: 's', limit: { atMost: 6 } },
      { what: '… slowest', value: Math.max(...seconds), unit: 's' },
      {
        what: '… CPU of the service, its requests included',
        value: computeMedian(own.map((round) => round.cpuSeconds)),
        unit: 's',
      },
      ...(other === undefined ? describeWaits(own, quiet) : compareRounds(own, other)),
    ],
    conditions: [
      `${SEQUENCES} sequences × ${REPLICATES} replicates × ${CONCENTRATIONS_NM.length} concentrations of 900 points, ${files.length} plates, ${megabytes.toFixed(0)} MB`,
      `${WORKERS} analysis workers, ${ROUNDS} rounds after one to warm up, ${requests} requests; the wait of the job until it is picked up is included`,
    ],
  };
}

function describeWaits(own: readonly Round[], quiet: readonly number[]): Finding[] {
  const meanwhile = own.flatMap(({ waitsMs }) => waitsMs);
  return [
    {
      what: 'GET /info/health meanwhile, p99',
      value: takeQuantile(meanwhile, 0.99),
      unit: 'ms',
      limit: { atMost: 20 },
    },
    { what: '… longest', value: Math.max(...meanwhile), unit: 'ms' },
    { what: '… with nothing else to do, p99', value: takeQuantile([...quiet], 0.99), unit: 'ms' },
  ];
}

/** Medians of the ratios, round by round. Time depends on what else the machine does, so the limit applies to CPU. */
function compareRounds(own: readonly Round[], other: readonly Round[]): Finding[] {
  const compare = (of: (round: Round) => number): number =>
    computeMedian(own.map((round, k) => of(other[k]) / of(round)));
  return [
    {
      what: '… speed over that of the other commit, by CPU',
      value: compare((round) => round.cpuSeconds),
      unit: '×',
      limit: { atLeast: RATIO_MIN },
    },
    { what: '… by time', value: compare((round) => round.seconds), unit: '×' },
  ];
}

/** Simulated plates, as raw files are kept. */
async function recordFiles(directory: string): Promise<RawFile[]> {
  const blobs = createDirectoryBlobs(directory);
  const files: RawFile[] = [];
  for (const { fileName: name, bytes } of createPlateFiles()) {
    files.push({ name, sha256: await blobs.put(bytes), size: bytes.length });
  }
  return files;
}

/** An experiment with the recorded run, in the state in which it waits for its analysis. */
async function createInAnalysis(
  ready: ServiceReady,
  pool: pg.Pool,
  files: readonly RawFile[],
  round: number,
): Promise<string> {
  const { rows: targets } = await pool.query<{ id: string }>(
    `select id from targets where listed and pricing is not null order by name limit 1`,
  );
  const body = JSON.stringify({
    name: `Campaign ${round}`,
    experiment_spec: {
      experiment_type: 'affinity',
      method: 'bli',
      target_id: targets[0]?.id,
      n_replicates: REPLICATES,
      sequences: createDesigns(SEQUENCES, 120, 7),
    },
  });
  const connection = await Connection.open(ready.port);
  const answer = await connection.send(encodeRequest('POST', '/api/v1/experiments', ready, body));
  connection.close();
  requireAnswer(answer, 201);
  const created: { experiment_id: string } = JSON.parse(answer.body.toString('utf8'));
  await pool.query(
    `with moved as (
       update experiments set status = 'data_analysis' where id = $1 returning id, organization_id
     ), run as (
       insert into runs (id, organization_id, experiment_id, ordinal, instrument, status, started_at, completed_at)
       select uuidv7(), organization_id, id, 1, 'Simulated BLI', 'complete', now(), now() from moved
       returning id, organization_id, experiment_id
     )
     insert into raw_files (id, organization_id, experiment_id, run_id, name, sha256, size_bytes, created_at)
     select uuidv7(), run.organization_id, run.experiment_id, run.id, file.name, file.sha256, file.size, now()
     from run, unnest($2::text[], $3::text[], $4::bigint[]) as file (name, sha256, size)`,
    [
      created.experiment_id,
      files.map((file) => file.name),
      files.map((file) => file.sha256),
      files.map((file) => file.size),
    ],
  );
  return created.experiment_id;
}

async function makeDue(pool: pg.Pool, experimentId: string): Promise<void> {
  await pool.query(
    `insert into jobs (organization_id, kind, payload, next_at, created_at)
     select organization_id, 'sandbox_lab_step', jsonb_build_object('experiment_id', id, 'status', status), now(), now()
     from experiments where id = $1`,
    [experimentId],
  );
}

async function waitUntilAnalyzed(pool: pg.Pool, experimentId: string): Promise<void> {
  const deadline = performance.now() + 1_000 * ANALYSIS_LIMIT_S;
  for (;;) {
    const { rows } = await pool.query<{ stored: number; measured: number }>(
      `select count(*)::int as stored, count(*) filter (where outcome = 'measured')::int as measured
       from results where experiment_id = $1`,
      [experimentId],
    );
    const { stored, measured } = rows[0] ?? { stored: 0, measured: 0 };
    if (stored === SEQUENCES && measured > SEQUENCES / 3) return;
    if (stored > 0) throw new Error(`wrong answer: ${stored} results, ${measured} of them measured`);
    if (performance.now() > deadline) throw new Error('the results were not stored in time');
    await setTimeout(20);
  }
}
