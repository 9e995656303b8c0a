import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createBuilders, expectStatus, VHH } from '#testing/builders.ts';
import { createFreshRequest, fillCaller, prepareRecords } from '#testing/requests.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';
import { nameListed } from '#testing/webhook-requests.ts';
import { QUICKLY_COMPILED } from '#testing/validators.ts';
import { bindings } from '#transports/operations.ts';
import { clientKinds, connect, listen, type ClientKind, type ToolClient } from './mcp-clients.ts';

const service = await testService();
const withTool = bindings.filter(({ operation }) => operation.isTool !== false);
const address = await listen(service);
const build = await createBuilders(service);
const { ask, issueToken, runLab, token } = service;

// Opened here, because what a test opens ends with it.
const clients = new Map<ClientKind, ToolClient>();
for (const kind of clientKinds) clients.set(kind, await connect(kind, address, token, '/mcp/?tools=all'));

function getClient(kind: ClientKind = 'newest'): ToolClient {
  const client = clients.get(kind);
  if (client === undefined) throw new Error(`no ${kind} client`);
  return client;
}

const listed = new Map<ClientKind, Promise<readonly Json[]>>();

/** The tools as a client of the kind reads them; once, because a client compiles the schemas that it reads. */
function listToolsOnce(kind: ClientKind = 'newest'): Promise<readonly Json[]> {
  const tools = listed.get(kind) ?? getClient(kind).listTools();
  listed.set(kind, tools);
  return tools;
}

/** Compiles schemas of arguments once for all tests; those of answers a client compiles. */
const ajv = new Ajv2020({ strict: false, ...QUICKLY_COMPILED, validateSchema: true });
addFormats.default(ajv);

const listNames = (tools: readonly Json[]): string[] => tools.map((tool) => getText(tool.name)).sort();

async function succeed(caller: ToolClient, name: string, given = {}): Promise<Json> {
  const answer = await caller.call(name, given);
  assert.equal(answer.isError, false, `${name}: ${answer.text}`);
  return answer.body;
}

/** The arguments that a note of the answer names as read from text. */
function listReadPaths({ blocks }: Awaited<ReturnType<ToolClient['call']>>): (string | undefined)[] {
  const notes = getItems(blocks).slice(1);
  return notes.map((block) => /^Note: (\S+) arrived as JSON text/.exec(getText(block.text))?.[1]);
}

for (const kind of clientKinds) {
  test(`${kind} client: the list of tools → every permitted operation, and an empty list of resources`, async () => {
    const caller = getClient(kind);
    assert.equal(caller.getVersion(), kind === 'newest' ? '2026-07-28' : '2025-11-25');
    assert.deepEqual(
      listNames(await listToolsOnce(kind)),
      withTool.map(({ operation }) => operation.id).sort(),
    );
    assert.deepEqual(await caller.listResources(), []);
  });

  test(`${kind} client: an order by tools alone → goes from the target to the results`, async () => {
    const caller = getClient(kind);
    await listToolsOnce(kind);
    const found = await succeed(caller, 'list_targets', { search: 'EGFR', selfservice_only: true, limit: 5 });
    const spec = {
      experiment_type: 'affinity',
      method: 'bli',
      target_id: getItems(found.items)[0]?.id,
      n_replicates: 1,
      sequences: { one: VHH, two: { aa_string: `${VHH}W`, control: false } },
      parameters: { sandbox: { force: 'binder' } },
    };
    const estimate = await succeed(caller, 'cost_estimate', { experiment_spec: spec });
    const created = await succeed(caller, 'create_exp', { name: kind, experiment_spec: spec });
    const experiment = { experiment_id: getText(created.experiment_code) };
    assert.equal((await succeed(caller, 'submit_experiment', experiment)).status, 'quote_sent');
    const quote = await succeed(caller, 'get_quote_metadata', experiment);
    assert.equal(JSON.stringify(estimate).includes(JSON.stringify(quote.amount_total)), true);
    const order = { ...experiment, purchase_order_number: 'PO-7' };
    const confirmed = await succeed(caller, 'confirm_experiment_quote', order);
    await succeed(caller, 'record_bank_transfer', { invoice_id: confirmed.invoice_id });
    await runLab();
    assert.equal((await succeed(caller, 'get_exp_info', experiment)).status, 'done');
    const results = await succeed(caller, 'get_experiment_results', experiment);
    assert.equal(results.total, 2);
    const result = { result_id: getItems(results.items)[0]?.id };
    const curves = await succeed(caller, 'get_result_curves', result);
    assert.ok(getItems(curves.curves).length > 0);
    const plot = await caller.call('get_result_plot', result);
    const [block] = getItems(plot.blocks);
    assert.equal(block?.type, 'resource');
    assert.equal(block?.resource?.mimeType, 'image/svg+xml');
    assert.match(getText(block?.resource?.text), /^<svg/);
    assert.equal(
      getText(block?.resource?.uri),
      `${address}/api/v1/results/${getText(result.result_id)}/plot.svg`,
    );
  });
}

