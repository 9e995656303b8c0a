/** The commands of the lab manager's guide, in their order, in an empty directory beside a new sandbox. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { createSequences, expectStatus } from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { ROOT } from './cli-process.ts';

const WORK_EVERY_MS = 25;
const PRINTED = 3_000;
/** The file of the planned run, which the instrument can only record once the guide has planned it. */
const SHARED = 'P1-traces.csv';
/** The address that the guide writes. */
const ADDRESS = 'http://127.0.0.1:8080';

const service = await testService();
const { ask, token } = service;
const url = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'assayer-guide-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const guide = readFileSync(join(ROOT, 'docs/guide/running-a-lab.md'), 'utf8');
const blocks = [...guide.matchAll(/^```(?:sh|bash)?\n([^]*?)^```$/gm)].map(([, block = '']) => block);

/** What the guide expects: the token that a service leaves, the file of an instrument, and `npx` of an installed package. */
function prepareFolder(): void {
  mkdirSync(join(folder, '.assayer'));
  writeFileSync(join(folder, '.assayer', 'sandbox.json'), JSON.stringify({ url, token }));
  const { content_base64: content } = createRawFile(createSequences(2), 'affinity');
  const plate = Buffer.from(content, 'base64');
  writeFileSync(join(folder, 'plate-1.csv'), plate);
  writeFileSync(join(folder, 'plate-2.csv'), plate);
  const curl = execFileSync('/bin/sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).trim();
  const main = join(ROOT, 'src/cli/main.ts');
  mkdirSync(join(folder, 'bin'));
  // curl ends with 0 also for a refusal, unless it is told otherwise.
  writeProgram('curl', `exec "${curl}" --silent --show-error --fail-with-body "$@"`);
  writeProgram(
    'npx',
    `shift; exec "${process.execPath}" --disable-warning=ExperimentalWarning "${main}" "$@"`,
  );
  const recorder = join(ROOT, 'tests/support/record-plate.ts');
  writeProgram(
    'record-plate',
    `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${recorder}" planned.json "${SHARED}"`,
  );
}

function writeProgram(name: string, command: string): void {
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
}

/** Runs the blocks as one session of a shell that ends at the first failure; everything it printed. */
async function runBlocks(): Promise<{ readonly code: unknown; readonly out: string }> {
  const numbered = blocks.map((block, index) => {
    const record = block.includes(SHARED) ? 'record-plate\n' : '';
    return `echo; echo "=== block ${index + 1}"\n${record}${block}`;
  });
  const script = [
    'set -euo pipefail',
    'shopt -s inherit_errexit',
    ...numbered,
    'echo "$ID $UNPAID $ALONE $MAPPED" > orders.txt',
  ].join('\n');
  writeFileSync(join(folder, 'guide.sh'), script.replaceAll(ADDRESS, url));
  const path = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, XDG_CONFIG_HOME: folder, ASSAYER_URL: '', ASSAYER_TOKEN: '' };
  const child = spawn('bash', ['guide.sh'], { cwd: folder, env });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  const work = setInterval(() => void service.service.worker.runDue(), WORK_EVERY_MS);
  const [code]: unknown[] = await once(child, 'close').finally(() => clearInterval(work));
  return { code, out };
}

test('guide: every command of "Running a lab" in its order, from an empty directory → succeeds, and the orders are done', async () => {
  assert.ok(blocks.length > 10, `${blocks.length} blocks`);
  prepareFolder();
  const { code, out } = await runBlocks();
  assert.equal(code, 0, out.slice(-PRINTED));
  const orders = readFileSync(join(folder, 'orders.txt'), 'utf8').trim().split(' ');
  assert.equal(orders.length, 4);
  for (const order of orders) {
    const { body } = expectStatus(await ask('GET', `/experiments/${order}`), 200);
    assert.deepEqual([body.status, body.results_status], ['done', 'all'], order);
  }
  const amended = getItems((await ask('GET', `/experiments/${orders[0]}/results`)).body.items);
  assert.ok(amended.some(({ status }) => getText(status) === 'amended'));
  assert.match(readFileSync(join(folder, 'P1.csv'), 'utf8'), /design-1/);
});

test('guide: its commands → name no id that a reader would have to replace', () => {
  for (const block of blocks) assert.doesNotMatch(block, /DEMO-\d|RUN-\d|[A-Z]+_ID\b(?!=)|<[a-z_]+>/, block);
});
