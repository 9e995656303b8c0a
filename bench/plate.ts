/**
 * A campaign of 96 sequences in two replicates at five concentrations, from raw files to stored results, in a listening
 * service; and how long a request waits meanwhile.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { createDirectoryBlobs } from '#adapters/blobs/directory.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { openBenchDatabase } from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import { Connection, encodeRequest, requireAnswer } from './support/http-client.ts';
import { CONCENTRATIONS_NM, createPlateFiles, REPLICATES, SEQUENCES } from './support/plate-files.ts';
import type { Report } from './support/report.ts';
import { startServer } from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';
import { measureWaits } from './support/waits.ts';

const ROUNDS = 5;
const WORKERS = 2;
const ANALYSIS_LIMIT_S = 120;

export async function run(): Promise<Report[]> {
  const database = await openBenchDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-plate-'));
  const { user, host, port, database: name } = database.connection;
  const pool = new pg.Pool({ user, host, port, database: name, max: 2 });
  try {
    const argument: ServiceArgument = { connection: database.connection, dataDir, analysisWorkers: WORKERS };
    const service = await startServer<ServiceReady>('service', argument);
    try {
      const files = await recordFiles(join(dataDir, 'blobs'));
      const seconds: number[] = [];
      const cpu: number[] = [];
      const quiet = await measureWaits(service.ready, () => setTimeout(2_000));
      const meanwhile: number[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const experimentId = await createInAnalysis(service.ready, pool, files, round);
        const cpuBefore = await service.readCpuSeconds();
        const start = performance.now();
        await makeDue(pool, experimentId);
        const waited = await measureWaits(service.ready, () => waitUntilAnalyzed(pool, experimentId));
        // The first round starts the threads and warms them up.
        if (round > 0) {
          seconds.push((performance.now() - start) / 1_000);
          meanwhile.push(...waited);
          cpu.push((await service.readCpuSeconds()) - cpuBefore);
        }
      }
      return [createReport(files, { seconds, cpu, quiet, meanwhile })];
    } finally {
      await service.stop();
    }
  } finally {
    await pool.end();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface RawFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
}

function createReport(
  files: readonly RawFile[],
  { seconds, cpu, quiet, meanwhile }: Readonly<Record<'seconds' | 'cpu' | 'quiet' | 'meanwhile', number[]>>,
): Report {
  const megabytes = files.reduce((sum, file) => sum + file.size, 0) / 1e6;
  return {
    title: 'A campaign from files to stored results',
    findings: [
      { what: 'from due to stored, median', value: computeMedian(seconds), unit: 's', limit: { atMost: 6 } },
      { what: '… slowest', value: Math.max(...seconds), unit: 's' },
      { what: '… CPU of the service, the requests included', value: computeMedian(cpu), unit: 's' },
      {
        what: 'GET /info/health meanwhile, p99',
        value: takeQuantile(meanwhile, 0.99),
        unit: 'ms',
        limit: { atMost: 20 },
      },
      { what: '… longest', value: Math.max(...meanwhile), unit: 'ms' },
      { what: '… with nothing else to do, p99', value: takeQuantile(quiet, 0.99), unit: 'ms' },
    ],
    conditions: [
      `${SEQUENCES} sequences × ${REPLICATES} replicates × ${CONCENTRATIONS_NM.length} concentrations of 900 points, ${files.length} plates, ${megabytes.toFixed(0)} MB`,
      `${WORKERS} analysis workers, ${ROUNDS} rounds after one to warm up, ${meanwhile.length} requests; the wait of the job until it is picked up is included`,
    ],
  };
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
