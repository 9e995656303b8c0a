/**
 * `npm test`: one throw-away PostgreSQL, every test file over it, and a closing line that can be relied on.
 *
 *   npm test -- [--nightly] [--record | --times] [--together] [--slowest=N] [--test-name-pattern=PATTERN] [FILE-OR-FOLDER-OR-GLOB…]
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { startTestServer, TEST_DATABASE_VARIABLE } from '#testing/database.ts';
import { prepareCluster, PREPARED_CLUSTER_VARIABLE } from '#testing/prepared-cluster.ts';
import { loadRequestSchemas } from '#testing/stripe/schemas.ts';
import { groupFiles } from './test/groups.ts';
import { findNamedFiles } from './test/named-files.ts';
import { countOutcome, conclude } from './test/outcome.ts';
import { PROCESSOR_TIME_VARIABLE, readProcessorTimes } from './test/processor-time.ts';
import { readReach, writeReach, writeTimes } from './test/reach.ts';
import { createInMemory } from './test/temporary.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Files wait for the database, for processes and for browsers; three more processes use the time. */
const EXTRA_PROCESSES = 3;
/** What processes of tests share is prepared for so many files: a cluster takes as long as two of their first starts. */
const PREPARED_FOR_FILES = 30;
/** Tests make much that dies young, and a larger young heap collects it less often. */
const YOUNG_HEAP = '--max-semi-space-size=32';
const BUNDLE = new URL('../bin/bundle.mjs', import.meta.url).href;
const FOLLOW = new URL('./test/follow-tests.ts', import.meta.url).href;
const RUN_GROUP = new URL('./test/run-group.ts', import.meta.url).href;
const RECORD = new URL('./test/record.ts', import.meta.url).href;
const SLOWEST_SHOWN = '10';

/** How much larger the random and destructive tests are at night; a variable that is set already wins. */
const NIGHTLY_SIZES: Readonly<Record<string, string>> = {
  ASSAYER_ATTACK_RUNS: '2000',
  ASSAYER_CALIBRATION_SETS: '2000',
  ASSAYER_FEED_DELIVERED: 'all',
  ASSAYER_FEED_EVENTS: '20000',
  ASSAYER_FEED_KILLS: '50',
  ASSAYER_FILTER_CASES: '100000',
  ASSAYER_FILTER_MUTATIONS: '1000000',
  ASSAYER_FUZZ_REQUESTS: '200000',
  ASSAYER_HOSTILE_PAGES: 'whole',
  ASSAYER_INJECTION: 'whole',
  ASSAYER_KILL_ROUNDS: '500',
  ASSAYER_FAULT_MATRIX: 'whole',
  ASSAYER_MCP_CALLERS: '100',
  ASSAYER_MODEL_OPERATIONS: '200',
  ASSAYER_MODEL_SEEDS: '1000',
  ASSAYER_MONEY_RACES: '150',
  ASSAYER_PAYMENT_FAULTS: '1000',
  ASSAYER_PAYMENT_KILLS: '600',
  ASSAYER_PAYMENT_RACES: '125',
  ASSAYER_PROCESS_RACES: '100',
  ASSAYER_RACE_COPIES: '20',
  ASSAYER_RANDOM_DOCUMENTS: '100',
  ASSAYER_RECOVERY: 'whole',
  ASSAYER_SPENDERS: '200',
  ASSAYER_TOKEN_CHAINS: '1000000',
  ASSAYER_TURNS: 'all',
  ASSAYER_WALK_ROWS: '10000',
  ASSAYER_X402_KILL_ROUNDS: '400',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nightly: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    times: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    slowest: { type: 'string', default: SLOWEST_SHOWN },
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
  },
});

/**
 * What the processes run. Files share processes when many of them run; files that are named outright have one each, and
 * so has each file of a run that looks for tests by name, because a test of a whole file bears another name.
 */
