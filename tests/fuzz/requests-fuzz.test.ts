/**
 * Requests that nobody would send and some that somebody would, over REST, pages, tools and bare sockets. Each answer is
 * held to what the service declares of itself. `ASSAYER_FUZZ_SEED` repeats a run, `ASSAYER_FUZZ_REQUESTS` says how long
 * it is, and `ASSAYER_FUZZ_AT_ONCE=1` sends one request after another.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindings } from '#transports/operations.ts';
import { checkWithOutside } from '#testing/ledger.ts';
import type { Rule } from './requests/findings.ts';
import { LoopWatch } from './requests/gun.ts';
import { Stream } from './requests/stream.ts';
import { prepareWorld } from './requests/world.ts';

/** So many that each operation has a lot in which a prepared request of it is sent as it is and changed. */
const COUNT_MIN = 1_800;
const count = Number(process.env['ASSAYER_FUZZ_REQUESTS'] ?? COUNT_MIN);
const seed = Number(process.env['ASSAYER_FUZZ_SEED'] ?? 1);
const named = `${count} requests of seed ${seed}`;

const world = await prepareWorld(seed);
const stream = new Stream(world, seed);
const { tally } = stream;

/** What stands for one of the tests below. */
function expectNone(rule: Rule): void {
  const found = world.findings.listByRule(rule);
  assert.equal(found.length, 0, `ASSAYER_FUZZ_SEED=${seed} repeats it\n\n${found.join('\n\n')}`);
}

test(`fuzz: ${named} → are sent by every transport`, async () => {
  const start = performance.now();
  await stream.run(count);
  const seconds = (performance.now() - start) / 1_000;
  console.log(`${named}: ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)} a second`);
  console.log(
    [...tally.byDoor]
      .map(([what, times]) => `${what} ${times}`)
      .sort()
      .join(', '),
  );
  console.log(`the slowest: ${tally.slowest.map(({ ms, what }) => `\n  ${ms} ms ${what}`).join('')}`);
  const heldMs = tally.heldMs.toSorted((a, b) => a - b);
  const readShare = (share: number): string => (heldMs[Math.ceil(share * heldMs.length) - 1] ?? 0).toFixed(0);
  console.log(
    `processor time of the longest turn of a lot: half of ${heldMs.length} lots within ${readShare(0.5)} ms, 90 % ${readShare(0.9)} ms, 99 % ${readShare(0.99)} ms, all ${readShare(1)} ms`,
  );
  console.log(
    `${tally.unprepared.length} states could not be prepared${tally.unprepared.map((why) => `\n  ${why}`).join('')}`,
  );
  console.log([...tally.spentMs].map(([what, ms]) => `${what} ${(ms / 1_000).toFixed(1)} s`).join(', '));
  assert.equal(tally.sent, count);
});

test('internal_error: any request → no unexpected 5xx and no error in the log', () => expectNone('no 5xx'));

test('openapi: any answer → its status and code are declared for its operation', () =>
  expectNone('declared statuses and codes'));

test('openapi: any answer → fits the schema of its status and media type', () =>
  expectNone('declared schemas'));

test('errors: any refusal → has a sentence, the request id and a code of the catalog', () =>
  expectNone('error form'));

test('errors: any refusal → shows no SQL statement, stack, path or token', () =>
  expectNone('nothing told that must not be'));

test('pages: any answer → a whole page with our headers, or a document', () => expectNone('pages'));

test('tools: any answer → JSON-RPC that fits the schema of its tool', () => expectNone('tools'));

test('sockets: any bytes on a socket → an answer in our form, or the connection ends', () =>
  expectNone('sockets'));

test('stall: a blocked and a waiting event loop → the watch reports the blocked one only', async () => {
  const watch = new LoopWatch();
  watch.start();
  await new Promise((resolve) => void setTimeout(resolve, 200));
  assert.ok(watch.getHeldMs() < 100, 'waiting holds nothing');
  // Of processor time: on a busy machine a moment on the wall is not all ours.
  const before = process.threadCpuUsage();
  let usedMs = 0;
  while (usedMs < 200) {
    const { user, system } = process.threadCpuUsage(before);
    usedMs = (user + system) / 1_000;
  }
  await new Promise((resolve) => void setTimeout(resolve, 20));
  assert.ok(watch.getHeldMs() > 100, `${watch.getHeldMs()} ms were seen of 200`);
  watch.stop();
});

test('stall: any request → does not block the event loop for a second', () => expectNone('no stall'));

test('secrets: any request → no line of the log holds a secret', () => {
  assert.ok(world.log.lineCount > count / 2, 'the log was hardly written');
  expectNone('no secret in the log');
});

test('not_found: requests across organizations → no answer holds words of another organization', () =>
  expectNone('other organizations'));

test('ledger: after all requests → the books balance and agree with the processors', async () => {
  const { findings } = await checkWithOutside({
    database: world.service.service.database,
    clock: world.service.clock,
  });
  assert.deepEqual(findings, []);
});

test('coverage: the requests of the run → every operation succeeds once and over 60 failure codes occur', () => {
  if (count < COUNT_MIN) return;
  const missing = bindings.map(({ operation }) => operation.id).filter((id) => !tally.succeeded.has(id));
  assert.deepEqual(missing, [], 'no request to these succeeded');
  assert.ok(tally.unprepared.length < count / 500, `not prepared:\n${tally.unprepared.join('\n')}`);
  assert.ok(tally.codes.size > 60, `only ${tally.codes.size} failure codes were answered`);
});
