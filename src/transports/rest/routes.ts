/**
 * The routes of the service, and the search for the one that a request asks for. Routes whose paths begin with the same
 * part share a router. It is made when the first request begins with that part, because a service has hundreds of routes
 * and most processes are asked for few of them. What answers GET also answers HEAD.
 */
import createRouter from 'find-my-way';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import {
  METHODS,
  type Handle,
  type Method,
  type RouteDefinition,
  type RouteOptions,
  type Routes,
} from '#ui/routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The route of the request; null where there is none. */
    servedRoute: ServedRoute | null;
  }
}

/** In characters; no route has a longer parameter. */
export const PARAMETER_LENGTH_MAX = 300;

/**
 * Captures the first part of a path, after the prefix of the API. It matches no path that contains an escape (`%`),
 * because escapes can stand for any letters of the part.
 */
const FIRST_PART = /^\/(?:api\/v1\/)?([^/?#%]*)(?=[/?#]|$)(?![^?#]*%)/;

/** What the routes of one part of the service share, such as those of the pages. */
export interface RouteDefaults extends Pick<RouteOptions, 'bodyLimit' | 'leavesBody'> {
  /** Runs before all else on a request, such as to set headers. */
  readonly begin?: (reply: FastifyReply) => void;
  /** Answers a failure in the form that the clients of this part expect. */
  readonly answerError?: (request: FastifyRequest, reply: FastifyReply, error: unknown) => unknown;
}

/** A path with its methods, its handler and its options. */
export class ServedRoute {
  readonly methods: readonly Method[];
  readonly url: string;
  readonly handler: Handle;
  readonly options: RouteOptions;
  readonly defaults: RouteDefaults;

  constructor({ method, url, handler, ...options }: RouteDefinition, defaults: RouteDefaults) {
    this.methods = typeof method === 'string' ? [method] : method;
    this.url = url;
    this.handler = handler;
    this.options = { ...defaults, ...options };
    this.defaults = defaults;
  }

  get config(): FastifyContextConfig {
    return this.options.config ?? {};
  }

  get answersHead(): boolean {
    return this.methods.includes('GET') && this.options.exposeHeadRoute !== false;
  }
}

export interface Found {
  readonly route: ServedRoute;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Answers a search for a path with a parameter that is longer than `PARAMETER_LENGTH_MAX`. */
export const TOO_LONG = Symbol('too long');

type Router = ReturnType<typeof createRouter>;

export class RouteTable {
  readonly routes: ServedRoute[] = [];
  /** By first part. */
  readonly #groups = new Map<string, ServedRoute[]>();
  readonly #routers = new Map<string, Router>();

  /** Returns an object that adds routes with these defaults. */
  open(defaults: RouteDefaults = {}): Routes {
    const addOne = (
      method: Method,
      url: string,
      optionsOrHandler: RouteOptions | Handle,
      handler?: Handle,
    ): void => {
      const [options, handle] =
        typeof optionsOrHandler === 'function' ? [{}, optionsOrHandler] : [optionsOrHandler, handler];
      if (handle !== undefined)
        this.#add(new ServedRoute({ ...options, method, url, handler: handle }, defaults));
    };
    return {
      get: (url: string, optionsOrHandler: RouteOptions | Handle, handler?: Handle) =>
        addOne('GET', url, optionsOrHandler, handler),
      post: (url: string, optionsOrHandler: RouteOptions | Handle, handler?: Handle) =>
        addOne('POST', url, optionsOrHandler, handler),
      add: (definition) => this.#add(new ServedRoute(definition, defaults)),
    };
  }

  #add(route: ServedRoute): void {
    const part = FIRST_PART.exec(route.url)?.[1];
    if (part === undefined || /[:*]/.test(part))
      throw new Error(`the path ${route.url} begins with no fixed part: put one before its first parameter`);
    this.routes.push(route);
    const group = this.#groups.get(part) ?? [];
    this.#groups.set(part, group);
    group.push(route);
  }

  /** Finds the route of a URL as the client sent it, with its query and its escapes. */
  find(method: string, url: string): Found | typeof TOO_LONG | undefined {
    const router = this.#getRouter(FIRST_PART.exec(url)?.[1]);
    return router === undefined ? undefined : findIn(router, method, url);
  }

  #getRouter(part: string | undefined): Router | undefined {
    // A URL with escapes, or with a host before its path, may lead to any route.
    const routes = part === undefined ? this.routes : this.#groups.get(part);
    if (routes === undefined) return undefined;
    const key = part ?? '*';
    const router = this.#routers.get(key) ?? buildRouter(routes);
    this.#routers.set(key, router);
    return router;
  }
}

function buildRouter(routes: readonly ServedRoute[]): Router {
  // The router requires handlers, but only its search is used here.
  const ignore = (): void => undefined;
  const router = createRouter({
    maxParamLength: PARAMETER_LENGTH_MAX,
    onMaxParamLength: ignore,
    // The server has parsed the query already.
    querystringParser: () => ({}),
  });
  for (const route of routes) for (const method of route.methods) router.on(method, route.url, ignore, route);
  return router;
}

function findIn(router: Router, method: string, url: string): Found | typeof TOO_LONG | undefined {
  const isHead = method === 'HEAD';
  const matching = METHODS.find((one) => one === (isHead ? 'GET' : method));
  const match = matching === undefined ? null : router.find(matching, url);
  if (match === null) return undefined;
  const route: unknown = match.store;
  if (!(route instanceof ServedRoute)) return TOO_LONG;
  return isHead && !route.answersHead ? undefined : { route, params: match.params };
}
