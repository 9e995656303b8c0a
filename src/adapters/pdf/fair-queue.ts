/** Items that wait for their turn: each owner gets one turn after the other, however many items the others have. */
export class FairQueue<Item extends { readonly owner: string }> {
  /** In the order of turns; no line is empty. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;
  #lastOwner: string | undefined;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const line = this.#lines.get(item.owner);
    if (line === undefined) this.#lines.set(item.owner, [item]);
    else line.push(item);
    this.#size += 1;
  }

  /** Removes the item whose turn it is: of the owner that waited longest for a turn, the oldest. */
  take(): Item | undefined {
    // An owner who had the last turn and asks again at once may stand first.
    const owners = [...this.#lines.keys()];
    const owner = owners.find((each) => each !== this.#lastOwner) ?? owners[0];
    const line = owner === undefined ? undefined : this.#lines.get(owner);
    const item = line?.[0];
    if (owner === undefined || line === undefined || item === undefined) return undefined;
    this.#lastOwner = owner;
    this.#lines.delete(owner);
    this.#lines.set(owner, line);
    this.remove(item);
    return item;
  }

  /** Answers false where the item waits no more. */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.owner);
    const index = line?.indexOf(item) ?? -1;
    if (line === undefined || index < 0) return false;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(item.owner);
    this.#size -= 1;
    return true;
  }

  /**
   * Finds the item that makes room for one more of `owner` in a full queue: the last one of the longest line, where the
   * two lines are then no less even than before; undefined where `owner` has its share.
   */
  findExcess(owner: string): Item | undefined {
    const [longest = []] = [...this.#lines.values()].toSorted((a, b) => b.length - a.length);
    const own = this.#lines.get(owner)?.length ?? 0;
    return longest.length >= own + 2 ? longest.at(-1) : undefined;
  }

  /** Removes all items and returns them. */
  clear(): Item[] {
    const items = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#size = 0;
    return items;
  }
}
