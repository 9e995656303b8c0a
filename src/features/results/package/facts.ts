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

/** Counts names that may begin with a number: `LEAD: 1:1 binding in 3, steady state in 1.` */
export function countNames(
  lead: string,
  read: (result: PackagedResult) => readonly (string | null)[],
): () => FactCollector {
  return () => {
    const counts = new Counts();
    return {
      take(result) {
        for (const name of read(result)) if (name !== null) counts.add(name);
      },
      writeSentence: () => (counts.isEmpty ? undefined : `${lead}: ${counts.writeNames()}.`),
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

  writeNames(): string {
    return [...this.found].map(([name, count]) => `${name} in ${count}`).join(', ');
  }

  writeText(): string {
    return [...this.found].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
  }
}
