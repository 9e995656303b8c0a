// tidy-allow import-hidden: names packages, which no rule about files concerns
/**
 * The tool protocol at `/mcp/`: guards, identity and limits. It accepts POST only.
 * This folder: operations as tools of the tool protocol. Not here: operations of its own.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createUnauthenticatedFailure, fail, Failure } from '#core/failures.ts';
import { loadInTurns } from '#core/load-in-turns.ts';
import type { Principal } from '#core/principal.ts';
import { remember } from '#core/remember.ts';
import { runInSlices } from '#core/slices.ts';
import {
  canServeOAuth,
  ISSUER_PATH,
  MCP_PATH,
  MCP_PATHS,
  resourceScopes,
} from '#features/people/programs/rules.ts';
import type { Authenticate } from '../authenticate.ts';
import type { Binding } from '#features/binding.ts';
import { getCredentials } from '../branding.ts';
import { watchClient } from '#ui/client-signal.ts';
import type { Bodies } from '../bodies/bodies.ts';
import { computeLargeBodyLimits } from '../bodies/shape.ts';
import { formatBearerChallenge } from '../bearer-challenge.ts';
import { buildPublicBody, toFailure } from '../rest/errors.ts';
import type { RequestLimiter } from '../rest/rate-limit.ts';
import type { Method, Routes } from '#ui/routes.ts';
import type { ServedRoutes } from '../rest/serve-routes.ts';
import type { CallParts } from './call.ts';
import { authenticateByOAuth, type OAuthParts } from './oauth.ts';
import type { ProtocolParts } from './protocol.ts';
import { logFailure } from '../log.ts';
import { createListShortener } from './told-once.ts';
import { createTools } from './tools.ts';

const METADATA_ROOT = '/.well-known/oauth-protected-resource';
const OTHER_METHODS: Method[] = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The library, and before it what its schemas are made of; that is its dependency, not ours. */
const PACKAGES = [
  'zod/v4/core',
  'zod/v4/locales',
  'zod/v4',
  '@modelcontextprotocol/core/internal',
  '@modelcontextprotocol/server',
];

const importProtocol = () => import('./protocol.ts');

/** The tool protocol in parts, the innermost first, so that no turn of the event loop loads all of it. */
export const protocolModules: readonly (() => Promise<unknown>)[] = [
  ...PACKAGES.map((name) => () => import(name)),
  // Node itself loads its client of HTTP with the first use of it.
  () => Promise.resolve(globalThis.Headers),
  importProtocol,
];

const loadParts = remember(() => loadInTurns(protocolModules));

/** A hundred modules: a service loads them once it is ready, or with its first message. */
async function loadProtocol() {
  await loadParts();
  return importProtocol();
}

/** Codes of JSON-RPC 2.0; the last is from the range for servers. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const REFUSED = -32_000;

/** Headers that the protocol needs. The credential is not passed on. */
const PASSED_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

export interface McpParts extends CallParts {
  readonly bindings: readonly Binding[];
  readonly authenticate: Authenticate;
  readonly rateLimiter: RequestLimiter;
  readonly oauth: OAuthParts;
  readonly bodies: Bodies;
}

interface Admitted {
  readonly principal: Principal;
  readonly headers: Readonly<Record<string, string>>;
}

/** A rejection in the protocol's own format. */
class ProtocolRefusal extends Error {
  override readonly name = 'ProtocolRefusal';
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function addMcp(served: ServedRoutes, parts: McpParts): void {
  // Made at the first message, so that a service starts sooner.
  const protocol: ProtocolParts = {
    ...parts,
    listTools: remember(() => runInSlices(createTools(parts.bindings))),
    shortenList: createListShortener(),
  };
  const routes = served.open({
    leavesBody: true,
    answerError: (request, reply, error) => sendError(parts, request, reply, error),
  });
  addMetadata(routes, parts);
  for (const path of MCP_PATHS) {
    addRefusedMethods(routes, path);
    addProtocolRoute(routes, path, parts, protocol);
  }
}

function addProtocolRoute(routes: Routes, path: string, parts: McpParts, protocol: ProtocolParts): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  routes.add({
    method: 'POST',
    url: path,
    // Runs before the body is read, so that a caller without a credential costs no memory.
    onRequest: async (request, reply) => {
      await guard(parts, request);
      const entry = await admit(parts, request);
      reply.headers(entry.headers);
      admitted.set(request, entry);
    },
    handler: async (request, reply) => {
      const entry = admitted.get(request);
      if (entry === undefined) throw createUnauthenticatedFailure();
      const { principal } = entry;
      const listsLab = isLabAsked(request) || parts.site.environment === 'live';
      const answered = await parts.bodies.carryOut(request, async () => {
        const { message, bytes } = await readMessage(parts, request);
        const from = { requestId: request.id, address: request.ip, watchClient: () => watchClient(reply) };
        const caller = { principal, ...from, bodyLength: bytes };
        const { answer } = await loadProtocol();
        return answer(protocol, caller, {
          url: parts.site.baseUrl + path,
          headers: selectHeaders(request),
          message,
          listsLab,
        });
      });
      if (answered.contentType !== null) reply.header('content-type', answered.contentType);
      return reply.code(answered.status).header('cache-control', 'no-store').send(answered.text);
    },
  });
}

