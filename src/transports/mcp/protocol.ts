/**
 * Supports both versions of the tool protocol: 2026-07-28, where each request stands alone, and 2025-11-25 with its
 * handshake. A server and a transport serve one request and are never shared, so that no data of one caller can reach
 * another (GHSA-345p-7cg4-v4c7).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as turnLoop } from 'node:timers/promises';
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  localhostAllowedHostnames,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
  INVALID_PARAMS,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { formatSuggestion } from '#core/filter/errors.ts';
import { STAFF_PERMISSION } from '#core/permissions.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { callTool, type Caller, type CallParts } from './call.ts';
import { canCall, isOfLab, type OperationTool } from './tools.ts';

const INSTRUCTIONS = [
  'Order protein-characterization assays and read their measured results.',
  'Find a target with list_targets (`search`); an order takes its name as `target`.',
  'Steps of an order: cost_estimate; create_exp (in a sandbox with payment_method mpp-spt, so that tools can pay); submit_experiment; get_quote_metadata; confirm_experiment_quote; mint_payment_token (in a sandbox); pay_invoice; get_exp_info until `status` is done; get_experiment_results.',
  'confirm_quote, confirm_experiment_quote, pay_invoice and create_exp with auto_accept_quote commit money: ask the person you work for first.',
  'Give each write an idempotency_key, and repeat it with the same key when no answer arrives.',
].join('\n');

/** For callers of the staff whose list leaves their tools out. */
const LAB_INSTRUCTION =
  'Tools of the lab can be called by name; `?tools=all` behind the address of this server lists them, too.';

const JSON_MEDIA = 'application/json';
const STREAM_MEDIA = 'text/event-stream';

export interface ProtocolParts extends CallParts {
  readonly listTools: () => Promise<ReadonlyMap<string, OperationTool>>;
  /** Tells each record of an answer once in a list. */
  readonly shortenList: (tools: readonly Tool[]) => Promise<readonly Tool[]>;
}

export interface ProtocolRequest {
  readonly url: string;
  readonly headers: Headers;
  /** The parsed body: one message. */
  readonly message: unknown;
  /** Whether the list has the tools of the lab, too. Each tool can be called either way. */
  readonly listsLab: boolean;
}

export interface ProtocolAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** Says why a page of a browser may not ask this service; undefined where it may, or where no page asks. */
export function findOriginProblem(
  { host, origin }: IncomingHttpHeaders,
  baseUrl: string,
): string | undefined {
  const own = [new URL(baseUrl).hostname, ...localhostAllowedHostnames()];
  if (!validateHostHeader(host, own).ok)
    return 'This host name is not served; the operator must set BASE_URL to it.';
  return validateOriginHeader(origin, own).ok ? undefined : 'Requests from other sites are not served.';
}

export function isJson(headers: IncomingHttpHeaders): boolean {
  return isJsonContentType(headers['content-type'] ?? null);
}

export async function answer(
  parts: ProtocolParts,
  caller: Omit<Caller, 'isLegacy'>,
  { url, headers, message, listsLab }: ProtocolRequest,
): Promise<ProtocolAnswer> {
  const accepts = headers.get('accept') ?? '';
  // The older transport rejects callers that do not accept both types, whichever it answers with.
  headers.set('accept', `${JSON_MEDIA}, ${STREAM_MEDIA}`);
  const request = new Request(url, { method: 'POST', headers });
  const isLegacy = await isLegacyRequest(request, message);
  // The library itself says what a message of the newer protocol lacks.
  const refusal = isLegacy ? await refuseParameters(message) : undefined;
  // The library makes its schemas when they are first needed: those for the message itself get a turn of their own.
  await turnLoop();
  if (refusal !== undefined) return { status: 200, ...writeMessage(refusal, accepts) };
  const server = createServer(parts, { ...caller, isLegacy }, listsLab);
  const onerror = (error: Error): void =>
    parts.log.debug({ request_id: caller.requestId, refused: getReason(error) }, 'tool protocol');
  try {
    const response = isLegacy
      ? await answerLegacy(server, request, message, accepts, onerror)
      : await createMcpHandler(() => server, { legacy: 'reject', onerror }).fetch(request, {
          parsedBody: message,
        });
    // Every answer is complete after its one message, even in the form of a stream.
    const text = await response.text();
    return { status: response.status, contentType: response.headers.get('content-type'), text };
  } finally {
    await server.close();
  }
}

