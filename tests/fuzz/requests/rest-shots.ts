/** Requests to the operations: right ones, made from their schemas and examples. */
import type { Operation } from '#core/operation.ts';
import { isRecord } from '#core/records.ts';
import type { Binding } from '#features/binding.ts';
import { bindings } from '#transports/operations.ts';
import type { Request } from '#testing/requests.ts';
import type { Caller, Callers } from './callers.ts';
import type { Chance } from './chance.ts';
import { pathPieces, paymentAuthorizations } from './hostile.ts';
import { createTree } from './json-tree.ts';
import type { ListQueries } from './list-queries.ts';
import type { Draft } from './mutate.ts';
import { createExperimentBody } from './orders.ts';
import type { Pool } from './pool.ts';
import { drawValue, type ValueSources } from './schema-values.ts';
import { OWN_PROTEIN, OWN_WORDS, WEBHOOK_SECRET } from './words.ts';

export interface RestSources {
  readonly chance: Chance;
  readonly pool: Pool;
  readonly callers: Callers;
  readonly lists: ListQueries;
  /** A file that the lab's reader understands. */
  readonly rawFile: Buffer;
}

/** Operations that move an order, and those that make something to ask about, come more often. */
const MOVES: Readonly<Record<string, number | undefined>> = {
  create_exp: 10,
  submit_experiment: 7,
  confirm_experiment_quote: 6,
  confirm_quote: 4,
  record_bank_transfer: 5,
  pay_invoice: 5,
  modify_exp: 6,
  add_sequences: 4,
  attenuate_token: 4,
  create_token: 4,
  create_custom_target_request: 3,
  revoke_token: 1,
  revoke_token_by_id: 1,
  remove_member: 1,
};
const USUAL = 2;

/** An answer that goes on would keep its shot; `tests/feed/stream.test.ts` has it. */
const ending = bindings.filter(({ operation }) => operation.media?.includes('text/event-stream') !== true);
const weighted = ending.map((binding) => [MOVES[binding.operation.id] ?? USUAL, binding] as const);

export function pickOperation(chance: Chance): Binding {
  return chance.drawWeighted(weighted);
}

export function createValueSources(
  { chance, pool }: Pick<RestSources, 'chance' | 'pool'>,
  caller: Caller,
): ValueSources {
  return {
    chance,
    pool,
    getWords: () => OWN_WORDS,
    getProtein: () =>
      chance.pick([OWN_PROTEIN, `${OWN_PROTEIN}A`, `${OWN_PROTEIN}:${OWN_PROTEIN}`, 'MKTAYIAKQR']),
    secret: WEBHOOK_SECRET,
    token: caller.token ?? 'asy_test_nonsense',
  };
}

/** Mostly somebody who may. */
export function pickCaller({ permission }: Operation, chance: Chance, callers: Callers): Caller {
  if (chance.isDrawn(20)) return chance.pick(callers.all);
  if (permission.startsWith('lab:')) return callers.getCaller(chance.pick(['staff', 'keeper']));
  if (permission.startsWith('partner:')) return callers.getCaller(chance.pick(['partner', 'keeper']));
  return callers.getCaller(
    chance.drawWeighted([
      [50, 'admin'],
      [12, 'member'],
      [6, 'viewer'],
      [6, 'billing'],
      [14, 'stranger'],
      [4, 'other stranger'],
      [8, 'staff'],
    ]),
  );
}

export function draftRest(binding: Binding, sources: RestSources): Draft {
  const { operation } = binding;
  const { chance } = sources;
  const caller = pickCaller(operation, chance, sources.callers);
  const values = createValueSources(sources, caller);
  const draft: Draft = {
    method: operation.method,
    segments: drawSegments(operation, sources),
    query: drawQuery(operation, sources, values),
    headers: {},
    tree: null,
    bytes: null,
    caller,
    story: [],
  };
  if (operation.upload !== undefined) draft.bytes = sources.rawFile;
  if (operation.body !== undefined) {
    draft.tree = createTree(drawBody(operation, values));
    draft.headers['content-type'] = 'application/json';
  }
  addHeaders(draft, operation, sources);
  return draft;
}

