/** A small seeded source of chance (mulberry32): the same seed makes the same requests. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A source of its own for one request, so that what one draws does not move the next. */
  static createForRequest(seed: number, number: number): Chance {
    const source = new Chance(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35));
    source.drawBelow(2);
    return source;
  }

  /** A whole number from 0 up to, and without, `limit`. */
  drawBelow(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, limit);
  }

  /** True in so many of 100 cases. */
  isDrawn(percent: number): boolean {
    return this.drawBelow(100) < percent;
  }

  pick<T>(items: readonly T[]): T {
    const chosen = items[this.drawBelow(items.length)];
    if (chosen === undefined) throw new Error('there is nothing to pick from');
    return chosen;
  }

  /** One of the choices, each as likely as its weight. */
  drawWeighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.drawBelow(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, choice] of choices) {
      if (left < weight) return choice;
      left -= weight;
    }
    throw new Error('the weights are all zero');
  }
}
