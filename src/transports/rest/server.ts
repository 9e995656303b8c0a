/** The HTTP door: routes from operations, identity, limits, and the form of every answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Blobs, StagedFile } from '#core/blobs.ts';
import type { Ids } from '#core/ids.ts';
import { fail, failureSentence, type Failure } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { isPayment, type Authenticate } from '../authenticate.ts';
import type { Binding } from '../binding.ts';
import { brandedText, brandHeader, credentialsOf, type Branding } from '../branding.ts';
import { authorize, type Dispatcher, type Reply } from '../dispatch.ts';
import { parseBody } from './body.ts';
import { errorBody, problemBody, toFailure } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';
import { refuseSocketError } from './socket-errors.ts';
import { receiveUpload } from './upload.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its route reads the body, and gives it more time. */
    isUpload?: boolean;
  }
}

export const API_PREFIX = '/api/v1';
const HEADERS_TIMEOUT_MS = 10_000;
/** For whoever is let in; the client of a lab may have a slow line. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;
const BODY_TIMEOUT_MS = 30_000;
/** Longer than load balancers keep theirs (60 s), so that none sends a request into a connection that is being closed. */
const KEEP_ALIVE_MS = 65_000;
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
  readonly blobs: Blobs;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

export function createServer(parts: RestParts): FastifyInstance {
  const refuse = refuseSocketError(parts.ids);
  const app = Fastify({
    logger: false,
    bodyLimit: parts.bodyBytesMax,
    trustProxy: parts.trustedProxies.length === 0 ? false : [...parts.trustedProxies],
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    genReqId: () => parts.ids.requestId(),
    clientErrorHandler: refuse,
    routerOptions: { maxParamLength: PARAMETER_LENGTH_MAX },
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      // Node would refuse such a request by itself, without a body and an id.
      requireHostHeader: false,
    },
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
        : refuseNameless(request.raw),
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
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isUpload !== true) limitBody(request.raw, reply.raw, refuse);
    done();
  });
  for (const binding of parts.bindings) {
    if (binding.operation.upload === undefined) addRoute(app, parts, binding);
  }
  app.register((uploads, _options, done) => {
    leaveBodies(uploads);
    for (const binding of parts.bindings) {
      const { upload } = binding.operation;
      if (upload !== undefined) addUploadRoute(uploads, parts, binding, upload.bytesMax);
    }
    done();
  });
  return app;
}

/** RFC 9112 §3.2: who speaks HTTP/1.1 names the host. */
function refuseNameless({ httpVersion, headers }: IncomingMessage): Failure | undefined {
  if (httpVersion !== '1.1' || headers.host !== undefined) return undefined;
  return fail('invalid_request', { reason: 'the header Host is missing.' });
}

/** Every body arrives as text; a route decides whether it must be JSON. */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** The body of an upload is read by its route, once it is known from whom it comes. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** A body that does not arrive in time ends its connection with what Node answers to slow headers. */
function limitBody(
  request: IncomingMessage,
  reply: ServerResponse,
  refuse: ReturnType<typeof refuseSocketError>,
): void {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = request.headers;
  if (encoding === undefined && Number(length) === 0) return;
  const tooSlow = Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const timer = setTimeout(() => refuse(tooSlow, request.socket), BODY_TIMEOUT_MS);
  const stop = (): void => clearTimeout(timer);
  request.once('end', stop).once('close', stop);
  reply.once('finish', stop);
}

function addRoute(app: FastifyInstance, parts: RestParts, binding: Binding): void {
  app.route({
    method: binding.operation.method,
    url: urlOf(binding),
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { principal, headers } = await identify(parts, binding, request);
      const text = typeof request.body === 'string' ? request.body : '';
      const content = { body: readBody(binding, request, text), bodyLength: text.length };
      const answer = await dispatch(parts, request, { binding, principal, ...content });
      return send(parts, reply.headers(headers), answer);
    },
  });
}

function addUploadRoute(app: FastifyInstance, parts: RestParts, binding: Binding, bytesMax: number): void {
  app.route({
    method: binding.operation.method,
    url: urlOf(binding),
    exposeHeadRoute: false,
    config: { isUpload: true },
    handler: async (request, reply) => {
      const { principal, headers } = await identify(parts, binding, request);
      authorize(binding, principal);
      const upload = await receiveUpload(request, parts.blobs, bytesMax);
      try {
        const content = { body: undefined, bodyLength: 0, upload };
        const answer = await dispatch(parts, request, { binding, principal, ...content });
        return send(parts, reply.headers(headers), answer);
      } finally {
        await upload.drop();
      }
    },
  });
}

function urlOf({ operation }: Binding): string {
  return API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

interface Content {
  readonly binding: Binding;
  readonly principal: Principal | null;
  readonly body: unknown;
  readonly bodyLength: number;
  readonly upload?: StagedFile;
}

async function dispatch(
  { dispatcher, branding }: RestParts,
  request: FastifyRequest,
  { binding, principal, body, bodyLength, upload }: Content,
): Promise<Reply> {
  const { authorization } = request.headers;
  const input = {
    params: stringRecord(request.params),
    query: stringRecord(request.query),
    body,
    upload,
    headers: {
      'payment-method': brandHeader(request.headers, branding, 'payment-method'),
      'payment-signature': singleHeader(request.headers['payment-signature']),
      'payment-authorization': isPayment(authorization) ? authorization : undefined,
      accept: request.headers.accept,
    },
  };
  refuseNul(input.params, input.query);
  return dispatcher.call({
    binding,
    input,
    bodyLength,
    principal,
    requestId: request.id,
    address: request.ip,
    idempotencyKey: singleHeader(request.headers['idempotency-key']),
  });
}

async function identify(
  parts: RestParts,
  binding: Binding,
  request: FastifyRequest,
): Promise<{ principal: Principal | null; headers: Readonly<Record<string, string>> }> {
  if (binding.operation.permission === 'public') return { principal: null, headers: {} };
  const principal = await parts.authenticate(credentialsOf(request.headers, parts.branding));
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

/** With the sentence of its code, not as it was filled: what a client sent, an address too, may hold a secret. */
function logFailure(log: Logger, request: FastifyRequest, failure: Failure): void {
  const entry = {
    request_id: request.id,
    code: failure.code,
    status: failure.status,
    detail: failure.detail,
  };
  if (failure.status >= 500 && failure.code !== 'payment_rail_not_served') {
    log.error(entry, failureSentence(failure.code));
  } else log.debug(entry, failureSentence(failure.code));
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