function writeEntries(files: readonly string[], directory: string): string[] {
  const isWhole = positionals.length === 0 && values['test-name-pattern'].length === 0;
  if (!isWhole && !values.together) return files.map((file) => join(ROOT, file));
  const timed = files.map((name) => ({ name, seconds: readReach().get(name)?.seconds }));
  return groupFiles(timed).map((names, index) => {
    const paths = names.map((name) => ({ name, path: join(ROOT, name) }));
    const entry = join(directory, `group-${index + 1}.test.mjs`);
    // One after the other: the test runner is loaded with the second.
    const script = `import ${JSON.stringify(FOLLOW)};\nconst { runGroup } = await import(${JSON.stringify(RUN_GROUP)});\nawait runGroup(${JSON.stringify(paths)});\n`;
    writeFileSync(entry, script);
    return entry;
  });
}

/** Every process that starts from here on writes what its tests execute into the directory. */
function recordInto(directory: string): void {
  mkdirSync(directory);
  process.env['ASSAYER_REACH_DIRECTORY'] = directory;
  process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import ${RECORD}`.trim();
}

/** The processes of the service that tests start find it made; each of them would make it otherwise. */
async function makeBundle(): Promise<void> {
  const launcher: { findEntry(): string } = await import(BUNDLE);
  launcher.findEntry();
}

async function runTests(files: readonly string[], signal: AbortSignal): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-groups-'));
  const recording = join(directory, 'reach');
  const cluster = join(directory, 'postgres');
  const processorTimeLog = join(directory, 'processor-time.jsonl');
  process.env[PROCESSOR_TIME_VARIABLE] = processorTimeLog;
  try {
    if (files.length >= PREPARED_FOR_FILES) {
      process.env[PREPARED_CLUSTER_VARIABLE] = await prepareCluster(cluster);
      await loadRequestSchemas();
      await makeBundle();
    }
    if (values.record) recordInto(recording);
    const patterns = values['test-name-pattern'];
    const entries = writeEntries(files, directory);
    const stream = run({
      files: entries,
      cwd: ROOT,
      concurrency: availableParallelism() + EXTRA_PROCESSES,
      execArgv: [YOUNG_HEAP, '--no-maglev-osr'],
      signal,
      ...(patterns.length > 0 ? { testNamePatterns: patterns.map((pattern) => new RegExp(pattern)) } : {}),
    });
    const outcome = countOutcome(stream);
    const report = stream.compose(new spec());
    for await (const text of report) process.stdout.write(String(text));
    if (values.record) writeReach(ROOT, recording, outcome.times);
    else if (values.times) writeTimes(ROOT, outcome.times);
    return conclude(outcome, {
      files,
      entries: entries.map((path) => relative(ROOT, path)),
      processorSeconds: readProcessorTimes(processorTimeLog),
      slowestShown: Number(values.slowest),
      isFiltered: patterns.length > 0,
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runMain(): Promise<number> {
  // Each night takes requests that no night has sent; the tests print the seed.
  const nightly = { ...NIGHTLY_SIZES, ASSAYER_FUZZ_SEED: String(randomInt(2 ** 31)) };
  if (values.nightly) process.env = { ...nightly, ...process.env };
  const { files, problems } = findNamedFiles(ROOT, positionals, values.nightly);
  if (problems.length > 0) {
    console.log(`${problems.join('\n')}\n\n0 passed, ${problems.length} failed`);
    return 1;
  }
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interrupted.abort());
  const inMemory = createInMemory();
  if (inMemory !== undefined) process.env['TMPDIR'] = inMemory.path;
  try {
    const succeeded = await runBesideDatabase(files, interrupted.signal);
    return succeeded && !interrupted.signal.aborted ? 0 : 1;
  } finally {
    inMemory?.remove();
  }
}

async function runBesideDatabase(files: readonly string[], signal: AbortSignal): Promise<boolean> {
  const server = await startTestServer();
  try {
    process.env[TEST_DATABASE_VARIABLE] = JSON.stringify(server.template);
    return await runTests(files, signal);
  } finally {
    await server.stop();
  }
}

process.exitCode = await runMain();
