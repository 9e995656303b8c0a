/** How pages and doors add their routes; `transports/rest` serves them. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';

export type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown;

export interface RouteOptions {
  readonly bodyLimit?: number;
  readonly config?: FastifyContextConfig;
  /** The handler reads the body itself, once the caller is known. */
  readonly leavesBody?: boolean;
  /** False: the GET route does not answer HEAD. Fastify has the same option. */
  readonly exposeHeadRoute?: boolean;
  /** Runs before the body is read. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

export interface RouteDefinition extends RouteOptions {
  readonly method: Method | readonly Method[];
  readonly url: string;
  readonly handler: Handle;
}

/** Adds routes to one part of the service. */
export interface Routes {
  get(url: string, handler: Handle): void;
  get(url: string, options: RouteOptions, handler: Handle): void;
  post(url: string, handler: Handle): void;
  post(url: string, options: RouteOptions, handler: Handle): void;
  add(definition: RouteDefinition): void;
}

/** HEAD is missing, because it is searched for as GET. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];