/** The request of a row of the tests' table, on the state that the table made for it. */
export function draftPrepared({ method }: Operation, { path, body, file }: Request, caller: Caller): Draft {
  const [plain = '', query] = path.split('?');
  return {
    method,
    segments: ['api', 'v1', ...plain.split('/').slice(1)],
    query: query === undefined ? [] : query.split('&'),
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    tree: body === undefined ? null : createTree(body),
    bytes: file === undefined ? null : Buffer.from(file),
    caller,
    story: ['prepared'],
  };
}

function drawSegments({ path }: Operation, { chance, pool }: RestSources): string[] {
  const own = path.split('/').slice(1);
  return [
    'api',
    'v1',
    ...own.map((part) => (part.startsWith('{') ? drawParameter(part.slice(1, -1), chance, pool) : part)),
  ];
}

function drawParameter(name: string, chance: Chance, pool: Pool): string {
  if (chance.isDrawn(4)) return chance.pick(pathPieces);
  const known = name === 'name' ? 'plate-1.csv' : pool.pick(name, chance);
  const other = chance.isDrawn(6) ? pool.pickAny(chance) : undefined;
  return encodeURIComponent(other ?? known ?? '01980000-0000-7000-8000-00000000ffff');
}

function drawQuery(
  operation: Operation,
  { chance, pool, lists }: RestSources,
  values: ValueSources,
): string[] {
  const { list } = operation;
  const pairs = list === undefined || chance.isDrawn(30) ? [] : lists.make(list, chance, pool);
  for (const [name, schema] of Object.entries(operation.query?.properties ?? {})) {
    const isOfLists = ['filter', 'sort', 'limit', 'offset', 'search', 'cursor'].includes(name);
    if (isOfLists || !chance.isDrawn(name === 'against' || name === 'view' ? 80 : 25)) continue;
    pairs.push([name, String(drawValue(schema, name, values))]);
  }
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`);
}

/** Half of a surrogate pair has no encoding; what a careless program writes for it stands there instead. */
export function encode(text: string): string {
  return text
    .split(/([\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff])/)
    .map((part) => (part.isWellFormed() ? encodeURIComponent(part) : '%ED%A0%80'))
    .join('');
}

export function drawBody(operation: Operation, values: ValueSources): unknown {
  const { chance } = values;
  if (operation.bodyMode === 'optional' && chance.isDrawn(40)) return {};
  const takesSpec = operation.body !== undefined && 'experiment_spec' in getProperties(operation.body);
  if (takesSpec && chance.isDrawn(85)) return createExperimentBody(operation.id, values);
  const made = drawValue(operation.body, '', values);
  const { body: example } = operation.example;
  if (!isRecord(example) || !isRecord(made) || chance.isDrawn(50)) return made;
  // The example, with the ids that are known here.
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      /_id$|_code$|^token$/.test(name) ? (made[name] ?? value) : value,
    ]),
  );
}

function addHeaders(
  draft: Draft,
  { id, method, media = [] }: Operation,
  { chance, pool }: RestSources,
): void {
  const { caller, headers } = draft;
  if (method !== 'GET' && chance.isDrawn(12)) headers['idempotency-key'] = `key-${chance.drawBelow(400)}`;
  if (chance.isDrawn(8))
    headers.accept = chance.pick(['application/problem+json', ...media, 'application/json']);
  if (id !== 'pay_invoice' && id !== 'create_exp' && id !== 'validate_exp') return;
  if (chance.isDrawn(40))
    headers['x-service-payment-method'] = chance.pick(['mpp-spt', 'x402-exact', 'async_invoice']);
  if (id !== 'pay_invoice' || caller.token === null || !chance.isDrawn(40)) return;
  const spt = pool.pick('spt', chance);
  const credential = Buffer.from(JSON.stringify({ challenge: {}, payload: { spt } })).toString('base64url');
  headers['x-service-api-key'] = caller.token;
  headers.authorization = chance.pick([`Payment ${credential}`, ...paymentAuthorizations]);
}

function getProperties(schema: object): object {
  return 'properties' in schema && typeof schema.properties === 'object' ? (schema.properties ?? {}) : {};
}
