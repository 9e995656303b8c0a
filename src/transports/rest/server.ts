/** The HTTP door: routes from operations, identity, limits, and the form of every answer. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Ids } from '#core/ids.ts';
import { fail, type Failure } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import type { Authenticate } from '../authenticate.ts';
import type { Binding } from '../binding.ts';
import { brandedText, brandHeader, type Branding } from '../branding.ts';
import type { Dispatcher, Reply } from '../dispatch.ts';
import { parseBody } from './body.ts';
import { errorBody, problemBody, toFailure } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';
import { refuseSocketError } from './socket-errors.ts';

export const API_PREFIX = '/api/v1';
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 10_000;
const CONNECTION_CHECK_MS = 2_000;
const CONNECTIONS_MAX = 5_000;
const PARAMETER_LENGTH_MAX = 300;

export interface RestParts {
  readonly bindings: readonly Binding[];
  readonly dispatcher: Dispatcher;
  readonly authenticate: Authenticate;
  readonly rateLimiter: RateLimiter;
  readonly branding: Branding;
  readonly ids: Ids;
  readonly log: Logger;
  readonly bodyBytesMax: number;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

export function createServer(parts: RestParts): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: parts.bodyBytesMax,
    trustProxy: parts.trustedProxies.length === 0 ? false : [...parts.trustedProxies],
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    genReqId: () => parts.ids.requestId(),
    clientErrorHandler: refuseSocketError(parts.ids),
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTION_CHECK_MS },
    return503OnClosing: false,
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  readJsonBodies(app);
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // A kept-alive connection may still bring requests; its client is sent away before the last one is answered.
    done(
      isClosing
        ? fail('shutting_down', {}, { headers: { connection: 'close', 'retry-after': '2' } })
        : undefined,
    );
  });
  app.addHook('onResponse', (request, reply, done) => {
    parts.log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
  app.setErrorHandler((error, request, reply) => sendFailure(parts, request, reply, error));
  app.setNotFoundHandler((request, reply) =>
    sendFailure(parts, request, reply, unserved(parts.bindings, request)),
  );
  for (const binding of parts.bindings) addRoute(app, parts, binding);
  return app;
}

/** Every body arrives as text; a route decides whether it must be JSON. */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

function addRoute(app: FastifyInstance, parts: RestParts, binding: Binding): void {
  const { operation } = binding;
  app.route({
    method: operation.method,
    url: API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { principal, headers } = await identify(parts, binding, request);
      const text = typeof request.body === 'string' ? request.body : '';
      const input = {
        params: stringRecord(request.params),
        query: stringRecord(request.query),
        body: readBody(binding, request, text),
        headers: {
          'payment-method': brandHeader(request.headers, parts.branding, 'payment-method'),
          'payment-signature': singleHeader(request.headers['payment-signature']),
          'payment-authorization': paymentOf(request.headers.authorization),
          accept: request.headers.accept,
        },
      };
      refuseNul(input.params, input.query);
      const answer = await parts.dispatcher.call({
        binding,
        input,
        bodyLength: text.length,
        principal,
        requestId: request.id,
        address: request.ip,
        idempotencyKey: singleHeader(request.headers['idempotency-key']),
      });
      return send(parts, reply.headers(headers), answer);
    },
  });
}

async function identify(
  parts: RestParts,
  binding: Binding,
  request: FastifyRequest,
): Promise<{ principal: Principal | null; headers: Readonly<Record<string, string>> }> {
  if (binding.operation.permission === 'public') return { principal: null, headers: {} };
  const principal = await parts.authenticate({
    authorization: request.headers.authorization,
    apiKey: brandHeader(request.headers, parts.branding, 'api-key'),
  });
  return { principal, headers: parts.rateLimiter.take(principal.tokenId) };
}

function readBody(binding: Binding, request: FastifyRequest, text: string): unknown {
  const { bodyMode, body } = binding.operation;
  if (body === undefined) return undefined;
  const declared = request.headers['content-type'];
  if (text.trim() === '') {
    if (bodyMode === 'optional') return {};
    if (declared === undefined || !isJson(declared)) throw fail('body_not_json');
    throw fail('body_required');
  }
  if (declared === undefined || !isJson(declared)) throw fail('body_not_json');
  return parseBody(text);
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim());
}

function stringRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function refuseNul(...records: readonly Readonly<Record<string, unknown>>[]): void {
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const texts = Array.isArray(value) ? value : [value];
      const bad = texts.some(
        (text) => typeof text === 'string' && (text.includes('\u0000') || !text.isWellFormed()),
      );
      if (bad) {
        const message = 'contains a character that cannot be stored';
        throw fail(
          'invalid_request',
          { reason: `${name}: ${message}.` },
          { problems: [{ path: name, message }] },
        );
      }
    }
  }
}

/** `Authorization: Payment …` is a credential of a payment; the token then travels as X-Service-Api-Key. */
function paymentOf(authorization: string | undefined): string | undefined {
  return authorization !== undefined && /^Payment\b/i.test(authorization) ? authorization : undefined;
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function send(parts: RestParts, reply: FastifyReply, answer: Reply): FastifyReply {
  reply.code(answer.status).header('cache-control', 'no-store').headers(answer.headers);
  if (answer.body === null || answer.body === undefined) return reply.send();
  const isDocument = typeof answer.body === 'string' || answer.body instanceof Uint8Array;
  if (isDocument) return reply.send(answer.body);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(brandedText(answer.body, parts.branding));
}

function sendFailure(
  parts: Pick<RestParts, 'log' | 'branding'>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const failure = toFailure(error);
  logFailure(parts.log, request, failure);
  const wantsProblem = request.headers.accept?.includes('application/problem+json') ?? false;
  const body = wantsProblem ? problemBody(failure, request.id) : errorBody(failure, request.id);
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .header('cache-control', 'no-store')
    .header('content-type', wantsProblem ? 'application/problem+json' : 'application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

function logFailure(log: Logger, request: FastifyRequest, failure: Failure): void {
  const entry = {
    request_id: request.id,
    code: failure.code,
    status: failure.status,
    detail: failure.detail,
  };
  if (failure.status >= 500 && failure.code !== 'payment_rail_not_served') {
    log.error(entry, failure.message);
  } else log.debug(entry, failure.message);
}

/** 405 where another method is served at the same address, 404 elsewhere (also for a parameter too long to route). */
function unserved(bindings: readonly Binding[], request: FastifyRequest): Failure {
  const [path = ''] = request.url.split('?');
  const allowed = bindings
    .filter(({ operation }) => matches(operation.path, path))
    .map(({ operation }) => operation.method);
  if (allowed.length === 0 || allowed.some((method) => method === request.method))
    return fail('route_not_found', { method: request.method, path: shown(path) });
  const list = [...new Set(allowed)].join(', ');
  return fail('method_not_allowed', { method: request.method, allowed: list }, { headers: { allow: list } });
}

function matches(template: string, path: string): boolean {
  const wanted = (API_PREFIX + template).split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part.startsWith('{') || part === given[index])
  );
}

function shown(path: string): string {
  return path.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
