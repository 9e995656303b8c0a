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

/** Ids of one millisecond. */
const COUNTS = 0x1000;

/**
 * Gives places after `lastId` to updates, those of one organization together and in the order of their arrival. Each
 * organization begins a millisecond of its own, so that its ids do not tell how many updates others had. The last
 * place has the greatest id.
 */
export function assignPlaces(lastId: string, waiting: readonly WaitingUpdate[], now: Date): Place[] {
  let ms = Math.max(readMs(lastId), now.getTime() - 1);
  return [...Map.groupBy(waiting, (update) => update.organization_id).values()].flatMap((updates) => {
    ms += 1;
    return updates.map(({ arrival, id, last_sequence: last }, index) => {
      if (index > 0 && index % COUNTS === 0) ms += 1;
      return { arrival, id: writeId(ms, index % COUNTS, id), sequence: last + index + 1 };
    });
  });
}

function readMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Returns an id that is less than those of all updates that get their places from that time on. */
export function computeFirstIdAt(time: Date): string {
  return writeId(time.getTime(), 0, FIRST_ID);
}

function writeId(ms: number, counter: number, drawn: string): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${drawn.slice(19)}`;
}