test('structured content: any answer of a tool → equals the JSON of its text and the body of REST', async () => {
  const { code } = await build.create();
  const answer = await getClient().call('get_exp_info', { experiment_id: code });
  assert.deepEqual(answer.structured, answer.body);
  assert.deepEqual(answer.body, (await ask('GET', `/experiments/${code}`)).body);
});

test('schemas: every tool → has valid schemas, a description and annotations', async () => {
  for (const tool of await listToolsOnce()) {
    const name = getText(tool.name);
    assert.ok(getText(tool.description).length > 3, name);
    assert.doesNotMatch(getText(tool.description), /\bheader\b|Accept:/, name);
    assert.equal(tool.inputSchema?.additionalProperties, false, name);
    for (const one of [tool.inputSchema, tool.outputSchema]) assert.ok(ajv.validateSchema(one ?? {}), name);
    assert.equal(typeof tool.annotations?.readOnlyHint, 'boolean', name);
  }
});

test('schemas: the example of every operation → its tool accepts it', async () => {
  const tools = new Map((await listToolsOnce()).map((tool) => [tool.name as unknown, tool]));
  for (const { operation } of withTool) {
    const { params, query, body } = operation.example;
    const args = { ...params, ...query, ...(typeof body === 'object' ? body : {}) };
    const schema = tools.get(operation.id)?.inputSchema;
    assert.ok(schema !== undefined, operation.id);
    const isValid = ajv.compile(schema);
    assert.ok(isValid(args), `${operation.id}: ${ajv.errorsText(isValid.errors)}`);
  }
});

