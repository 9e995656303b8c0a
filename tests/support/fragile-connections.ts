/** Database connections that are lost at a chosen statement, before it is carried out or after it, with its answer. */
import { after } from 'node:test';
import pg from 'pg';

export const LOSSES = ['before', 'after'] as const;
export type Loss = (typeof LOSSES)[number];

/** Stands in every connection of this process; `lose` counts statements from then on, from zero. */
export function createFragileConnections() {
  const query: unknown = Reflect.get(pg.Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('pg has no query');
  let plan: { left: number; readonly loss: Loss } | undefined;

  const send = async function (this: pg.Client, ...args: unknown[]): Promise<unknown> {
    const loss = plan?.left === 0 ? plan.loss : undefined;
    if (plan !== undefined) plan.left -= 1;
    if (loss === undefined) return Reflect.apply(query, this, args);
    const tell = takeCallback(args[0]);
    if (loss === 'after') {
      const answered = Promise.withResolvers<void>();
      if (tell !== undefined) Reflect.set(Object(args[0]), 'callback', answered.resolve);
      const sent: unknown = Reflect.apply(query, this, args);
      await (tell === undefined ? Promise.allSettled([sent]) : answered.promise);
    }
    this.connection.stream.destroy();
    const lost = new Error('Connection terminated unexpectedly');
    if (tell === undefined) throw lost;
    tell(lost);
  };

  Reflect.set(pg.Client.prototype, 'query', send);
  after(() => void Reflect.set(pg.Client.prototype, 'query', query));
  return {
    lose: (at: number, loss: Loss) => void (plan = { left: at, loss }),
    /** Whether there were so many statements. */
    stop(): boolean {
      const isReached = plan !== undefined && plan.left < 0;
      plan = undefined;
      return isReached;
    },
  };
}

/** A statement that the pool reads by itself tells its end by a callback, a text by a promise. */
function takeCallback(statement: unknown): ((error: Error) => void) | undefined {
  if (!(statement instanceof pg.Query)) return undefined;
  const callback: unknown = Reflect.get(statement, 'callback');
  if (typeof callback !== 'function') throw new Error('a statement without a callback');
  return (error) => void Reflect.apply(callback, statement, [error]);
}
