/** Work on many items, a few at a time. */

/**
 * The results of `work` in the order of the items. One item more than `size` is under way, so that a worker that ends finds the next.
 * Rejects with the first failure, after what was under way has ended.
 */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const underWay = new Set<Promise<void>>();
  try {
    for (const [index, item] of items.entries()) {
      const one = work(item).then((result) => {
        results[index] = result;
        underWay.delete(one);
      });
      // The next wait sees a failure; until then it is not an unhandled one.
      one.catch(() => undefined);
      underWay.add(one);
      while (underWay.size > size) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
  }
  return results;
}
