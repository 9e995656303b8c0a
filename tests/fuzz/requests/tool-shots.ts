/** Messages to the tool protocol, in both of its eras. */
import { bindings } from '#transports/operations.ts';
import type { Caller } from './callers.ts';
import type { Chance } from './chance.ts';
import { createTree } from './json-tree.ts';
import type { Draft } from './mutate.ts';
import { drawBody, pickCaller, createValueSources, type RestSources } from './rest-shots.ts';
import { drawValue } from './schema-values.ts';

const withTool = bindings.filter(({ operation }) => operation.isTool !== false);

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzzer', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const OTHER_MESSAGES: readonly (readonly [method: string, params: unknown])[] = [
  ['ping', {}],
  ['tools/list', {}],
  ['tools/list', { cursor: 'x' }],
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzzer', version: '1' } },
  ],
  ['notifications/initialized', {}],
  ['resources/list', {}],
  ['resources/read', { uri: 'file:///etc/passwd' }],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['completion/complete', {}],
  ['subscriptions/listen', {}],
  ['server/discover', {}],
  ['__proto__', {}],
];

export function draftTool(sources: RestSources): { draft: Draft; aim: string } {
  const { chance } = sources;
  const { operation } = chance.pick(withTool);
  const caller = chance.isDrawn(25)
    ? sources.callers.getCaller('agent')
    : pickCaller(operation, chance, sources.callers);
  const [method, params] = chance.isDrawn(8)
    ? chance.pick(OTHER_MESSAGES)
    : ['tools/call', { name: operation.id, arguments: drawArguments(operation.id, caller, sources) }];
  const isNew = chance.isDrawn(40);
  const message = {
    jsonrpc: '2.0',
    ...(method.startsWith('notifications/') ? {} : { id: chance.pick<unknown>([1, 'a', 0, -7]) }),
    method,
    params: isNew ? { ...(typeof params === 'object' ? params : {}), _meta: META } : params,
  };
  const draft: Draft = {
    method: 'POST',
    segments: ['mcp', ''],
    query: [],
    headers: { 'content-type': 'application/json', ...drawHeaders(isNew, method, operation.id, chance) },
    tree: createTree(message),
    bytes: null,
    caller,
    story: [],
  };
  return { draft, aim: method === 'tools/call' ? operation.id : method };
}

function drawHeaders(isNew: boolean, method: string, name: string, chance: Chance): Record<string, string> {
  const accept = chance.pick([
    'application/json, text/event-stream',
    'application/json',
    'text/event-stream',
    '*/*',
  ]);
  if (!isNew) return chance.isDrawn(50) ? { accept, 'mcp-protocol-version': '2025-11-25' } : { accept };
  const headers = { accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  if (method !== 'tools/call') return headers;
  return { ...headers, 'mcp-name': chance.isDrawn(95) ? name : 'whoami' };
}

function drawArguments(operationId: string, caller: Caller, sources: RestSources): Record<string, unknown> {
  const { chance, pool, lists } = sources;
  const operation = withTool.find((binding) => binding.operation.id === operationId)?.operation;
  if (operation === undefined) return {};
  const values = createValueSources(sources, caller);
  const args: Record<string, unknown> = {};
  for (const name of Object.keys(operation.params?.properties ?? {}))
    args[name] = pool.pick(name, chance) ?? '01980000-0000-7000-8000-00000000ffff';
  const { list } = operation;
  for (const [name, schema] of Object.entries(operation.query?.properties ?? {}))
    if (list === undefined && chance.isDrawn(40)) args[name] = drawValue(schema, name, values);
  if (list !== undefined) for (const [name, value] of lists.make(list, chance, pool)) args[name] = value;
  const body = operation.body === undefined ? {} : drawBody(operation, values);
  Object.assign(args, body);
  if (operation.method !== 'GET' && chance.isDrawn(15)) args.idempotency_key = `key-${chance.drawBelow(400)}`;
  if (operationId === 'pay_invoice' && chance.isDrawn(60)) {
    args.payment_method = chance.pick(['mpp-spt', 'x402-exact', 'async_invoice', 'gold', null]);
    args.payment_authorization = chance.pick(['Payment x', 'x', null, '']);
  }
  return args;
}