/** Writes a message as JSON, or as a stream of one event for a caller that accepts nothing else. */
function writeMessage(message: object, accepts: string): Pick<ProtocolAnswer, 'contentType' | 'text'> {
  const text = JSON.stringify(message);
  return isJsonPreferred(accepts)
    ? { contentType: JSON_MEDIA, text }
    : { contentType: STREAM_MEDIA, text: `event: message\ndata: ${text}\n\n` };
}

function isJsonPreferred(accepts: string): boolean {
  return accepts.includes(JSON_MEDIA) || !accepts.includes(STREAM_MEDIA);
}

/** Returns the library's name of the error; its sentence would repeat the client's input. */
function getReason({ message, name }: Error): string {
  return /^Rejected inbound request \(([a-z-]+)\)/.exec(message)?.[1] ?? name;
}

async function answerLegacy(
  server: Server,
  request: Request,
  message: unknown,
  accepts: string,
  onerror: (error: Error) => void,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: isJsonPreferred(accepts),
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server of the protocol is no event target
  server.onerror = onerror;
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody: message });
}

/**
 * The founder of a sandbox is client and staff at once. A list with the tools of the lab fills the memory of a model that
 * only orders, so there it has to be asked for.
 */
function createServer(parts: ProtocolParts, caller: Caller, listsLab: boolean): Server {
  const listCallable = (tools: ReadonlyMap<string, OperationTool>): OperationTool[] =>
    [...tools.values()].filter(({ binding }) => canCall(caller.principal, binding.operation));
  const isStaff = caller.principal.permissions.has(STAFF_PERMISSION);
  const server = new Server(
    { name: 'assayer', title: 'Assayer', version: manifest.version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: isStaff && !listsLab ? `${INSTRUCTIONS}\n${LAB_INSTRUCTION}` : INSTRUCTIONS,
    },
  );
  server.setRequestHandler('tools/list', async () => {
    const callable = listCallable(await parts.listTools());
    const listed = callable.filter(({ binding }) => listsLab || !isOfLab(binding.operation));
    return { tools: [...(await parts.shortenList(listed.map(({ tool }) => tool)))] };
  });
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tools = await parts.listTools();
    const tool = tools.get(params.name);
    if (tool === undefined) throw createUnknownTool(params.name, listCallable(tools));
    return callTool(parts, caller, tool, {
      arguments: params.arguments ?? {},
      meta: params._meta ?? {},
    });
  });
  // Some clients list resources without checking that the server has any.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', () => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource.');
  });
  return server;
}

/** The name that was asked for is not repeated: it may be anything. */
function createUnknownTool(name: string, callable: readonly OperationTool[]): ProtocolError {
  const suggestion = formatSuggestion(
    name,
    callable.map(({ tool }) => tool.name),
  );
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no such tool.${suggestion} Ask tools/list for the names.`,
  );
}

/** Checks the parameters of a message, because the library would answer with the raw report of its schemas. */

/** A schema of the library, as Standard Schema names it. */
interface Schema {
  readonly '~standard': { readonly validate: (value: unknown) => Checked | Promise<Checked> };
}

interface Checked {
  readonly issues?: readonly Issue[] | undefined;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const SCHEMAS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['initialize', specTypeSchemas.InitializeRequest],
  ['tools/list', specTypeSchemas.ListToolsRequest],
  ['tools/call', specTypeSchemas.CallToolRequest],
  ['resources/list', specTypeSchemas.ListResourcesRequest],
  ['resources/templates/list', specTypeSchemas.ListResourceTemplatesRequest],
  ['resources/read', specTypeSchemas.ReadResourceRequest],
]);
const PROBLEMS_SHOWN = 5;

interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** Finds what is wrong with the parameters of a request; undefined where nothing is, or where it is no request. */
export async function refuseParameters(message: unknown): Promise<Refusal | undefined> {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message))
    return undefined;
  const { method, id } = message;
  const isRequest = 'jsonrpc' in message && message.jsonrpc === '2.0';
  if (!isRequest || typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number'))
    return undefined;
  // Parameters that are no object make the message as a whole invalid, which the library says.
  if ('params' in message && (typeof message.params !== 'object' || Array.isArray(message.params)))
    return undefined;
  const checked = await SCHEMAS.get(method)?.['~standard'].validate(message);
  if (checked?.issues === undefined) return undefined;
  const problems = checked.issues.slice(0, PROBLEMS_SHOWN).map(({ path = [], message: text }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return `${place}: ${text.replace(/^Invalid input: /, '')}`;
  });
  const sentence = `The parameters of ${method} are not valid: ${problems.join('; ')}.`;
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: sentence } };
}
