/** How a disk without room, or a quota that is used up, shows in an error, and how long it counts as full. */
import { constants } from 'node:os';

/** The SQL state of a statement that the disk of the database had no room for. */
export const DATABASE_DISK_FULL = '53100';
/** Clients and jobs try again sooner than this, so a disk that is still full shows again. */
const FULL_FOR_MS = 60_000;
/** Node has no name for the error of a quota: its `code` is a text with the number, so only `errno` tells. */
const ERROR_NUMBERS: ReadonlySet<unknown> = new Set([-constants.errno.ENOSPC, -constants.errno.EDQUOT]);
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', DATABASE_DISK_FULL]);

/** Whether an error, or one that caused it, says that a disk or a quota has no room. */
export function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errno' in error && ERROR_NUMBERS.has(error.errno)) return true;
  if ('code' in error && CODES.has(error.code)) return true;
  return isOutOfSpace(error.cause);
}

/** Remembers for a minute that a disk was full. Nobody can ask the disk: what needs no new space still works. */
export class FullDisk {
  readonly #now: () => number;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  /** `now` gives milliseconds of a clock that is never set back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  record(error: unknown): void {
    if (isOutOfSpace(error)) this.#fullAtMs = this.#now();
  }

  isFull(): boolean {
    return this.#now() - this.#fullAtMs < FULL_FOR_MS;
  }
}
