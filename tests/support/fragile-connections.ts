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
    if (loss === 'after') await Promise.allSettled([Reflect.apply(query, this, args)]);
    this.connection.stream.destroy();
    throw new Error('Connection terminated unexpectedly');
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
