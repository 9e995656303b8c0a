import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { conclude, type Outcome } from './outcome.ts';

const OUTCOME_MODULE = join(import.meta.dirname, 'outcome.ts');

const OUTCOME: Outcome = {
  passed: 1,
  failed: 0,
  skips: [],
  emptyFiles: [],
  times: [{ file: 'src/a.test.ts', seconds: 1 }],
  summarized: ['src/a.test.ts'],
  success: true,
};

const ENDS_ITS_PROCESS = `
  import { test } from 'node:test';
  test('passes', async () => { await new Promise((resolve) => setTimeout(resolve, 100)); });
  test('ends its process', () => { console.log('ends here'); process.exit(0); });
  test('never runs', () => { throw new Error('never runs'); });
`;

/** Runs a test file as `npm test` does, and prints what it concludes. */
const RUNNER = `
  import { run } from 'node:test';
  import { relative } from 'node:path';
  const [file, outcomeModule] = process.argv.slice(2);
  const { conclude, countOutcome } = await import(outcomeModule);
  const stream = run({ files: [file] });
  const outcome = countOutcome(stream);
  for await (const { type, data } of stream) if (type === 'test:stdout') console.log(data.message);
  const entries = [relative(process.cwd(), file)];
  const options = { files: entries, entries, processorSeconds: new Map(), slowestShown: 1, isFiltered: true };
  process.exitCode = conclude(outcome, options) ? 0 : 1;
`;

test('conclude: a file did not run to its end, all tests passed → the run fails and names the file', (t) => {
  const log = t.mock.method(console, 'log', () => undefined);
  const options = { entries: [], processorSeconds: new Map(), slowestShown: 1, isFiltered: false };
  assert.ok(conclude(OUTCOME, { ...options, files: ['src/a.test.ts'] }));
  assert.ok(!conclude(OUTCOME, { ...options, files: ['src/a.test.ts', 'src/b.test.ts'] }));
  const printed = log.mock.calls.flatMap((call) => call.arguments).join('\n');
  assert.match(printed, /src\/b\.test\.ts did not run to its end\./);
  assert.match(printed, /1 passed, 1 failed$/);
});

test('process.exit: a test ends the process of its file with code 0 → the run fails and names the file', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-outcome-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'exits.test.ts');
  writeFileSync(file, ENDS_ITS_PROCESS);
  // Inside a test, Node would not run test files.
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  // From a file: Node passes `--eval` on to the process of the test file, which would run that instead.
  const runner = join(directory, 'runner.mjs');
  writeFileSync(runner, RUNNER);
  const run = [runner, file, OUTCOME_MODULE];
  const { status, stdout, stderr } = spawnSync(process.execPath, run, { encoding: 'utf8', env });
  assert.match(stdout, /^ends here$/m, stderr);
  assert.match(stdout, /The process of .*exits\.test\.ts ended before its tests did\./, stderr);
  assert.equal(status, 1);
});
