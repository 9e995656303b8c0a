/**
 * What the server does with a request before and after its handler is run. The server itself has one route for all
 * addresses, because it spends a tenth of a millisecond of a start on each.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { fail } from '#core/failures.ts';
import {
  RouteTable,
  ServedRoute,
  TOO_LONG,
  type Found,
  type Handle,
  type Routes,
  type Scope,
} from './routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Lists all that is served, the late part included. */
    listRoutes(): Promise<readonly ServedRoute[]>;
  }
}

/** A part of the service whose addresses are known when the first of them is asked for. */
interface LatePart {
  readonly scope: Scope;
  readonly add: (routes: Routes) => Promise<void>;
  /** Answers a GET to an address that nothing serves. */
  readonly answerUnknown: Handle;
}

/** Programs ask there; what is not served there is not served by the late part either. */
const FOR_PROGRAMS = /^\/(?:api|mcp)(?:[/?#]|$)/;

type Finding = Found | typeof TOO_LONG | undefined;

export class ServedRoutes {
  readonly #early = new RouteTable();
  readonly #late = new RouteTable();
  #part: LatePart | undefined;
  #unknown: ServedRoute | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;

  /** Returns what adds routes that share `scope`. */
  open(scope: Scope = {}): Routes {
    return this.#early.open(scope);
  }

  addLate(part: LatePart): void {
    this.#part = part;
    this.#unknown = new ServedRoute({ method: 'GET', url: '/*', handler: part.answerUnknown }, part.scope);
  }

  /** Takes the address as the client wrote it. The answer comes later only where the late part is loaded for it. */
  find(method: string, url: string): Finding | Promise<Finding> {
    const early = this.#early.find(method, url);
    if (early !== undefined && early !== TOO_LONG) return early;
    if (this.#isLoaded || FOR_PROGRAMS.test(url)) return this.#findLate(method, url, early);
    return this.#load().then(() => this.#findLate(method, url, early));
  }

  #findLate(method: string, url: string, early: typeof TOO_LONG | undefined): Finding {
    const found = this.#late.find(method, url) ?? early;
    if (found !== undefined && found !== TOO_LONG) return found;
    const isReading = method === 'GET' || method === 'HEAD';
    return isReading && this.#unknown !== undefined ? { route: this.#unknown, params: {} } : found;
  }

  async list(): Promise<readonly ServedRoute[]> {
    await this.#load();
    return [...this.#early.routes, ...this.#late.routes];
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce();
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    await this.#part?.add(this.#late.open(this.#part.scope));
    this.#isLoaded = true;
  }
}

/** Finds what the address leads to, before any other hook runs. */
export function findRoutes(app: FastifyInstance, routes: ServedRoutes): void {
  app.decorate('listRoutes', () => routes.list());
  app.decorateRequest('servedRoute', null);
  const keep = (request: FastifyRequest, found: Finding): void => {
    if (found === TOO_LONG) throw fail('address_too_long');
    if (found === undefined) return;
    request.servedRoute = found.route;
    request.params = found.params;
  };
  app.addHook('onRequest', async (request) => {
    if (!request.is404) keep(request, await routes.find(request.method, request.raw.url ?? ''));
  });
}

/** Adds the one route of the server. Hooks added before it run before those of the address. */
export function serveRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { servedRoute } = request;
    servedRoute?.scope.begin?.(reply);
    await servedRoute?.options.onRequest?.(request, reply);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.method !== 'HEAD' || request.servedRoute === null) return done();
    measureBody(reply, payload);
    done(null, null);
  });
  app.all('/*', { exposeHeadRoute: false }, (request, reply) => request.servedRoute?.handler(request, reply));
}

/** The answer to HEAD has the length of the body that a GET would get. */
function measureBody(reply: FastifyReply, payload: unknown): void {
  if (payload instanceof Readable) payload.on('error', () => undefined).resume();
  else if (typeof payload === 'string' || payload instanceof Uint8Array)
    reply.header('content-length', String(Buffer.byteLength(payload)));
  else reply.header('content-length', '0');
}
