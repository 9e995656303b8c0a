/**
 * `npm test`: one throw-away PostgreSQL, every test file over it, and a closing line that can be relied on.
 *
 *   npm test -- [--nightly] [--slowest=N] [--test-name-pattern=PATTERN] [FILE-OR-GLOB…]
 */
import { randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { startTestServer, TEST_DATABASE_VARIABLE } from '#testing/database.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DEFAULT_GLOBS = ['src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'];
const NIGHTLY = 'tests/nightly/**';
const CONCURRENCY = 2;
const SLOWEST_SHOWN = '10';

/** Files that run for half a minute or more start first, so that none of them runs alone at the end. */
const LONGEST_FIRST: readonly string[] = [
  'tests/chaos/kill.test.ts',
  'tests/chaos/payment-kill.test.ts',
  'src/adapters/postgres/embedded.test.ts',
  'tests/chaos/x402-kill.test.ts',
  'tests/payments/pay-races.test.ts',
  'tests/payments/hosted-matrix.test.ts',
  'tests/payments/token-matrix.test.ts',
  'tests/payments/database-matrix.test.ts',
  'tests/payments/x402-crash.test.ts',
];

/** How much larger the random and destructive tests are at night; a variable that is set already wins. */
const NIGHTLY_SIZES: Readonly<Record<string, string>> = {
  ASSAYER_CALIBRATION_SETS: '2000',
  ASSAYER_FILTER_CASES: '100000',
  ASSAYER_FILTER_MUTATIONS: '1000000',
  ASSAYER_FUZZ_REQUESTS: '200000',
  ASSAYER_INJECTION: 'whole',
  ASSAYER_KILL_ROUNDS: '500',
  ASSAYER_FAULT_MATRIX: 'whole',
  ASSAYER_PAYMENT_FAULTS: '1000',
  ASSAYER_PAYMENT_KILLS: '600',
  ASSAYER_PAYMENT_RACES: '125',
  ASSAYER_PROCESS_RACES: '100',
  ASSAYER_TOKEN_CHAINS: '1000000',
  ASSAYER_X402_KILL_ROUNDS: '400',
};

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  readonly skips: string[];
  readonly emptyFiles: string[];
  readonly durations: { readonly file: string; readonly seconds: number }[];
  success: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nightly: { type: 'boolean', default: false },
    slowest: { type: 'string', default: SLOWEST_SHOWN },
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
  },
});

/** The files to run; a file named outright is run whatever folder it is in. */
function selectFiles(): string[] {
  const globs = positionals.length > 0 ? positionals : DEFAULT_GLOBS;
  const exclude = values.nightly || positionals.length > 0 ? [] : [NIGHTLY];
  return globSync(globs, { cwd: ROOT, exclude })
    .map((file) => (isAbsolute(file) ? file : join(ROOT, file)))
    .sort((a, b) => rankByLength(a) - rankByLength(b) || (a < b ? -1 : 1));
}

function rankByLength(file: string): number {
  const place = LONGEST_FIRST.indexOf(relative(ROOT, file));
  return place === -1 ? LONGEST_FIRST.length : place;
}

/** Runs the files and counts what they report. */
async function runTests(files: string[], signal: AbortSignal): Promise<Outcome> {
  const outcome: Outcome = {
    passed: 0,
    failed: 0,
    skipped: 0,
    skips: [],
    emptyFiles: [],
    durations: [],
    success: false,
  };
  const patterns = values['test-name-pattern'];
  const stream = run({
    files,
    cwd: ROOT,
    concurrency: CONCURRENCY,
    signal,
    ...(patterns.length > 0 ? { testNamePatterns: patterns.map((pattern) => new RegExp(pattern)) } : {}),
  });
  stream.on('test:pass', (event) => {
    // A file in which no test ran is reported as one passing test with the file's name.
    if (event.nesting === 0 && event.file !== undefined && resolve(ROOT, event.name) === event.file) {
      outcome.emptyFiles.push(relative(ROOT, event.file));
    }
    noteSkip(outcome, event);
  });
  stream.on('test:fail', (event) => noteSkip(outcome, event));
  stream.on('test:complete', (event) => {
    // The process of a file is itself a test of the file's name, told of only here.
    if (event.nesting !== 0 || event.file === undefined || resolve(ROOT, event.name) !== event.file) return;
    outcome.durations.push({
      file: relative(ROOT, event.file),
      seconds: event.details.duration_ms / 1000,
    });
  });
  stream.on('test:summary', (event) => {
    if (event.file !== undefined) return;
    const { tests, passed, skipped, todo } = event.counts;
    outcome.passed = passed - outcome.emptyFiles.length;
    outcome.failed = tests - passed - skipped - todo;
    outcome.skipped = skipped + todo;
    outcome.success = event.success;
  });
  const report = stream.compose(new spec());
  for await (const text of report) process.stdout.write(String(text));
  return outcome;
}

function noteSkip(
  outcome: Outcome,
  event: { name: string; file?: string; skip?: string | boolean; todo?: string | boolean },
): void {
  const reason = event.skip ?? event.todo;
  if (reason === undefined || reason === false) return;
  const why = reason === true || reason === '' ? 'no reason given' : reason;
  outcome.skips.push(
    `${event.name} (${event.file === undefined ? '?' : relative(ROOT, event.file)}): ${why}`,
  );
}

/** Where the time of a run over many files went. */
function showSlowest({ durations }: Outcome): void {
  const shown = Number(values.slowest);
  if (durations.length === 1) return;
  const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown);
  const lines = slowest.map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
  console.log(`\nSlowest files:\n${lines.join('\n')}`);
}

/** Prints the closing lines; true when the run counts as a success. */
function conclude(outcome: Outcome): boolean {
  const problems: string[] = [];
  const filtered = values['test-name-pattern'].length > 0;
  if (!filtered) problems.push(...outcome.emptyFiles.map((file) => `${file} holds no test.`));
  if (outcome.passed + outcome.failed === 0) problems.push('No test ran.');
  if (!outcome.success && outcome.failed === 0) problems.push('A file or a suite failed outside its tests.');
  showSlowest(outcome);
  if (outcome.skips.length > 0)
    console.log(`\nSkipped:\n${outcome.skips.map((skip) => `  ${skip}`).join('\n')}`);
  if (problems.length > 0) console.log(`\n${problems.join('\n')}`);
  const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : '';
  // Something that failed outside a test counts in the line too: it must never read as a success.
  console.log(`\n${outcome.passed} passed, ${outcome.failed + problems.length} failed${skipped}`);
  return outcome.failed === 0 && problems.length === 0;
}

async function main(): Promise<number> {
  // Each night takes requests that no night has sent; the tests print the seed.
  const nightly = { ...NIGHTLY_SIZES, ASSAYER_FUZZ_SEED: String(randomInt(2 ** 31)) };
  if (values.nightly) process.env = { ...nightly, ...process.env };
  const files = selectFiles();
  if (files.length === 0) {
    console.log('No test file matches.\n\n0 passed, 1 failed');
    return 1;
  }
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interrupted.abort());
  const server = await startTestServer();
  try {
    process.env[TEST_DATABASE_VARIABLE] = JSON.stringify(server.template);
    const succeeded = conclude(await runTests(files, interrupted.signal));
    return succeeded && !interrupted.signal.aborted ? 0 : 1;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