test('annotations: a reading tool and an irrevocable one → readOnlyHint and destructiveHint', async () => {
  const hints = new Map(
    (await listToolsOnce()).map((tool) => [getText(tool.name), tool.annotations as unknown]),
  );
  const base = { openWorldHint: false };
  const read = { ...base, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  const write = { ...base, readOnlyHint: false, destructiveHint: false, idempotentHint: false };
  assert.deepEqual(hints.get('list_experiments'), read);
  assert.deepEqual(hints.get('cost_estimate'), read);
  assert.deepEqual(hints.get('submit_experiment'), write);
  assert.deepEqual(hints.get('create_exp'), { ...write, destructiveHint: true });
  assert.deepEqual(hints.get('modify_exp'), { ...write, idempotentHint: true });
  assert.deepEqual(hints.get('delete_exp'), { ...write, destructiveHint: true, idempotentHint: true });
  assert.deepEqual(hints.get('cancel_exp'), { ...write, destructiveHint: true });
  assert.deepEqual(hints.get('confirm_quote'), { ...write, destructiveHint: true });
  assert.deepEqual(hints.get('refund_invoice'), { ...write, destructiveHint: true });
});

test('permission_denied: a viewer → sees no writing tool but attenuate_token and update_notifications, and a hidden one answers as REST does', async () => {
  const viewer = await issueToken({ role: 'viewer' });
  const caller = await connect('newest', address, viewer);
  const tools = await caller.listTools();
  const unseen = tools.filter((tool) => JSON.stringify(tool.annotations?.readOnlyHint) === 'false');
  assert.deepEqual(listNames(unseen).sort(), ['attenuate_token', 'update_notifications']);
  const refused = await caller.call('create_exp', build.createBody());
  const rest = await ask('POST', '/experiments', { token: viewer, body: build.createBody() });
  assert.equal(refused.isError, true);
  assert.deepEqual(removeId(refused.body), removeId(rest.body));
});

function removeId(body: Json): unknown {
  return { ...body, request_id: typeof body.request_id };
}

test('errors: a tool fails → the code, the sentence and the problems of REST', async () => {
  const caller = getClient('old');
  // The client holds what comes against the schema of the success, if it has read the list.
  await listToolsOnce('old');
  const broken = { name: 'x', experiment_spec: { experiment_type: 'nonsense', sequences: { a: 'B1' } } };
  const { code } = await build.create();
  const pairs = [
    ['create_exp', broken, await ask('POST', '/experiments', { body: broken })],
    ['create_exp', {}, await ask('POST', '/experiments', { body: {} })],
    ['get_exp_info', { experiment_id: 'NOPE' }, await ask('GET', '/experiments/NOPE')],
    ['get_result_info', { result_id: 'x' }, await ask('GET', '/results/x')],
    ['list_experiments', { filter: 'eq(nope,1)' }, await ask('GET', '/experiments?filter=eq(nope,1)')],
    ['list_experiments', { limit: 1000 }, await ask('GET', '/experiments?limit=1000')],
    [
      'confirm_experiment_quote',
      { experiment_id: code },
      await ask('POST', `/experiments/${code}/quote/confirm`, { body: {} }),
    ],
  ] as const;
  for (const [name, given, rest] of pairs) {
    assert.ok(rest.status >= 400, rest.text);
    const answer = await caller.call(name, given);
    assert.equal(answer.isError, true, answer.text);
    assert.equal(answer.structured, undefined);
    assert.deepEqual(removeId(answer.body), removeId(rest.body), name);
  }
});

test('payment_method: the argument of a tool → acts as the header of REST', async () => {
  const caller = getClient();
  const refused = await caller.call('create_exp', { ...build.createBody(), payment_method: 'barter' });
  assert.equal(refused.body.code, 'unknown_payment_method');
  const valid = await caller.call('validate_exp', { ...build.createBody(), payment_method: 'async_invoice' });
  assert.equal(valid.body.valid, true, valid.text);
});

test('idempotency_key: a tool and REST send the same key → one effect and one answer', async () => {
  const caller = getClient();
  const args = { ...build.createBody(), idempotency_key: 'mcp-once-1' };
  const first = await succeed(caller, 'create_exp', args);
  assert.deepEqual(await succeed(caller, 'create_exp', args), first);
  const headers = { 'idempotency-key': 'mcp-once-1' };
  const byRest = await ask('POST', '/experiments', { body: build.createBody(), headers });
  assert.deepEqual(expectStatus(byRest, 201).body, first);
  const other = await caller.call('create_exp', { ...args, name: 'another' });
  assert.equal(other.body.code, 'idempotency_key_reused');
});

test('audit: a write by a tool → one row, as for a write by REST', async () => {
  const { read } = service.service.database;
  const count = async (): Promise<number> =>
    Number((await read.query<{ n: string }>('select count(*) as n from audit_log'))[0]?.n);
  const before = await count();
  await succeed(getClient(), 'create_exp', build.createBody());
  assert.equal(await count(), before + 1);
});

test('answers without a body: a tool deletes a draft → "Done.", and the draft is gone', async () => {
  const caller = getClient('old');
  await listToolsOnce('old');
  const { code } = await build.create();
  const deleted = await caller.call('delete_exp', { experiment_id: code });
  assert.deepEqual([deleted.isError, deleted.text], [false, 'Done.']);
  assert.equal((await ask('GET', `/experiments/${code}`)).status, 404);
});

test('branding: a tool answers in a branded lab → the lab’s field names stand beside the canonical ones', async () => {
  const branded = await testService({ PROVIDER_FIELD_ALIAS: 'acme', BRAND_HEADER_PREFIX: 'X-Acme' });
  // This client compiles the schema of the one tool that it calls, and holds the answer against it.
  const caller = await connect('newest', await listen(branded), branded.token);
  await caller.listTools();
  const { id } = await (await createBuilders(branded)).createQuoted();
  const { structured } = await caller.call('get_exp_info', { experiment_id: id });
  assert.match(getText(structured?.provider_quote_id), /^qt_/);
  assert.equal(structured?.acme_quote_id, structured?.provider_quote_id);
});

test('JSON text: an object or a list that arrives as text → is read as JSON, and a note says so', async () => {
  const caller = getClient();
  const { experiment_spec: spec } = build.createBody();
  const sequences = JSON.stringify([{ name: 'one', aa_string: VHH }]);
  const text = JSON.stringify({ ...spec, sequences, antigen_concentrations: null });
  const estimate = await caller.call('cost_estimate', { experiment_spec: text });
  assert.equal(estimate.isError, false, estimate.text);
  assert.deepEqual(listReadPaths(estimate), ['experiment_spec', 'experiment_spec.sequences']);
  assert.deepEqual(estimate.structured, estimate.body);
  const { code } = await build.create();
  await succeed(caller, 'add_sequences', { experiment_code: code, sequences: JSON.stringify({ two: VHH }) });
});

test('JSON text: an object that may be null arrives as text → is read as JSON, and a note says so', async () => {
  const caller = getClient();
  const feedback = {
    feedback_type: 'feedback',
    request_uuid: randomUUID(),
    title: '{',
    json_body: '{"a":1}',
  };
  assert.deepEqual(listReadPaths(await caller.call('submit_feedback', feedback)), ['json_body']);
});

test('invalid_request: text that is no JSON, or too deep, in place of an object → names the argument', async () => {
  const caller = getClient();
  for (const text of ['{"experiment_type": affinity', '['.repeat(2_000), '{"a":1,"a":2}']) {
    const refused = await caller.call('cost_estimate', { experiment_spec: text });
    assert.equal(refused.isError, true);
    assert.equal(getItems(refused.body.problems)[0]?.path, 'experiment_spec', refused.text);
    assert.match(refused.text, /must not be text/);
  }
  // Text stays text where text is meant, and nothing else is converted.
  const { id } = await build.create();
  await succeed(caller, 'modify_exp', { experiment_id: id, name: '{"a":1}' });
  assert.equal((await succeed(caller, 'get_exp_info', { experiment_id: id })).name, '{"a":1}');
  const unsure = await caller.call('create_exp', { ...build.createBody(), auto_accept_quote: 'true' });
  assert.match(unsure.text, /auto_accept_quote/);
  assert.equal(unsure.isError, true);
});

test('wrapper: arguments without their wrapper, or within one too many → each says where it belongs', async () => {
  const caller = getClient();
  const body = build.createBody();
  const bare = await caller.call('create_exp', { name: 'bare', ...body.experiment_spec });
  const problems = getItems(bare.body.problems).map(({ path, message }) => [path, message] as unknown);
  assert.deepEqual(problems, [
    ['experiment_spec', 'is required'],
    ...Object.keys(body.experiment_spec).map((field) => [
      field,
      'is not a known field here; put this under experiment_spec',
    ]),
  ]);
  const wrapped = await caller.call('create_exp', { body });
  assert.match(wrapped.text, /"path":"body","message":"[^"]*put what it holds in its place, without body"/);
  const list = await caller.call('list_quotes', { status: 'open' });
  assert.match(list.text, /compare fields with `filter`, such as and\(eq\(status,draft\)/);
});

test('examples: every tool with arguments → publishes one that its own schema accepts', async () => {
  for (const { name, inputSchema } of await listToolsOnce()) {
    if (inputSchema === undefined) throw new Error(`${getText(name)} has no schema`);
    const { required = [] } = inputSchema as { required?: readonly string[] };
    const examples = inputSchema.examples === undefined ? [] : getItems(inputSchema.examples);
    assert.ok(examples.length > 0 || required.length === 0, getText(name));
    for (const example of examples) assert.ok(ajv.validate(inputSchema, example), getText(name));
  }
});

test('examples: the filter in the description of each list, and in its example → the list takes it', async () => {
  const tools = new Map((await listToolsOnce()).map((tool) => [getText(tool.name), tool]));
  const [{ code }, webhookId] = [await build.createInvoiced(), await build.createWebhook()];
  for (const { operation } of withTool.filter((each) => each.operation.list !== undefined)) {
    const description = getText(tools.get(operation.id)?.inputSchema?.properties?.filter?.description);
    const shown = /such as `([^`]+)`/.exec(description)?.[1];
    const filters = [shown, operation.example.query?.filter].filter((filter) => filter !== undefined);
    assert.ok(filters.length > 0, operation.id);
    const params = nameListed(operation, { code, webhookId });
    for (const filter of filters) await succeed(getClient(), operation.id, { ...params, filter });
  }
});

/** Arguments of an example that only a living record, a secret or a whole file can replace. */
const LIVING = /(?:^|_)(?:id|code|country|email|number|token|base64)$|^(?:materials|request|plan|decisions)$/;

test('examples: every tool, with its example and ids that exist → does what it says', async () => {
  const records = await prepareRecords(service, build);
  const failed: string[] = [];
  const usual = getClient();
  for (const { operation } of withTool) {
    const { id, path, tag, example } = operation;
    const isOfTokens = tag === 'tokens';
    const own = isOfTokens ? await issueToken() : token;
    const request = await createFreshRequest(operation, build, records);
    const living = readArguments(path, fillCaller(request.path, { token: own }));
    const { params, query, body } = example;
    const args: Record<string, unknown> = {
      ...params,
      ...query,
      ...(typeof body === 'object' ? body : {}),
      ...living,
      ...readTexts(request.path, { ...query }),
    };
    const sent: Json = JSON.parse(fillCaller(JSON.stringify(request.body ?? {}), { token: own }));
    for (const name of Object.keys(args))
      if (LIVING.test(name) && !(name in living)) args[name] = sent[name] ?? null;
    const client = isOfTokens ? await connect('newest', address, own) : usual;
    const answer = await client.call(id, args);
    if (answer.isError) failed.push(`${id} ${JSON.stringify(args)}: ${answer.text}`);
  }
  assert.deepEqual(failed, []);
});

/** The parameters of a path that was made from its template. */
function readArguments(template: string, path: string): Readonly<Record<string, string>> {
  const [plain = ''] = path.split('?');
  const pattern = template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { ...new RegExp(`^${pattern}$`).exec(plain)?.groups };
}

/** The texts of a query in place of those of the example. */
function readTexts(path: string, query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const asked = [...new URL(path, 'http://localhost').searchParams];
  return Object.fromEntries(asked.filter(([name]) => typeof query[name] === 'string'));
}

test('guide: every tool that the guide names → exists', () => {
  const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## The tools$(.*?)^The parameters of path/ms.exec(guide) ?? [];
  const named = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const known = new Set(bindings.map(({ operation }) => operation.id));
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
});

test('looks_like_dna: DNA as an argument of a tool → refused with the code and the way out', async () => {
  const caller = getClient();
  const dna = 'ATGAGCAAAGGCGAAGAACTGTTTACCGGC';
  const answer = await caller.call('validate_exp', {
    name: 'gene',
    experiment_spec: { experiment_type: 'expression', sequences: { gene: dna } },
  });
  assert.equal(answer.isError, true);
  assert.match(answer.text, /"code":"looks_like_dna"/);
  assert.match(answer.text, /Translate it with the standard genetic code/);
});
