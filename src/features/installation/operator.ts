/** The operator at the command line of the server, who needs no token, with a clock and ids. */
import type { Origin } from '#core/context.ts';
import type { Clock } from '#core/clock.ts';
import type { Ids } from '#core/ids.ts';

export interface Operator {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly actor: {
    readonly actorKind: 'operator';
    /** The operator's account on the machine. */
    readonly actor: string;
    /** The name of the machine. */
    readonly origin: Pick<Origin, 'address'>;
  };
}
