/** What every request to the fake is made of. */
import type { Root } from './schemas.ts';
import type { FakeState } from './state.ts';

export interface Parameters {
  readonly [name: string]: unknown;
}

export interface Call {
  readonly state: FakeState;
  readonly origin: string;
  readonly parameters: Parameters;
  /** What stands for the braces of the path. */
  readonly id: string;
  readonly nowS: number;
}

export class FakeRefusal extends Error {
  readonly status: number;
  readonly body: { error: Readonly<Record<string, unknown>> };

  constructor(status: number, type: string, code: string, besides: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.status = status;
    this.body = { error: { type, code, message: code, ...besides } };
  }
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** Null: the types of this SDK have no such request. */
  readonly root: Root | null;
  run(call: Call): unknown;
}

export const createInvalid = (code: string): FakeRefusal =>
  new FakeRefusal(400, 'invalid_request_error', code);
export const createMissing = (): FakeRefusal =>
  new FakeRefusal(404, 'invalid_request_error', 'resource_missing');

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

export function announce(state: FakeState, type: string, object: unknown, nowS: number): void {
  state.books.events.push({ id: state.createId('evt'), type, created: nowS, object });
}

/** Makes one entry of the table of requests. */
export const createRoute = (
  method: Route['method'],
  path: RegExp,
  root: Root | null,
  run: Route['run'],
): Route => ({
  method,
  path,
  root,
  run,
});
