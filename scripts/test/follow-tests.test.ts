import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PROCESSOR_TIME_VARIABLE } from './processor-time.ts';

const FOLLOW = pathToFileURL(join(import.meta.dirname, 'follow-tests.ts')).href;
const RUN_GROUP = pathToFileURL(join(import.meta.dirname, 'run-group.ts')).href;

const FIRST = `
  import { after, before, suite, test } from 'node:test';
  import { AsyncLocalStorage } from 'node:async_hooks';
  import { setTimeout as wait } from 'node:timers/promises';
  const kept = new AsyncLocalStorage();
  before(() => console.log('before the first'));
  after(async () => { await wait(1); console.log('after the first'); });
  test('passes', () => {});
  test('throws', () => { throw new Error('thrown'); });
  test('rejects', async () => { await wait(1); throw new Error('rejected'); });
  test('throws in a timer', async () => { setTimeout(() => { throw new Error('in a timer'); }, 1); await wait(50); });
  test('leaves a rejection alone', async () => { void Promise.reject(new Error('alone')); await wait(50); });
  test('times out', { timeout: 20 }, () => new Promise(() => setTimeout(() => {}, 100)));
  test('has parts', async (t) => { await wait(1); await t.test('a part fails', async () => { await wait(1); throw new Error('part'); }); });
  test('makes tests itself', async () => { await wait(1); await test('made after waiting', () => { throw new Error('made'); }); });
  suite('a suite', () => { test('passes in a suite', () => {}); test('throws in a suite', () => { throw new Error('suite'); }); });
  test('keeps its context', async () => {
    await kept.run('mine', async () => { await wait(1); if (kept.getStore() !== 'mine') throw new Error('lost'); });
  });
  await wait(1);
  test('declared after waiting', () => { throw new Error('late'); });
`;
const SECOND = `
  import { after, test } from 'node:test';
  test('belongs to the second', () => console.log('in the second'));
`;

/** Prints each result as one line, in the order of their ends. */
const RUNNER = `
  import { run } from 'node:test';
  const lines = [];
  const stream = run({ files: [process.argv[2]] });
  const add = (result) => ({ name, nesting, details }) =>
    lines.push([result, nesting, name, details.error?.failureType ?? '', details.error?.cause?.message ?? ''].join(' | '));
  stream.on('test:pass', add('pass')).on('test:fail', add('fail'));
  stream.on('test:stdout', ({ message }) => lines.push(...message.trim().split('\\n')));
  for await (const event of stream);
  // Whether the runner adds a failure of the whole file depends on when it hears of the end of the process.
  console.log(JSON.stringify(lines.filter((line) => !line.includes('/group.test.mjs | testCodeFailure'))));
`;

function runGroup(directory: string, imports: string): string[] {
  const files = ['first', 'second'].map((name) => ({ name, path: join(directory, `${name}.mjs`) }));
  const entry = join(directory, 'group.test.mjs');
  const script = `${imports}const { runGroup } = await import(${JSON.stringify(RUN_GROUP)});\nawait runGroup(${JSON.stringify(files)});\n`;
  writeFileSync(entry, script);
  // Inside a test, Node would not run test files; the others belong to the group of this one.
  const inherited = new Set(['NODE_TEST_CONTEXT', 'ASSAYER_TEST_FILE', PROCESSOR_TIME_VARIABLE]);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.has(name)));
  const runner = join(directory, 'runner.mjs');
  writeFileSync(runner, RUNNER);
  const { stdout, stderr } = spawnSync(process.execPath, [runner, entry], { encoding: 'utf8', env });
  assert.ok(stdout.startsWith('['), stderr);
  const lines: unknown = JSON.parse(stdout.replaceAll(directory, ''));
  assert.ok(Array.isArray(lines));
  // Results first: what a test prints may be told a little later than its result.
  return lines.map(String).toSorted((a, b) => Number(b.includes(' | ')) - Number(a.includes(' | ')));
}

test('follow-tests: tests that fail in every way → the same results as by the hooks of Node', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-follow-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'first.mjs'), FIRST);
  writeFileSync(join(directory, 'second.mjs'), SECOND);
  const followed = runGroup(directory, `import ${JSON.stringify(FOLLOW)};\n`);
  assert.deepEqual(followed, runGroup(directory, ''));
  const failed = followed.filter((line) => line.includes('fail | 1 |')).map((line) => line.split(' | ')[2]);
  assert.deepEqual(failed, [
    'throws',
    'rejects',
    'throws in a timer',
    'leaves a rejection alone',
    'times out',
    'has parts',
    'makes tests itself',
    'a suite',
    'declared after waiting',
  ]);
  assert.ok(followed.indexOf('after the first') < followed.indexOf('in the second'), followed.join('\n'));
});