/** Whether the address asks for the tools of the lab in the list, as `/mcp/?tools=all`. */
function isLabAsked({ query }: FastifyRequest): boolean {
  const tools = typeof query === 'object' && query !== null && 'tools' in query ? query.tools : undefined;
  if (tools === undefined || tools === 'all') return tools === 'all';
  throw new ProtocolRefusal(400, INVALID_REQUEST, 'The parameter `tools` of the address can only be `all`.');
}

/** Blocks pages in a browser: neither a foreign host name bound to this address nor a foreign origin may reach it. */
async function guard({ site }: McpParts, request: FastifyRequest): Promise<void> {
  const { findOriginProblem } = await loadProtocol();
  const problem = findOriginProblem(request.headers, site.baseUrl);
  if (problem !== undefined) throw new ProtocolRefusal(403, REFUSED, problem);
}

async function admit(parts: McpParts, request: FastifyRequest): Promise<Admitted> {
  const credentials = getCredentials(request.headers, parts.branding);
  const { authorization, apiKey } = credentials;
  const byOAuth = apiKey === undefined ? await authenticateByOAuth(parts.oauth, authorization) : undefined;
  const principal = byOAuth ?? (await parts.authenticate(credentials));
  const headers = parts.rateLimiter.take(principal);
  parts.bodies.setOwner(request, principal.familyId);
  return { principal, headers };
}

/** Messages with an invalid text or form, as codes of the protocol. */
const WRONG_TEXTS: ReadonlyMap<string, number> = new Map([
  ['malformed_json', PARSE_ERROR],
  ['body_not_utf8', PARSE_ERROR],
  ['body_too_deep', INVALID_REQUEST],
  ['body_too_complex', INVALID_REQUEST],
  ['invalid_request', INVALID_REQUEST],
]);

async function readMessage(
  { bodies, site }: McpParts,
  request: FastifyRequest,
): Promise<{ readonly message: object; readonly bytes: number }> {
  const { isJson } = await loadProtocol();
  if (!isJson(request.headers)) throw fail('body_not_json');
  const { value, isEmpty, bytes } = await bodies
    .readJson(request, computeLargeBodyLimits(site.limits))
    .catch((error: unknown) => refuseText(error));
  if (isEmpty) throw new ProtocolRefusal(400, PARSE_ERROR, fail('body_required').message);
  if (Array.isArray(value)) throw new ProtocolRefusal(400, INVALID_REQUEST, 'Batches are not supported.');
  if (typeof value !== 'object' || value === null) {
    throw new ProtocolRefusal(400, INVALID_REQUEST, 'A message must be a JSON object.');
  }
  // No list changes while a client listens, and an open stream would outlive a revoked token.
  if ('method' in value && value.method === 'subscriptions/listen') {
    throw new ProtocolRefusal(404, METHOD_NOT_FOUND, 'Subscriptions are not served.');
  }
  return { message: value, bytes };
}

function refuseText(error: unknown): never {
  const code = error instanceof Failure ? WRONG_TEXTS.get(error.code) : undefined;
  if (code === undefined || !(error instanceof Failure)) throw error;
  throw new ProtocolRefusal(400, code, error.message);
}

function selectHeaders(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const name of PASSED_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

function addRefusedMethods(routes: Routes, path: string): void {
  routes.add({
    method: OTHER_METHODS,
    url: path,
    onRequest: async (request) => {
      throw fail(
        'method_not_allowed',
        { method: request.method, allowed: 'POST' },
        { headers: { allow: 'POST' } },
      );
    },
    handler: (_request, reply) => reply.send(),
  });
}

/** RFC 9728 §3.3: the resource of a document is the one whose address it was asked for, letter by letter. */
function addMetadata(routes: Routes, parts: McpParts): void {
  const asked = MCP_PATHS.map((path) => [METADATA_ROOT + path, path] as const);
  for (const [url, path] of [[METADATA_ROOT, MCP_PATH] as const, ...asked]) {
    routes.get(url, { exposeHeadRoute: false }, (_request, reply) =>
      reply
        .header('access-control-allow-origin', '*')
        .header('content-type', 'application/json; charset=utf-8')
        .send(
          JSON.stringify({
            resource: parts.site.baseUrl + path,
            resource_name: 'Assayer',
            bearer_methods_supported: ['header'],
            ...(canServeOAuth(parts.site.baseUrl)
              ? {
                  authorization_servers: [parts.site.baseUrl + ISSUER_PATH],
                  scopes_supported: [...resourceScopes],
                }
              : {}),
          }),
        ),
    );
  }
}

/** The path of the document about the resource that a request is for. */
function findMetadataPath({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?');
  return METADATA_ROOT + (MCP_PATHS.find((known) => known === path) ?? MCP_PATH);
}

function sendError(
  parts: McpParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  reply.header('cache-control', 'no-store').header('content-type', 'application/json; charset=utf-8');
  if (error instanceof ProtocolRefusal) {
    const { status, code: refused } = error;
    parts.log.debug({ request_id: request.id, status, refused }, 'tool protocol');
    const { code, message } = error;
    const body = { jsonrpc: '2.0', error: { code, message, data: { request_id: request.id } }, id: null };
    return reply.code(error.status).send(JSON.stringify(body));
  }
  const failure = toFailure(error, request);
  logFailure(parts.log, { request_id: request.id }, failure);
  if (failure.status === 401) {
    reply.header(
      'www-authenticate',
      formatBearerChallenge(failure, { resource_metadata: parts.site.baseUrl + findMetadataPath(request) }),
    );
  }
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .send(JSON.stringify(buildPublicBody(failure, request.id)));
}
