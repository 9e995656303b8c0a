/** The commands of the lab manager's guide, in their order, in an empty directory beside a new sandbox. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { GuideSession, readBlocks } from './guide-session.ts';

const PRINTED = 3_000;
const service = await testService();
const { ask, token } = service;
const url = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const session = new GuideSession({ url, token });
after(() => session.close());
const { folder } = session;
const blocks = readBlocks('docs/guide/running-a-lab.md').map(({ text }) => text);

/** The blocks as one script of a shell that ends at the first failure. */
function writeScript(): string {
  const numbered = blocks.map((block, index) => `echo; echo "=== block ${index + 1}"\n${block}`);
  const options = 'set -euo pipefail; shopt -s inherit_errexit';
  return [options, ...numbered, 'echo "$ID $UNPAID $ALONE $MAPPED" > orders.txt'].join('\n');
}

test('guide: every command of "Running a lab" in its order, from an empty directory → succeeds, and the orders are done', async () => {
  assert.ok(blocks.length > 10, `${blocks.length} blocks`);
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
  for (const place of ['shared', 'alone', 'mapped'])
    for (const name of readdirSync(join(folder, place))) {
      assert.match(name, /^simulated-/);
      assert.match(readFileSync(join(folder, place, name), 'utf8'), /^# instrument: Simulated /m);
    }
});

test('guide: its commands → name no id that a reader would have to replace', () => {
  for (const block of blocks) assert.doesNotMatch(block, /DEMO-\d|RUN-\d|[A-Z]+_ID\b(?!=)|<[a-z_]+>/, block);
});
