/** How many requests of one process may wait for a data package at the same time. */
import { fail } from '#core/failures.ts';

const PLACES = 64;
/** A quarter of the places, so that an owner whose programs all wait leaves the others theirs. */
const PLACES_OF_OWNER = 16;

export class WaitingPlaces {
  readonly #taken = new Map<string, number>();
  #count = 0;

  /**
   * Takes a place until the returned function is called, which may be called again. Call it before anything is awaited,
   * so that requests of the same moment count each other. Throws `overloaded`.
   */
  take(owner: string): () => void {
    const own = this.#taken.get(owner) ?? 0;
    if (this.#count >= PLACES || own >= PLACES_OF_OWNER) throw fail('overloaded');
    this.#change(owner, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#change(owner, -1);
      isTaken = false;
    };
  }

  #change(owner: string, by: 1 | -1): void {
    const left = (this.#taken.get(owner) ?? 0) + by;
    if (left === 0) this.#taken.delete(owner);
    else this.#taken.set(owner, left);
    this.#count += by;
  }
}
