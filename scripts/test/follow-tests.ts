/**
 * Loaded before a test file: lets the test runner follow which test some work belongs to by an asynchronous context.
 *
 * The runner of Node 24 follows it by hooks on every promise, which take a seventh of the processor time of a test that
 * asks a service. It reads three functions of `node:async_hooks` when it is loaded; this module gives it others for
 * that moment. Everything else keeps those of Node. `follow-tests.test.ts` shows that each failure is still seen.
 */
import {
  AsyncLocalStorage,
  AsyncResource,
  type AsyncResourceOptions,
  type HookCallbacks,
} from 'node:async_hooks';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** The number of the test that is running; of nothing outside of tests. */
const running = new AsyncLocalStorage<number>();
const OUTSIDE = 0;
let tellRunner: HookCallbacks['init'];

/** What tests are made of. The runner hears of each at once, and what a test starts runs in its context. */
class FollowedResource extends AsyncResource {
  constructor(type: string, options?: AsyncResourceOptions) {
    super(type, options);
    tellRunner?.(this.asyncId(), type, OUTSIDE, this);
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    // Within, because a resource runs in the context in which it was made.
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => Reflect.apply(work, self, args)));
  }
}

function createHook(callbacks: HookCallbacks) {
  tellRunner = callbacks.init?.bind(callbacks);
  return {
    enable: () => undefined,
    disable: () => {
      tellRunner = undefined;
    },
  };
}

const hooks: Record<string, unknown> = require('node:async_hooks');
const { AsyncResource: ownResource, createHook: ownHook, executionAsyncId: ownId } = hooks;
const getRunning = (): number => running.getStore() ?? OUTSIDE;
Object.assign(hooks, { AsyncResource: FollowedResource, createHook, executionAsyncId: getRunning });
require('node:test');
Object.assign(hooks, { AsyncResource: ownResource, createHook: ownHook, executionAsyncId: ownId });
