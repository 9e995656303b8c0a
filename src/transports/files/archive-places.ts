/** How many archives one process writes at the same time: each takes minutes for a large experiment. */
import { fail } from '#core/failures.ts';

const PLACES = 4;
/** Half of the places, so that an owner who reads slowly, or not at all, leaves the others theirs. */
const PLACES_OF_OWNER = 2;

export class ArchivePlaces {
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
