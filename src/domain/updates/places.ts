/**
 * Places in the feed: ids in the form of UUIDv7 (RFC 9562 §5.7), each greater than the one before, whatever the clocks
 * of the processes say.
 */

/** An update that waits for its place. */
export interface WaitingUpdate {
  /** The order in which it was written. */
  readonly arrival: number;
  readonly id: string;
  readonly organization_id: string;
  /** The last sequence of its organization; 0 before its first. */
  readonly last_sequence: number;
}

export interface Place {
  readonly arrival: number;
  readonly id: string;
  readonly sequence: number;
}

/** Less than the id of every update. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const COUNTER_MAX = 0xfff;

/** Gives places after `lastId` to updates in the order of their arrival. */
export function assignPlaces(lastId: string, waiting: readonly WaitingUpdate[], now: Date): Place[] {
  const sequences = new Map<string, number>();
  let last = lastId;
  return waiting.map(({ arrival, id, organization_id: organization, last_sequence }) => {
    const sequence = (sequences.get(organization) ?? last_sequence) + 1;
    sequences.set(organization, sequence);
    last = computeNextId(last, id, now);
    return { arrival, id: last, sequence };
  });
}

/** Returns an id after `last` with the random part of `drawn`. */
function computeNextId(last: string, drawn: string, now: Date): string {
  const lastMs = Number.parseInt(last.slice(0, 8) + last.slice(9, 13), 16);
  const nowMs = now.getTime();
  if (nowMs > lastMs) return writeId(nowMs, 0, drawn);
  const counter = Number.parseInt(last.slice(15, 18), 16) + 1;
  return counter > COUNTER_MAX ? writeId(lastMs + 1, 0, drawn) : writeId(lastMs, counter, drawn);
}

function writeId(ms: number, counter: number, drawn: string): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${drawn.slice(19)}`;
}
