/**
 * Detects a database that has stopped answering without closing its connections (frozen, or behind a dead network). A
 * slow statement proves nothing: waiting statements are given up only when a new connection gets no answer either.
 */

const TICK_MS = 250;

export interface StallWatchOptions {
  /** A younger statement is never suspected. */
  readonly suspectAfterMs: number;
  /** An older statement is given up whatever the probe returns. */
  readonly giveUpAfterMs: number;
  /** Whether a new connection gets an answer. Never rejects and has its own limit. */
  readonly probe: () => Promise<boolean>;
}

interface Waiting {
  readonly since: number;
  readonly abandonConnections: () => void;
}

export class StallWatch {
  readonly #options: StallWatchOptions;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(options: StallWatchOptions) {
    this.#options = options;
  }

  /** Watches one statement until the returned function is called. */
  watch(giveUp: () => void): () => void {
    const entry: Waiting = { since: performance.now(), abandonConnections: giveUp };
    this.#waiting.add(entry);
    // The connection of a statement keeps the process, and the watch alone does not.
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    return () => {
      this.#waiting.delete(entry);
    };
  }

  #tick(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#giveUpOlderThan(this.#options.giveUpAfterMs);
    if (!this.#probing && this.#listOlderThan(this.#options.suspectAfterMs).length > 0) void this.#check();
  }

  async #check(): Promise<void> {
    this.#probing = true;
    try {
      const alive = await this.#options.probe();
      if (!alive) this.#giveUpOlderThan(this.#options.suspectAfterMs);
    } finally {
      this.#probing = false;
    }
  }

  #giveUpOlderThan(ageMs: number): void {
    for (const entry of this.#listOlderThan(ageMs)) {
      this.#waiting.delete(entry);
      entry.abandonConnections();
    }
  }

  #listOlderThan(ageMs: number): Waiting[] {
    const limit = performance.now() - ageMs;
    return [...this.#waiting].filter((entry) => entry.since < limit);
  }
}
