/** Runs work on many items, a few at a time. */

/**
 * Returns the results of `work` in the order of the items. One item more than `size` is in progress, so that a worker
 * that finishes finds the next. Rejects with the first failure, after all work in progress has ended.
 */
export async function runSideBySide<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const underWay = new Set<Promise<void>>();
  const start = (index: number, item: Item): void => {
    const carryOut = async (): Promise<void> => {
      results[index] = await work(item);
      underWay.delete(one);
    };
    const one = carryOut();
    // The next await receives a failure; until then it must not count as unhandled.
    one.catch(() => undefined);
    underWay.add(one);
  };
  try {
    for (const [index, item] of items.entries()) {
      start(index, item);
      while (underWay.size > size) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
  }
  return results;
}
