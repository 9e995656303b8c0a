/**
 * Requests under one idempotency key that run in this process at the same time. A request that fails waits for the
 * others: if one of them succeeds, its answer is the answer of all.
 */
interface Group {
  /** Number of requests since the first of those that still run. */
  size: number;
  running: number;
  hasSucceeded: boolean;
  /** Callbacks of failed requests that wait for another to succeed, or for all to end. */
  readonly waiting: (() => void)[];
}

export class SameKeyRequests {
  readonly #groups = new Map<string, Group>();

  /**
   * Runs the request. If it fails while others of its key run, `findAnswer` looks for the stored answer once one of them
   * succeeds; without one, the failure of the request stands.
   */
  async run<Answer>(
    key: string,
    request: () => Promise<Answer>,
    findAnswer: () => Promise<Answer | undefined>,
  ): Promise<Answer> {
    const group = this.#groups.get(key) ?? { size: 0, running: 0, hasSucceeded: false, waiting: [] };
    this.#groups.set(key, group);
    group.size += 1;
    group.running += 1;
    try {
      const answer = await request();
      this.#leave(key, group, true);
      return answer;
    } catch (error) {
      this.#leave(key, group, false);
      if (group.size === 1) throw error;
      if (group.running > 0 && !group.hasSucceeded)
        await new Promise<void>((resolve) => void group.waiting.push(resolve));
      const firstAnswer = await findAnswer();
      if (firstAnswer === undefined) throw error;
      return firstAnswer;
    }
  }

  #leave(key: string, group: Group, hasSucceeded: boolean): void {
    group.running -= 1;
    if (hasSucceeded) group.hasSucceeded = true;
    if (group.running === 0) this.#groups.delete(key);
    else if (!hasSucceeded) return;
    for (const resume of group.waiting.splice(0)) resume();
  }
}
