/** One route per operation: caller and permission are decided from the headers, then the body is read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Blobs, StagedFile } from '#core/blobs.ts';
import type { Limits } from '#core/context.ts';
import { fail, type Failure } from '#core/failures.ts';
import { LiveStream } from '#core/live-stream.ts';
import type { Operation } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { isPayment, type Authenticate } from '../authenticate.ts';
import type { Binding } from '#features/binding.ts';
import type { Bodies, JsonBody } from '../bodies/bodies.ts';
import { declaresBody } from '../bodies/linger.ts';
import { computeBodyLimits, type BodyLimits } from '../bodies/shape.ts';
import { watchClient } from '#ui/client-signal.ts';
import {
  writeBrandedText,
  readBrandHeader,
  readEitherHeader,
  getCredentials,
  type Branding,
} from '../branding.ts';
import type { Reply } from '#core/reply.ts';
import { authorize, type Call, type Dispatcher } from '../dispatch.ts';
import type { LiveFeed } from '#features/updates/live-feed.ts';
import { sendStream } from '#features/updates/event-stream.ts';
import type { RequestLimiter } from './rate-limit.ts';
import type { Routes } from '#ui/routes.ts';
import type { ServedRoutes } from './serve-routes.ts';
import { requireStorable } from '../storable-text.ts';
import { receiveUpload, refuseDeclared } from './upload.ts';

export const API_PREFIX = '/api/v1';

export interface RouteParts {
  readonly dispatcher: Dispatcher;
  readonly authenticate: Authenticate;
  readonly rateLimiter: RequestLimiter;
  readonly branding: Branding;
  readonly limits: Limits;
  readonly bodies: Bodies;
  readonly blobs: Blobs;
  readonly liveFeed: LiveFeed;
}

/** The caller of a request, known from its headers before the body is read. */
type Admitted = WeakMap<FastifyRequest, Principal | null>;

export function addOperations(served: ServedRoutes, parts: RouteParts, bindings: readonly Binding[]): void {
  const admitted: Admitted = new WeakMap();
  const routes = served.open({ leavesBody: true });
  for (const binding of bindings) {
    const { upload } = binding.operation;
    if (upload === undefined) addRoute(routes, parts, binding, admitted);
    else addUploadRoute(routes, parts, binding, upload.bytesMax, admitted);
  }
}

function addRoute(routes: Routes, parts: RouteParts, binding: Binding, admitted: Admitted): void {
  const limits = computeBodyLimits(binding.operation, parts.limits);
  routes.add({
    method: binding.operation.method,
    url: getUrl(binding),
    config: {
      takesText: binding.operation.text !== undefined,
      outage: binding.operation.outage,
    },
    onRequest: async (request, reply) => {
      admitted.set(request, await admit(parts, binding, request, reply));
    },
    handler: async (request, reply) => {
      const principal = admitted.get(request) ?? null;
      const answer = await parts.bodies.carryOut(request, async () => {
        const { body, bodyLength } = await readBody(parts, binding, limits, request);
        return parts.dispatcher.call(
          buildCall(parts, request, reply, { binding, principal, body, bodyLength }),
        );
      });
      return answer.body instanceof LiveStream && principal !== null
        ? sendStream(parts.liveFeed, request, reply, { stream: answer.body, principal })
        : send(parts, reply, answer);
    },
  });
}

function addUploadRoute(
  routes: Routes,
  parts: RouteParts,
  binding: Binding,
  bytesMax: number,
  admitted: Admitted,
): void {
  routes.add({
    method: binding.operation.method,
    url: getUrl(binding),
    exposeHeadRoute: false,
    config: { isUpload: true },
    onRequest: async (request, reply) => {
      admitted.set(request, await admit(parts, binding, request, reply));
    },
    handler: async (request, reply) => {
      const principal = admitted.get(request) ?? null;
      const unread = { binding, principal, body: undefined, bodyLength: 0 };
      refuseDeclared(request, bytesMax);
      await parts.dispatcher.refuseEarly(buildCall(parts, request, reply, unread));
      const upload = await receiveUpload(request, parts.blobs, bytesMax);
      try {
        const call = buildCall(parts, request, reply, { ...unread, upload });
        return send(parts, reply, await parts.dispatcher.call(call));
      } finally {
        await upload.drop();
      }
    },
  });
}

