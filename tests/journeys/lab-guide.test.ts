/** The commands of the lab manager's guide, in their order, in an empty directory beside a new sandbox. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSequences, expectStatus } from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { ROOT } from './cli-process.ts';
import { GuideSession, readBlocks } from './guide-session.ts';

const PRINTED = 3_000;
/** The file of the planned run, which the instrument can only record once the guide has planned it. */
const SHARED = 'P1-traces.csv';

const service = await testService();
const { ask, token } = service;
const url = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const session = new GuideSession({ url, token });
after(() => session.close());
const { folder } = session;
const blocks = readBlocks('docs/guide/running-a-lab.md').map(({ text }) => text);

/** What the guide expects besides a service: the files of an instrument. */
function prepareFolder(): void {
  const { content_base64: content } = createRawFile(createSequences(2), 'affinity');
  const plate = Buffer.from(content, 'base64');
  writeFileSync(join(folder, 'plate-1.csv'), plate);
  writeFileSync(join(folder, 'plate-2.csv'), plate);
  const recorder = join(ROOT, 'tests/support/record-plate.ts');
  session.addProgram(
    'record-plate',
    `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${recorder}" planned.json "${SHARED}"`,
  );
}

/** The blocks as one script of a shell that ends at the first failure. */
function writeScript(): string {
  const numbered = blocks.map((block, index) => {
    const record = block.includes(SHARED) ? 'record-plate\n' : '';
    return `echo; echo "=== block ${index + 1}"\n${record}${block}`;
  });
  const options = 'set -euo pipefail; shopt -s inherit_errexit';
  return [options, ...numbered, 'echo "$ID $UNPAID $ALONE $MAPPED" > orders.txt'].join('\n');
}

test('guide: every command of "Running a lab" in its order, from an empty directory → succeeds, and the orders are done', async () => {
  assert.ok(blocks.length > 10, `${blocks.length} blocks`);
  prepareFolder();
  const { worker } = service.service;
  const { code, out } = await session.run('bash', writeScript(), () => void worker.runDue());
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
