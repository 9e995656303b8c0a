/**
 * The HTTP server: routes from operations, identity, limits, and the form of every answer.
 * This folder: HTTP: routes, limits, errors. Not here: decisions about nouns.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6, BlockList, type Server, type Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Site } from '#core/context.ts';
import type { Ids } from '#core/ids.ts';
import { fail, type Failure } from '#core/failures.ts';
import type { Operation } from '#core/operation.ts';
import type { Binding } from '#features/binding.ts';
import { logFailure } from '../log.ts';
import { getApiKeyHeader, type Branding } from '../branding.ts';
import type { Bodies } from '../bodies/bodies.ts';
import { expectsOther, holdExpectations } from '../bodies/continue.ts';
import { declaresBody, isBodyPending, lingerAfterAnswer } from '../bodies/linger.ts';
import {
  buildErrorBody,
  buildProblemBody,
  PROBLEM_MEDIA,
  toFailure,
  isProblemFormAsked,
  addRetryAfter,
} from './errors.ts';
import { formatBearerChallenge } from '../bearer-challenge.ts';
import { addLightAnswers } from './light-answers.ts';
import { addOperations, API_PREFIX, type RouteParts } from './operation-routes.ts';
import { PARAMETER_LENGTH_MAX } from './routes.ts';
import { findRoutes, serveRoutes, type ServedRoutes } from './serve-routes.ts';
import { refuseConnect, refuseSocketError } from './socket-errors.ts';
import { requireStorableRequest } from '../storable-text.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route itself reads the body, and allows more time. */
    isUpload?: boolean;
    /** The body is JSON or a text of another media type. */
    takesText?: boolean;
    /** What the error body also has while the database cannot be reached. */
    outage?: Operation['outage'];
  }
}

export { API_PREFIX };

const HEADERS_TIMEOUT_MS = 10_000;
/** Applies after the permission check; clients may have slow connections. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;
const BODY_TIMEOUT_MS = 30_000;
/** Longer than the keep-alive of load balancers (60 s), so that none sends a request into a closing connection. */
const KEEP_ALIVE_MS = 65_000;
const CONNECTION_CHECK_MS = 2_000;
const CONNECTIONS_MAX = 5_000;
/** Limit for bodies outside operations, where the route sets no other. */
const TEXT_BYTES_MAX = 16 * 1024;

