/** Facts that the methods of an experiment collect from the records of its results. */
import type { PackagedResult } from './packaged.ts';

/** Collects one kind of fact from results that it sees one by one. */
export interface FactCollector {
  take(result: PackagedResult): void;
  /** A sentence, or undefined where no result has the fact. */
  writeSentence(): string | undefined;
}

/** Counts words: `LEAD: 3 of this, 1 of that.` */
export function countWords(
  lead: string,
  read: (result: PackagedResult) => readonly (string | null | undefined)[],
): () => FactCollector {
  return () => {
    const counts = new Counts();
    return {
      take(result) {
        for (const words of read(result)) if (typeof words === 'string') counts.add(words);
      },
      writeSentence: () => (counts.isEmpty ? undefined : `${lead}: ${counts.writeText()}.`),
    };
  };
}

/** How often each word was seen, in the order of the first time. */
export class Counts {
  private readonly found = new Map<string, number>();

  get isEmpty(): boolean {
    return this.found.size === 0;
  }

  add(name: string): void {
    this.found.set(name, (this.found.get(name) ?? 0) + 1);
  }

  writeText(): string {
    return [...this.found].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
  }
}
