/** What operations do, as their definitions say it, and the hints that doors make of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesSomething, type Effect, type Operation } from '#core/operation.ts';
import { runAtOnce } from '#core/slices.ts';
import { createTools } from '#transports/mcp/tools.ts';
import { writeOpenapi } from '#transports/openapi/document.ts';
import { bindings } from '#transports/operations.ts';

const EFFECTS: ReadonlySet<Effect> = new Set(['read', 'reversible', 'irrevocable', 'spends']);

/** What staff and clients would regret most; whoever weakens one of these changes this table on purpose. */
const expected: Readonly<Record<string, Effect>> = {
  whoami: 'read',
  list_experiments: 'read',
  validate_exp: 'read',
  cost_estimate: 'read',
  modify_exp: 'reversible',
  submit_experiment: 'reversible',
  invite_member: 'reversible',
  add_raw_file: 'reversible',
  delete_exp: 'irrevocable',
  cancel_exp: 'irrevocable',
  reject_exp: 'irrevocable',
  reject_quote: 'irrevocable',
  withdraw_quote: 'irrevocable',
  void_invoice: 'irrevocable',
  mark_invoice_uncollectible: 'irrevocable',
  reissue_invoice: 'irrevocable',
  record_refund: 'irrevocable',
  release_results: 'irrevocable',
  remove_member: 'irrevocable',
  revoke_token: 'irrevocable',
  // With `auto_accept_quote` it accepts the quote, and the worst case counts.
  create_exp: 'spends',
  confirm_quote: 'spends',
  confirm_experiment_quote: 'spends',
  pay_invoice: 'spends',
  refund_invoice: 'spends',
  retry_refund: 'spends',
  cancel_exp_by_staff: 'spends',
};

const operations = bindings.map(({ operation }) => operation);
const tools = runAtOnce(createTools(bindings));

test('effect: every operation → declares one', () => {
  const without = operations.filter(({ effect }) => !EFFECTS.has(effect));
  assert.deepEqual(without, []);
  assert.ok(operations.length >= 102);
});

test('effect: the worst that a call can do → the effect of its operation', () => {
  const declared = new Map(operations.map(({ id, effect }) => [id, effect]));
  for (const [id, effect] of Object.entries(expected)) assert.equal(declared.get(id), effect, id);
});

test('effect: a GET → read; an operation that writes → not read', () => {
  for (const { operation, kind } of bindings) {
    assert.equal(changesSomething(operation), kind === 'write' || kind === 'outward', operation.id);
    if (operation.method === 'GET') assert.equal(operation.effect, 'read', operation.id);
  }
});

test('effect: irrevocable or spending → destructiveHint, read → readOnlyHint', () => {
  for (const { binding, tool } of tools.values()) {
    const { effect, id } = binding.operation;
    assert.equal(tool.annotations?.destructiveHint, effect === 'irrevocable' || effect === 'spends', id);
    assert.equal(tool.annotations?.readOnlyHint, effect === 'read', id);
    if (effect === 'read') assert.equal(tool.annotations?.idempotentHint, true, id);
  }
});

test('effect: spending → the first sentence of the tool says that it commits money, and no other does', () => {
  for (const { binding, tool } of tools.values()) {
    const { effect, id } = binding.operation;
    const [first = ''] = (tool.description ?? '').split('. ');
    assert.equal(/^Commits money\b/.test(first), effect === 'spends', `${id}: ${first}`);
  }
  const create = tools.get('create_exp')?.tool.description ?? '';
  assert.match(create, /^Commits money when `auto_accept_quote` is true: create an experiment\. /);
});

test('effect: any operation → the same word in the OpenAPI document', () => {
  const { paths }: { paths: Record<string, Record<string, object>> } = JSON.parse(
    runAtOnce(writeOpenapi(bindings)),
  );
  for (const { path, method, effect, id } of operations) {
    const described = paths[path]?.[method.toLowerCase()];
    assert.ok(described !== undefined && 'x-effect' in described, id);
    assert.equal(described['x-effect'], effect, id);
  }
});

const isStream = ({ media = [] }: Operation): boolean => media.includes('text/event-stream');

test('list: an operation whose query takes a filter and a limit → says what can be filtered, and no other does', () => {
  for (const { id, query, list } of operations.filter((operation) => !isStream(operation))) {
    const { filter, limit } = query?.properties ?? {};
    assert.equal(list !== undefined, filter !== undefined && limit !== undefined, id);
  }
});

test('tool: every operation → a tool, unless it takes the bytes of a file or has no end', () => {
  const without = operations.filter(({ id }) => !tools.has(id));
  assert.deepEqual(
    without.map(({ id }) => id),
    operations
      .filter((operation) => operation.upload !== undefined || isStream(operation))
      .map(({ id }) => id),
  );
});