export interface RestParts extends RouteParts {
  readonly bindings: readonly Binding[];
  readonly site: Pick<Site, 'baseUrl'>;
  readonly ids: Ids;
  readonly log: Logger;
  /** Addresses whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly connectionsPerAddress: number;
  readonly routes: ServedRoutes;
}

export function createServer(parts: RestParts): FastifyInstance {
  const refuse = refuseSocketError(parts.ids);
  const app = Fastify({
    logger: false,
    bodyLimit: TEXT_BYTES_MAX,
    trustProxy: parts.trustedProxies.length === 0 ? false : [...parts.trustedProxies],
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    genReqId: () => parts.ids.createRequestId(),
    clientErrorHandler: refuse,
    // Errors before routing.
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      closeIfUnread(request, reply);
      void sendFailure(parts, request, reply, error);
    },
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      // Node would reject such a request by itself, without a body and a request id.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    // Operations are checked in `validate.ts`. Fastify's own compilers are not used, and loaded unless others are given.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  limitConnections(app.server, { ...parts, perAddressMax: parts.connectionsPerAddress });
  const closeSilentConnections = watchSilentConnections(app.server);
  app.server.on('connect', (_request, socket) => refuseConnect(parts.ids, socket));
  holdExpectations(app.server);
  nameRequests(app);
  findRoutes(app, parts.routes);
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    parts.liveFeed.close();
    closeSilentConnections();
    done();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    // A kept-alive connection may still bring requests, so each answer tells the client to close it.
    const shuttingDown = { headers: { connection: 'close', 'retry-after': '2' } };
    done(isClosing ? fail('shutting_down', {}, shuttingDown) : findEarlyRefusal(parts, request));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    closeIfUnread(request, reply);
    // Of a request that came before the end: kept alive, its connection would hold the end up.
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
  addRetryAfter(app);
  addLightAnswers(app);
  logRequests(app, parts.log);
  app.setErrorHandler((error, request, reply) => answerError(parts, request, reply, error));
  app.setNotFoundHandler((request, reply) =>
    sendFailure(parts, request, reply, createUnservedFailure(parts.bindings, request)),
  );
  app.addHook('onRequest', (request, reply, done) => {
    if (request.servedRoute?.config.isUpload !== true) limitBody(request.raw, reply.raw, refuse);
    done();
  });
  guardRequests(app);
  readTexts(app, parts.bodies);
  serveRoutes(app);
  addOperations(parts.routes, parts, parts.bindings);
  return app;
}

function nameRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
}

function refuseSchema(): never {
  throw new Error('a route has a schema of Fastify; the schemas of operations stand in their definitions');
}

function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.servedRoute?.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}

/** Rejects a request without a route before a byte of its body is read. */
function findEarlyRefusal({ bindings }: RestParts, request: FastifyRequest): Failure | undefined {
  if (expectsOther(request.raw)) return fail('expectation_failed');
  return (
    findHostProblem(request.raw) ??
    (request.servedRoute === null ? createUnservedFailure(bindings, request) : undefined)
  );
}

const PORT_MAX = 65_535;
/** RFC 3986 §3.2.2: a name of unreserved characters, signs and percent-encoded bytes, or an address in brackets. */
const HOST =
  /^(?:((?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)|\[([\da-f:.]+)\]|\[v[\da-f]+\.[\w.~!$&'()*+,;=:-]+\])(?::(\d*))?$/i;

/** Finds why the header Host cannot be used (RFC 9112 §3.2); Node itself takes the first of several. */
function findHostProblem({ httpVersion, headers, rawHeaders }: IncomingMessage): Failure | undefined {
  const { host } = headers;
  if (host === undefined)
    return httpVersion === '1.1' ? refuseHost('the header Host is missing.') : undefined;
  if (countHosts(rawHeaders) > 1) return refuseHost('the header Host is there more than once; send it once.');
  return isHost(host)
    ? undefined
    : refuseHost('the header Host is no host name or address with an optional port.');
}

/** Names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

function isHost(value: string): boolean {
  const match = HOST.exec(value);
  if (match === null) return false;
  const [, , address, port = ''] = match;
  return (address === undefined || isIPv6(address)) && Number(port) <= PORT_MAX;
}

function refuseHost(reason: string): Failure {
  return fail('invalid_request', { reason });
}

/** If the service does not read the body, it closes the connection with the answer. */
function closeIfUnread(request: FastifyRequest, reply: FastifyReply): void {
  if (!isBodyPending(request.raw)) return;
  reply.header('connection', 'close');
  lingerAfterAnswer(request.raw);
}

/** A body is a text of limited length, unless its route reads it. */
function readTexts(app: FastifyInstance, bodies: Bodies): void {
  app.addHook('onRequest', (request, reply, done) => {
    bodies.begin(request, reply);
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { leavesBody = false, bodyLimit = TEXT_BYTES_MAX } = request.servedRoute?.options ?? {};
    return leavesBody ? payload : bodies.readText(request, bodyLimit);
  });
}

/** A body that is too slow ends its connection, with the answer that Node gives to slow headers. */
function limitBody(
  request: IncomingMessage,
  reply: ServerResponse,
  refuse: ReturnType<typeof refuseSocketError>,
): void {
  if (!declaresBody(request)) return;
  const tooSlow = Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const timer = setTimeout(() => refuse(tooSlow, request.socket), BODY_TIMEOUT_MS);
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop).once('close', stop);
  reply.once('finish', stop);
}

/** An answer about a failure that fails itself is answered in the form of the API. */
async function answerError(
  parts: RestParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<unknown> {
  const answer = request.servedRoute?.defaults.answerError;
  if (answer === undefined) return sendFailure(parts, request, reply, error);
  try {
    return await answer(request, reply, error);
  } catch (again) {
    return sendFailure(parts, request, reply, again);
  }
}

function sendFailure(
  parts: Pick<RestParts, 'log' | 'branding' | 'site'>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const failure = toFailure(error, request);
  logFailure(parts.log, { request_id: request.id }, failure);
  const wantsProblem = isProblemFormAsked(request.headers.accept);
  const body = wantsProblem
    ? buildProblemBody(failure, request.id, parts.site.baseUrl)
    : buildErrorBody(failure, request.id);
  if (failure.status === 401) reply.header('www-authenticate', formatBearerChallenge(failure));
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .header('cache-control', 'no-store')
    .header('content-type', wantsProblem ? PROBLEM_MEDIA : 'application/json; charset=utf-8')
    .send(JSON.stringify({ ...body, ...describeTokenHeader(failure, parts.branding) }));
}

/** A payer by the `Payment` scheme fills `Authorization` with its credential, so the token goes elsewhere. */
function describeTokenHeader(failure: Failure, branding: Branding): Readonly<Record<string, string>> {
  const challenge = failure.headers['www-authenticate'] ?? '';
  if (!challenge.startsWith('Payment ')) return {};
  const header = getApiKeyHeader(branding);
  return {
    hint: `Send the payment as "Authorization: Payment <credential>" and the API token as "${header}: <token>".`,
    api_token_header: header,
  };
}

/** 405 where the address has another method, 414 for a parameter too long to route, 404 otherwise. */
function createUnservedFailure(bindings: readonly Binding[], request: FastifyRequest): Failure {
  const [path = ''] = request.url.split('?');
  const allowed = bindings
    .filter(({ operation }) => isMatch(operation.path, path))
    .flatMap(({ operation: { method } }) => (method === 'GET' ? [method, 'HEAD'] : [method]));
  if (allowed.length > 0 && path.split('/').some((part) => part.length > PARAMETER_LENGTH_MAX))
    return fail('address_too_long');
  if (allowed.length === 0 || allowed.some((method) => method === request.method))
    return fail('route_not_found', { method: request.method, path: toPrintable(path) });
  const list = [...new Set(allowed)].join(', ');
  return fail('method_not_allowed', { method: request.method, allowed: list }, { headers: { allow: list } });
}

function isMatch(template: string, path: string): boolean {
  const templateParts = (API_PREFIX + template).split('/');
  const pathParts = path.split('/');
  return (
    templateParts.length === pathParts.length &&
    templateParts.every((part, index) => part.startsWith('{') || part === pathParts[index])
  );
}

function toPrintable(path: string): string {
  return path.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

/** Limits the connections of one client address, so that none can use all of them. */
interface ConnectionPolicy {
  readonly perAddressMax: number;
  /** Addresses with many clients behind them; the limit does not apply to them. */
  readonly trustedProxies: readonly string[];
}

/** Closes connections beyond the limit before anything is read from them. */
function limitConnections(server: Server, { perAddressMax, trustedProxies }: ConnectionPolicy): void {
  const proxies = createBlockList(trustedProxies);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = toPlainAddress(socket.remoteAddress);
    if (address === undefined || proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddressMax) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

function createBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** A socket for both address families reports IPv4 addresses in IPv6 form. */
function toPlainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Hooks for every route that is added afterwards: those of the API, the pages and the tool protocol. */
function guardRequests(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    // The client left while it was being identified; waiting for its body would never end.
    const isGone = request.raw.destroyed && !request.raw.complete;
    done(isGone ? fail('upload_broken_off') : null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    requireStorableRequest(request);
    done();
  });
}

/**
 * Watches the connections of a server. The returned function closes the silent ones: Node counts them as busy, so that
 * the end of the service would wait until the time for their headers is over.
 */
export function watchSilentConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}
