/** Bodies that are small to send and dear to read: refused while they arrive, and never at the cost of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { openRaw, formatRequest } from '#testing/raw-http.ts';
import { watchHolds } from '#testing/thread-holds.ts';
import { testService, getText, type TestAnswer } from '#testing/service.ts';

const all = await testService();
const { service, token, ask, issueToken } = all;
const { createBody } = await createBuilders(all);
const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);
const viewer = await issueToken({ role: 'viewer' });

const DECLARED_BYTES = 14_000_000;
/** CPU time, that of the client in this process included; without slices it is 1,300 ms and more. */
const STALL_MS_MAX = 700;

const writeNames = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');

const unfinished: readonly [code: string, what: string, beginning: string][] = [
  ['body_too_complex', 'too many names', `{${writeNames(100_000)}`],
  ['body_too_complex', 'too many values', `[${'1,'.repeat(200_000)}`],
  ['body_too_deep', 'too many levels', '['.repeat(70)],
  ['malformed_json', 'a number of 1,000 digits', `[${'1'.repeat(1_000)}`],
  ['malformed_json', 'a wrong bracket', `{"a":1,]${' '.repeat(70_000)}`],
  ['body_not_utf8', 'another encoding', `{"a":"\u00ff${'x'.repeat(70_000)}`],
  ['invalid_request', 'a name given twice', `{"a":1,"a":2${' '.repeat(70_000)}`],
];

for (const [code, what, beginning] of unfinished) {
  test(`${code}: ${what} → refused while the rest of the body is still to come`, async () => {
    for (const path of ['/api/v1/experiments/validate', '/mcp/']) {
      const { socket, closed } = openRaw(port);
      const headers = [`Authorization: Bearer ${viewer}`, 'Content-Type: application/json'];
      const head = formatRequest(`POST ${path}`, [...headers, `Content-Length: ${DECLARED_BYTES}`]);
      // A block is looked at when it is full, so that a beginning that is short is followed by white space.
      socket.write(
        Buffer.concat([Buffer.from(head), Buffer.from(beginning, 'latin1'), Buffer.alloc(70_000, ' ')]),
      );
      const { status, text } = await closed;
      assert.equal(status, 400, text.slice(0, 300));
      if (path !== '/mcp/') assert.match(text, new RegExp(`"code":"${code}"`));
      else assert.match(text, /"code":-32(?:700|600)/);
    }
  });
}

/** Until the watch has looked once more. */
const awaitNextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 10));

/** The longest that the thread was held while these were asked all at once. */
async function stallMs(
  asking: readonly (() => Promise<TestAnswer>)[],
  check: (answer: TestAnswer) => void,
): Promise<number> {
  const holds = watchHolds();
  for (const answer of await Promise.all(asking.map((one) => one()))) check(answer);
  await awaitNextTurn();
  holds.stop();
  return holds.takeLongestMs();
}

test('stall: a viewer sends 900,000 names, with and without the right to write → the event loop is not blocked', async () => {
  const payload = `{${writeNames(900_000)}}`;
  const to = (path: string) => () => ask('POST', path, { token: viewer, payload });
  const refused = await stallMs([to('/experiments'), to('/experiments')], (answer) =>
    expectFailure(answer, 403, 'permission_denied'),
  );
  const read = await stallMs([to('/experiments/validate'), to('/experiments/validate')], (answer) =>
    expectFailure(answer, 400, 'body_too_complex'),
  );
  assert.ok(Math.max(refused, read) < STALL_MS_MAX, `${refused.toFixed(0)} and ${read.toFixed(0)} ms`);
});

function createLibrary(count: number, residues: number, metadata?: object): Record<string, unknown> {
  const letters = 'QVQLVESGGGLVQAGGSLRLSCAASGRTFSEYAMGWFRQAPGKEREFVATISWSGGSTYYTDSVKGRFTISRDNAK';
  const text = letters.repeat(Math.ceil(residues / letters.length)).slice(0, residues);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const own = `M${text.slice(index % 50)}${'W'.repeat((index % 97) + 1)}`;
      return [`design-${index}`, metadata === undefined ? own : { aa_string: own, control: false, metadata }];
    }),
  );
}

const METADATA = {
  type: 'ScFv',
  VH: 'QVQ',
  VL: 'DIQ',
  linker: 'GGGGS',
  tag_location: 'N',
  chain_order: ['VH', 'VL', 'VH', 'VL', 'VH', 'VL', 'VH', 'VL'],
  framework_regions: { ch: 'A', cl: 'A' },
};

test('largest experiment: 5,000 sequences of 3,000 residues, or 5,000 with all metadata → accepted without a stall', async () => {
  const bodies = [createLibrary(5_000, 3_000), createLibrary(5_000, 250, METADATA)].map((sequences) =>
    createBody({ sequences }),
  );
  const asking = bodies.map(
    (one) => () =>
      ask('POST', '/experiments', { body: one, headers: { 'idempotency-key': crypto.randomUUID() } }),
  );
  const held = await stallMs(asking, (answer) => expectStatus(answer, 201));
  assert.ok(held < STALL_MS_MAX, `${held.toFixed(0)} ms`);
});

test('idempotency_key: a large creation is repeated → the same answer and one experiment', async () => {
  const large = createBody({ sequences: createLibrary(400, 3_000) });
  const headers = { 'idempotency-key': 'the-same' };
  const first = expectStatus(await ask('POST', '/experiments', { body: large, headers }), 201);
  const again = expectStatus(await ask('POST', '/experiments', { body: large, headers }), 201);
  assert.equal(again.body.experiment_id, first.body.experiment_id);
  const detail = await ask(
    'GET',
    `/experiments/${getText(first.body.experiment_id)}/sequences?sort=name&limit=1`,
  );
  assert.equal(Number(detail.body.total), 400);
});

test('invalid_experiment: a large body that is wrong everywhere → refused without a stall', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 14_000 }, (_, index) => [`field-${index}`, 1]));
  const wrong = Object.fromEntries(
    Object.keys(createLibrary(5_000, 10)).map((name) => [name, { aa_string: 7, other: 1 }]),
  );
  const bodies = [createBody(unknown), createBody({ sequences: wrong })];
  const asking = bodies.map((one) => () => ask('POST', '/experiments/validate', { body: one, token }));
  const held = await stallMs(asking, (answer) => expectFailure(answer, 400, 'invalid_experiment'));
  assert.ok(held < STALL_MS_MAX, `${held.toFixed(0)} ms`);
});