function getUrl({ operation }: Binding): string {
  return API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
}

interface Content {
  readonly binding: Binding;
  readonly principal: Principal | null;
  readonly body: unknown;
  readonly bodyLength: number;
  readonly upload?: StagedFile;
}

function buildCall(
  { branding }: RouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { binding, principal, body, bodyLength, upload }: Content,
): Call {
  const { authorization } = request.headers;
  const input = {
    params: toStringRecord(request.params),
    query: toStringRecord(request.query),
    body,
    upload,
    headers: {
      'payment-method': readBrandHeader(request.headers, branding, 'payment-method'),
      // Version 1 of x402 has a name of its own for the same credential.
      'payment-signature': readEitherHeader(request.headers, ['Payment-Signature', 'X-Payment']),
      'payment-authorization': isPayment(authorization) ? authorization : undefined,
      accept: request.headers.accept,
      'last-event-id': findSingleHeader(request.headers['last-event-id']),
    },
  };
  return {
    binding,
    input,
    bodyLength,
    principal,
    requestId: request.id,
    address: request.ip,
    idempotencyKey: findSingleHeader(request.headers['idempotency-key']),
    watchClient: () => watchClient(reply),
  };
}

/** Checks everything that the headers decide: the caller, the rate limit and the permission. */
async function admit(
  parts: RouteParts,
  binding: Binding,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Principal | null> {
  if (binding.operation.permission === 'public') return null;
  const credentials = getCredentials(request.headers, parts.branding);
  const principal = await parts.authenticate(credentials, binding.operation);
  reply.headers(parts.rateLimiter.take(principal));
  authorize(binding, principal);
  parts.bodies.setOwner(request, principal.familyId);
  return principal;
}

/** Reads the body; a large one gets a shorter report of its problems. */
async function readBody(
  parts: RouteParts,
  { operation }: Binding,
  limits: BodyLimits,
  request: FastifyRequest,
): Promise<{ readonly body: unknown; readonly bodyLength: number }> {
  if (operation.body === undefined) return { body: undefined, bodyLength: 0 };
  const declared = request.headers['content-type'];
  if (operation.text !== undefined && isOneOf(operation.text.media, declared)) {
    const text = await parts.bodies.readText(request, limits.bytesMax);
    requireStorable(operation.text.member, text);
    return { body: { [operation.text.member]: text }, bodyLength: text.length };
  }
  const isOther = declared === undefined || !isJson(declared);
  // A body of the wrong type is rejected without being read.
  if (isOther && declaresBody(request.raw)) throw createMediaFailure(operation);
  const read: JsonBody = await parts.bodies.readJson(request, limits);
  if (!read.isEmpty) return { body: read.value, bodyLength: read.bytes };
  if (operation.bodyMode === 'optional') return { body: {}, bodyLength: 0 };
  throw isOther ? createMediaFailure(operation) : fail('body_required');
}

function createMediaFailure({ text }: Operation): Failure {
  if (text === undefined) return fail('body_not_json');
  return fail('media_type_not_served', { media: [...text.media, 'application/json'].join(', ') });
}

function isOneOf(media: readonly string[], declared = ''): boolean {
  const [type = ''] = declared.split(';');
  return media.includes(type.trim().toLowerCase());
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim());
}

function toStringRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function findSingleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function send(parts: RouteParts, reply: FastifyReply, answer: Reply): FastifyReply {
  const isDocument = typeof answer.body === 'string' || answer.body instanceof Uint8Array;
  // A client may keep a plot or a table if it asks each time whether it still holds; a record is always sent.
  const control = isDocument && answer.status === 200 ? 'private, no-cache' : 'no-store';
  reply.code(answer.status).header('cache-control', control).headers(answer.headers);
  if (answer.body === null || answer.body === undefined) return reply.send();
  if (isDocument) return reply.header('vary', 'accept').send(answer.body);
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(writeBrandedText(answer.body, parts.branding));
}
