/**
 * The router under the server makes two functions from text for each route, which no compile cache keeps. A service has a
 * thousand routes and is asked for few of them, so they are made when their address is first asked for: that is a tenth of
 * the processor time of a start.
 */
import { createRequire } from 'node:module';

type Make = (this: Storage, ...args: readonly unknown[]) => unknown;
type Match = (this: Storage, constraints: unknown) => unknown;

/** What the router keeps for one address. */
interface Storage {
  _compileCreateParamsObject: Make;
  _compileGetHandlerMatchingConstraints: Make;
  _getHandlerMatchingConstraints: Match;
}

let isDone = false;

/** Applies to all servers of the process. Leaves a router alone that is made differently: it is slower, and right. */
export function compileRoutesLate(): void {
  if (isDone) return;
  isDone = true;
  // The router that the server itself loads, whichever others are installed.
  const requireBesideServer = createRequire(createRequire(import.meta.url).resolve('fastify'));
  const storage: unknown = requireBesideServer('find-my-way/lib/handler-storage.js');
  if (isClass(storage) && isStorage(storage.prototype)) postpone(storage.prototype);
}

function postpone(storage: Storage): void {
  const { _compileCreateParamsObject: makeParams, _compileGetHandlerMatchingConstraints: makeMatch } =
    storage;
  storage._compileCreateParamsObject = function createLate(names) {
    let made: unknown;
    return (...values: readonly unknown[]): unknown => {
      made ??= makeParams.call(this, names);
      return typeof made === 'function' ? Reflect.apply(made, undefined, values) : undefined;
    };
  };
  storage._compileGetHandlerMatchingConstraints = function matchLate(constrainer) {
    this._getHandlerMatchingConstraints = (constraints) => {
      // It replaces this function by the one it makes.
      makeMatch.call(this, constrainer);
      return this._getHandlerMatchingConstraints(constraints);
    };
  };
}

function isClass(value: unknown): value is { readonly prototype: unknown } {
  return typeof value === 'function';
}

function isStorage(value: unknown): value is Storage {
  return (
    typeof value === 'object' &&
    value !== null &&
    '_compileCreateParamsObject' in value &&
    typeof value._compileCreateParamsObject === 'function' &&
    '_compileGetHandlerMatchingConstraints' in value &&
    typeof value._compileGetHandlerMatchingConstraints === 'function'
  );
}
