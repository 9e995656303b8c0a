/**
 * Addresses with their handlers. The router of an address is made when the first request begins like it, because a
 * service has hundreds and is asked for few of them; what answers GET answers HEAD, too.
 */
import createRouter from 'find-my-way';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the address leads to; null where nothing is served. */
    servedRoute: ServedRoute | null;
  }
}

/** Longer than a parameter of any address that exists. */
export const PARAMETER_LENGTH_MAX = 300;

/** The first part of an address behind the prefix of the API, where no part of the address is escaped. */
const FIRST_PART = /^\/(?:api\/v1\/)?([^/?#%]*)(?=[/?#]|$)(?![^?#]*%)/;

export type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

interface RouteOptions {
  readonly bodyLimit?: number;
  readonly config?: FastifyContextConfig;
  /** The handler reads the body itself, after the caller is known. */
  readonly leavesBody?: boolean;
  /** Whether a GET answers HEAD, too; it does unless this is false. */
  readonly exposeHeadRoute?: boolean;
  /** Runs before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

/** What the routes of a part of the service have in common. */
export interface Scope extends Pick<RouteOptions, 'bodyLimit' | 'leavesBody'> {
  readonly begin?: (reply: FastifyReply) => void;
  /** Answers a failure in the form that the clients of this part expect. */
  readonly answerError?: (request: FastifyRequest, reply: FastifyReply, error: unknown) => unknown;
}

interface WholeRoute extends RouteOptions {
  readonly method: Method | readonly Method[];
  readonly url: string;
  readonly handler: Handle;
}

/** One address with its methods. */
export class ServedRoute {
  readonly methods: readonly Method[];
  readonly url: string;
  readonly handler: Handle;
  readonly options: RouteOptions;
  readonly scope: Scope;

  constructor({ method, url, handler, ...options }: WholeRoute, scope: Scope) {
    this.methods = typeof method === 'string' ? [method] : method;
    this.url = url;
    this.handler = handler;
    this.options = { ...scope, ...options };
    this.scope = scope;
  }

  get config(): FastifyContextConfig {
    return this.options.config ?? {};
  }

  get answersHead(): boolean {
    return this.methods.includes('GET') && this.options.exposeHeadRoute !== false;
  }
}

/** Adds routes to one part of the service. */
export interface Routes {
  get(url: string, handler: Handle): void;
  get(url: string, options: RouteOptions, handler: Handle): void;
  post(url: string, handler: Handle): void;
  post(url: string, options: RouteOptions, handler: Handle): void;
  add(whole: WholeRoute): void;
}

export interface Found {
  readonly route: ServedRoute;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** An address whose parameter is longer than any that exists. */
export const TOO_LONG = Symbol('too long');

/** HEAD is answered by what answers GET. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

type Router = ReturnType<typeof createRouter>;

export class RouteTable {
  readonly routes: ServedRoute[] = [];
  readonly #groups = new Map<string, ServedRoute[]>();
  readonly #routers = new Map<string, Router>();

  /** Returns what adds routes that share `scope`. */
  open(scope: Scope = {}): Routes {
    const addOne = (method: Method, url: string, given: RouteOptions | Handle, handler?: Handle): void => {
      const [options, handle] = typeof given === 'function' ? [{}, given] : [given, handler];
      if (handle !== undefined)
        this.#add(new ServedRoute({ ...options, method, url, handler: handle }, scope));
    };
    return {
      get: (url: string, given: RouteOptions | Handle, handler?: Handle) =>
        addOne('GET', url, given, handler),
      post: (url: string, given: RouteOptions | Handle, handler?: Handle) =>
        addOne('POST', url, given, handler),
      add: (whole) => this.#add(new ServedRoute(whole, scope)),
    };
  }

  #add(route: ServedRoute): void {
    const part = FIRST_PART.exec(route.url)?.[1];
    if (part === undefined || /[:*]/.test(part)) throw new Error(`${route.url} begins with no fixed part`);
    this.routes.push(route);
    const group = this.#groups.get(part) ?? [];
    this.#groups.set(part, group);
    group.push(route);
  }

  /** Takes the address as the client wrote it. */
  find(method: string, url: string): Found | typeof TOO_LONG | undefined {
    const router = this.#getRouter(FIRST_PART.exec(url)?.[1]);
    return router === undefined ? undefined : findIn(router, method, url);
  }

  #getRouter(part: string | undefined): Router | undefined {
    // An address with escapes, or with a host before its path, may be any of them.
    const routes = part === undefined ? this.routes : this.#groups.get(part);
    if (routes === undefined) return undefined;
    const key = part ?? '*';
    const router = this.#routers.get(key) ?? buildRouter(routes);
    this.#routers.set(key, router);
    return router;
  }
}

function buildRouter(routes: readonly ServedRoute[]): Router {
  // The router asks for functions, and is only asked which route an address leads to.
  const ignore = (): void => undefined;
  const router = createRouter({
    maxParamLength: PARAMETER_LENGTH_MAX,
    onMaxParamLength: ignore,
    // The server has read the query already.
    querystringParser: () => ({}),
  });
  for (const route of routes) for (const method of route.methods) router.on(method, route.url, ignore, route);
  return router;
}

function findIn(router: Router, method: string, url: string): Found | typeof TOO_LONG | undefined {
  const isHead = method === 'HEAD';
  const asked = METHODS.find((one) => one === (isHead ? 'GET' : method));
  const found = asked === undefined ? null : router.find(asked, url);
  if (found === null) return undefined;
  const route: unknown = found.store;
  if (!(route instanceof ServedRoute)) return TOO_LONG;
  return isHead && !route.answersHead ? undefined : { route, params: found.params };
}
