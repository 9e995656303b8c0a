/** Room for pieces of work of different weight, whose memory grows with it. */

interface Waiting {
  readonly weight: number;
  readonly enter: () => void;
}

export class WeightedRoom {
  readonly #capacity: number;
  readonly #freeMax: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  /** Work up to `freeMax` takes no room: it never waits for the heavy. */
  constructor({ capacity, freeMax }: { readonly capacity: number; readonly freeMax: number }) {
    this.#capacity = capacity;
    this.#freeMax = freeMax;
  }

  /**
   * Waits, in the order of asking, until the weight fits; what is heavier than all the room waits until it is alone. The
   * caller calls the returned function in the end, which may be called again.
   */
  async take(weight: number): Promise<() => void> {
    if (weight <= this.#freeMax) return () => undefined;
    const taken = Math.min(weight, this.#capacity);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ weight: taken, enter: resolve });
    this.#admit();
    await promise;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= taken;
      this.#admit();
    };
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#taken + next.weight > this.#capacity) return;
      this.#waiting.shift();
      this.#taken += next.weight;
      next.enter();
    }
  }
}
