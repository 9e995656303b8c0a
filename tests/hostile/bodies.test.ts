import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Binding } from '#features/binding.ts';
import { bindings } from '#transports/operations.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  listProblemPaths,
  createSequences,
  VHH,
} from '#testing/builders.ts';
import { createRecordedService } from '#testing/recorder.ts';
import { createUnknownRequest } from '#testing/requests.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { createBody, create } = await createBuilders(service);

const withBody = bindings.filter(({ operation }) => operation.body !== undefined);

test('body_too_deep: 10,000 levels of lists or objects, also behind a string that looks like them → 400', async () => {
  const deep = [
    '['.repeat(10_000) + ']'.repeat(10_000),
    '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
    `{"name":"\\"[[","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  ];
  for (const payload of deep)
    expectFailure(await ask('POST', '/experiments', { payload }), 400, 'body_too_deep');
  const shallow = { ...createBody(), note: '['.repeat(10_000) };
  expectStatus(await ask('POST', '/experiments', { body: shallow }), 201);
});

function createKeys(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
}

test('body_too_complex: one million keys beside a creation or inside it → 400', async () => {
  // Written as text: to make and write an object of so many keys takes longer than to refuse it.
  const many = Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(',');
  const place = (body: unknown): string => JSON.stringify(body).replace('"many":1', many);
  const refused = [
    await ask('POST', '/experiments', { payload: place(createBody({}, { many: 1 })) }),
    await ask('POST', '/experiments', { payload: place(createBody({ many: 1 })) }),
    await ask('POST', '/experiments', { payload: place(createBody({ sequences: { many: 1 } })) }),
    await ask('POST', '/sequences', { payload: place({ many: 1 }) }),
  ];
  for (const answer of refused) expectFailure(answer, 400, 'body_too_complex');
});

test('invalid_experiment: 12,000 unknown keys → tolerated beside a creation, at most 100 problems inside it', async () => {
  expectStatus(await ask('POST', '/experiments', { body: createBody({}, createKeys(12_000)) }), 201);
  const inside = await ask('POST', '/experiments', { body: createBody(createKeys(12_000)) });
  expectFailure(inside, 400, 'invalid_experiment');
  assert.ok(getItems(inside.body.problems).length <= 100);
});

test('unprocessable_experiment: 400 bad sequences → 100 problems are listed', async () => {
  const bad = Object.fromEntries(Object.keys(createSequences(400)).map((name) => [name, 'ACX']));
  const answer = await ask('POST', '/experiments', { body: createBody({ sequences: bad }) });
  assert.equal(getItems(expectFailure(answer, 422, 'unprocessable_experiment').body.problems).length, 100);
});

test('malformed_json: broken JSON → 400 that never repeats what was sent', async () => {
  for (const payload of [
    '{',
    '{"a":1,}',
    '{"a":secret}',
    '\u0000',
    '{"a":"\t"}',
    'secret',
    '{"a":1}}',
    'NaN',
  ]) {
    const answer = expectFailure(await ask('POST', '/experiments', { payload }), 400, 'malformed_json');
    assert.doesNotMatch(answer.text, /secret/);
  }
});

test('invalid_request: JSON that is not an object → 400 at every operation with a body', async () => {
  for (const payload of ['null', '[]', '1', '"text"', 'true']) {
    for (const { operation } of withBody) {
      const answer = await ask(operation.method, createUnknownRequest(operation).path, { payload });
      assert.equal(answer.status, 400, `${operation.id} ${payload} ${answer.text}`);
    }
  }
});

test('body_not_json: any media type but JSON, with or without a body → 415', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'json',
    '',
  ];
  for (const type of types) {
    const answer = await ask('POST', '/experiments', { payload: '{}', headers: { 'content-type': type } });
    expectFailure(answer, 415, 'body_not_json');
  }
  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ]) {
    const payload = JSON.stringify(createBody());
    expectStatus(await ask('POST', '/experiments', { payload, headers: { 'content-type': type } }), 201);
  }
});

/** Every text inside a value, replaced one at a time by another. */
function* withText(value: unknown, text: string): Generator {
  if (typeof value === 'string') yield text;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const changed of withText(item, text)) yield value.with(index, changed);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      for (const changed of withText(item, text)) yield { ...value, [key]: changed };
      yield { ...value, [key + text]: item };
    }
  }
}

const FULL_CREATION = createBody(
  {
    sequences: {
      a: VHH,
      b: {
        aa_string: VHH,
        metadata: {
          type: 'FAB',
          VH: 'A',
          VL: 'A',
          linker: 'G',
          framework_regions: { ch: 'A', cl: 'A' },
          chain_order: ['VH'],
        },
      },
    },
    parameters: { note: 'text', list: ['text', { deep: 'text' }] },
    requested_target: {
      name: 'n',
      sequence: 's',
      uniprot_id: 'u',
      pdb_id: 'p',
      vendor: 'v',
      catalog_number: 'c',
      note: 'n',
    },
  },
  { description: 'd', webhook_url: 'https://example.org/', webhook_secret: 's', anything: 'else' },
);

const FULL_CHANGE = {
  name: 'n',
  description: 'd',
  parameters: { note: 'text' },
  sequences: [{ name: 'a', aa_string: VHH, metadata: { VH: 'A' } }],
  webhook_url: 'https://example.org/',
  webhook_secret: 's',
};

test('invalid_request: NUL or half a surrogate pair in any text of any body → 400', async () => {
  const { id } = await create();
  for (const bad of ['a\u0000b', '\ud800', 'x\udc00']) {
    for (const { operation } of withBody) {
      const bodies = [operation.example.body ?? {}];
      if (operation.id === 'create_exp' || operation.id === 'validate_exp') bodies.push(FULL_CREATION);
      if (operation.id === 'modify_exp') bodies.push(FULL_CHANGE);
      const path = operation.path.replaceAll(/\{\w+\}/g, id);
      for (const changed of bodies.flatMap((one) => [...withText(one, bad)]))
        expectFailure(await ask(operation.method, path, { body: changed }), 400, 'invalid_request');
    }
  }
});

test('invalid_request: __proto__ as a name, however it is written → 400 and no prototype is changed', async () => {
  const { id } = await create();
  const payloads = [
    '{"__proto__":{"name":"x"}}',
    '{"\\u005f_proto__":{"name":"x"}}',
    '{"parameters":{"__proto__":{"polluted":true}}}',
  ];
  for (const payload of payloads) {
    const answer = await ask('PATCH', `/experiments/${id}`, { payload });
    expectFailure(answer, 400, 'invalid_request');
    assert.match(listProblemPaths(answer).join(), /__proto__/);
  }
  const named = JSON.stringify(createBody()).replace('design-1', '__proto__');
  expectFailure(await ask('POST', '/experiments', { payload: named }), 400, 'invalid_request');
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  for (const name of ['constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const created = await create(createBody({ sequences: { [name]: VHH }, parameters: { [name]: 1 } }));
    const { body: detail } = await ask('GET', `/experiments/${created.id}`);
    assert.deepEqual(Object.keys(detail.experiment_spec.sequences), [name]);
  }
});

const FORBIDDEN = { organization_id: 'x', status: 'paid', amount_cents: 1, total_cents: 1, role: 'admin' };

function listFields({ body: schema }: Binding['operation']): string[] {
  return schema !== undefined && 'properties' in schema ? Object.keys(Object(schema.properties)) : [];
}

test('invalid_request: fields that a client may not set → refused by name everywhere but beside a creation', async () => {
  const { id } = await create();
  for (const { operation } of withBody) {
    if (operation.id === 'create_exp' || operation.id === 'validate_exp') continue;
    for (const [field, value] of Object.entries(FORBIDDEN)) {
      const example = Object.entries(operation.example.body ?? {});
      // A token to be made has a role of its own, a refund an amount.
      if (listFields(operation).includes(field)) continue;
      const body = Object.fromEntries([...example, [field, value]]);
      const query = new URLSearchParams();
      for (const [name, each] of Object.entries(operation.example.query ?? {})) query.set(name, String(each));
      const numbered = operation.path.replaceAll('{job_id}', '1');
      const path = `${numbered.replaceAll(/\{\w+\}/g, id)}?${query.toString()}`;
      const answer = await ask(operation.method, path, { body });
      assert.equal(answer.status, 400, `${operation.id} ${field} ${answer.text}`);
      assert.deepEqual(listProblemPaths(answer), [field]);
    }
  }
  const spec = await ask('POST', '/experiments', { body: createBody({ ...FORBIDDEN }) });
  assert.deepEqual(
    listProblemPaths(spec),
    Object.keys(FORBIDDEN)
      .map((field) => `experiment_spec.${field}`)
      .sort(),
  );
});

test('GET: a request with a body → changes nothing and never fails with a 5xx', async () => {
  const before = (await ask('GET', '/experiments')).body.total;
  for (const { operation } of bindings.filter((binding) => binding.operation.method === 'GET')) {
    const { path } = createUnknownRequest(operation);
    const answer = await ask(operation.method, path, { payload: '{"name":"x"}' });
    assert.ok(answer.status < 500 || answer.status === 501, `${operation.id} ${answer.text}`);
  }
  assert.equal((await ask('GET', '/experiments')).body.total, before);
});

/** Line breaks, a tab, the separator of lines, and characters that nobody sees, each with what the refusal says. */
const BREAKS: readonly (readonly [found: string, says: RegExp])[] = [
  ...['\r', '\n', '\t', '\u2028'].map((found) => [found, /control characters/] as const),
  ['\u202e', /contains the invisible character U\+202E at position 2; remove it/],
  ['\u200b', /contains the invisible character U\+200B at position 2; remove it/],
  ['\u200d', /contains the invisible character U\+200D at position 2; remove it/],
  ['\u{e0041}', /contains the invisible character U\+E0041 at position 2; remove it/],
];

test('invalid_request: control or invisible characters in a text of one line → refused at its field; other letters → accepted', async () => {
  const quoted = await create();
  const token = { role: 'viewer', expires_in: '7d' };
  const spec = (changes: object) => ({ ...createBody().experiment_spec, ...changes });
  const requested = (changes: object) =>
    spec({ target_id: null, requested_target: { name: 'EGFR', ...changes } });
  const cases: readonly (readonly [path: string, field: string, write: (text: string) => object])[] = [
    ['/experiments', 'name', (name) => ({ ...createBody(), name })],
    ['/experiments/validate', 'name', (name) => ({ ...createBody(), name })],
    [`/experiments/${quoted.code}/clone`, 'name', (name) => ({ name })],
    [
      '/experiments/validate',
      'experiment_spec.requested_target.vendor',
      (vendor) => ({ ...createBody(), experiment_spec: requested({ vendor }) }),
    ],
    [
      '/experiments/validate',
      'experiment_spec.sequences',
      (name) => ({ ...createBody(), experiment_spec: spec({ sequences: { [name]: VHH } }) }),
    ],
    ['/tokens', 'name', (name) => ({ ...token, name })],
    [
      `/experiments/${quoted.code}/quote/confirm`,
      'purchase_order_number',
      (purchase_order_number) => ({ purchase_order_number }),
    ],
    ['/lab/tax-rates', 'name', (name) => ({ country: 'DE', name, treatment: 'none', rate_basis_points: 0 })],
  ];
  for (const [path, field, write] of cases) {
    for (const [found, says] of BREAKS) {
      const story = `${path} ${field} ${JSON.stringify(found)}`;
      const refused = await ask('POST', path, { body: write(`a${found}b`) });
      assert.ok(refused.status === 400 || refused.status === 422, `${story}: ${refused.text}`);
      assert.ok(
        listProblemPaths(refused).some((problem) => problem.startsWith(field)),
        `${story}: ${refused.text}`,
      );
      assert.match(refused.text, says, story);
    }
    const other = await ask('POST', path, { body: write('Grüße 抗体 “x” می\u200cخواهم 👩\u200d🔬') });
    assert.ok(!JSON.stringify(other.body).includes(`"path":"${field}`), `${path}: ${other.text}`);
  }
});

test('names: an experiment from before has a line break in its name → it is read, and its copy has one line', async () => {
  const { code } = await create();
  await service.service.database.read.query(`update experiments set name = E'a\\r\\nb' where code = $1`, [
    code,
  ]);
  assert.equal(expectStatus(await ask('GET', `/experiments/${code}`), 200).body.name, 'a\r\nb');
  expectStatus(await ask('PATCH', `/experiments/${code}`, { body: { description: 'kept' } }), 200);
  const copy = expectStatus(await ask('POST', `/experiments/${code}/clone`, { body: {} }), 201);
  const read = await ask('GET', `/experiments/${getText(copy.body.experiment_code)}`);
  assert.equal(read.body.name, 'a b (copy)');
});
