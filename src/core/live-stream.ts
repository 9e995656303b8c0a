/** A list that goes on: what a handler answers where the client stays connected. */

export interface LiveEvent {
  readonly id: string;
  /** The event as JSON. */
  readonly text: string;
}

export class LiveStream {
  /** Streams of one key read the same events. */
  readonly key: string;
  /** The organization of the reader. */
  readonly organizationId: string;
  /** Staff read what happens in every organization. */
  readonly readsAll: boolean;
  /** The id after which it begins. */
  readonly after: string;
  /** False: it ends with the last event of the present. */
  readonly isFollowing: boolean;
  /** Reads the next events after one id up to another, in their order; fewer than asked for at the end. */
  readonly read: (range: {
    readonly after: string;
    readonly upTo: string;
    readonly limit: number;
  }) => Promise<readonly LiveEvent[]>;

  constructor(
    options: Pick<LiveStream, 'key' | 'organizationId' | 'readsAll' | 'after' | 'isFollowing' | 'read'>,
  ) {
    this.key = options.key;
    this.organizationId = options.organizationId;
    this.readsAll = options.readsAll;
    this.after = options.after;
    this.isFollowing = options.isFollowing;
    this.read = options.read;
  }
}
