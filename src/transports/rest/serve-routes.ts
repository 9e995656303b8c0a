/**
 * Serves the routes of `routes.ts`, with hooks before and after their handlers. Fastify itself has a single route for
 * all paths, because each further one would lengthen the start by a tenth of a millisecond.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { fail } from '#core/failures.ts';
import { RouteTable, ServedRoute, TOO_LONG, type Found, type RouteDefaults } from './routes.ts';
import type { Handle, Routes } from '#ui/routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    listRoutes(): readonly ServedRoute[];
  }
}

/** Paths of programs. An unknown one has no error page, which would be HTML. */
const FOR_PROGRAMS = /^\/+(?:api|mcp)(?:[/?#]|$)/i;
/** Paths of metadata for programs (RFC 8615); an unknown one has no error page either. */
const WELL_KNOWN = /^\/+\.well-known(?:[/?#]|$)/;
/** The scheme and the host of a target in absolute form (RFC 9112 §3.2.2). */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** Whether the path of a URL as the client sent it is one of programs, whose every answer is JSON. */
function isForPrograms(url: string): boolean {
  const path = url.replace(ORIGIN, '');
  return FOR_PROGRAMS.test(path.includes('%') ? decodeLeniently(path) : path);
}

function decodeLeniently(path: string): string {
  return path.replaceAll(/%([2-7][\da-f])/gi, (_escape, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

type Finding = Found | typeof TOO_LONG | undefined;

export class ServedRoutes {
  readonly #table = new RouteTable();
  #unknown: ServedRoute | undefined;

  /** Returns an object that adds routes with these defaults. */
  open(defaults: RouteDefaults = {}): Routes {
    return this.#table.open(defaults);
  }

  /** Adds what answers a GET to an address that nothing serves. */
  addUnknown(defaults: RouteDefaults, handler: Handle): void {
    this.#unknown = new ServedRoute({ method: 'GET', url: '/*', handler }, defaults);
  }

  /** Finds the route of a URL as the client sent it. */
  find(method: string, url: string): Finding {
    const match = this.#table.find(method, url);
    if (match !== undefined && match !== TOO_LONG) return match;
    const isPage = (method === 'GET' || method === 'HEAD') && !isForPrograms(url) && !WELL_KNOWN.test(url);
    return isPage && this.#unknown !== undefined ? { route: this.#unknown, params: {} } : match;
  }

  list(): readonly ServedRoute[] {
    return this.#table.routes;
  }
}

/** Finds the route of each request before any other hook runs. Throws `address_too_long`. */
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
    if (!request.is404) keep(request, routes.find(request.method, request.raw.url ?? ''));
  });
}

/** Adds the single route of the server. Hooks that were added before it run before those of the route found. */
export function serveRoutes(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { servedRoute } = request;
    servedRoute?.defaults.begin?.(reply);
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
  // Nobody reads it, so that whoever writes it can stop.
  if (payload instanceof Readable) payload.on('error', () => undefined).destroy();
  else if (typeof payload === 'string' || payload instanceof Uint8Array)
    reply.header('content-length', String(Buffer.byteLength(payload)));
  else reply.header('content-length', '0');
}
