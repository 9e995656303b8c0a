/** Sentences of an assay for the report, the notebook and the description of columns. */
import { writeMarkdown, type Prose, markCode, prose } from '#documents/prose.ts';
import { listRecords } from '#documents/records.ts';
import type { PackagedResult } from './packaged.ts';

/** The settings of an analysis, and the model that it states for the experiment; null where each fit has its own. */
interface AnalysisRecord {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly model: string | null;
  /** Baseline slopes that curves share; null where none do, undefined where the record does not say. */
  readonly sharedSlopes?: unknown;
}

/** Returns the sentences for what is recorded; undefined for what is not. */
export type Sentences = (record: AnalysisRecord) => (string | undefined)[];

/** Returns the sentence of a numeric setting. */
export function withNumber(
  value: unknown,
  sentence: (number: number) => string | undefined,
): string | undefined {
  return typeof value === 'number' ? sentence(value) : undefined;
}

/** Explanations in the notebook and the report: the curves of each assay, and when to doubt its numbers. */

export interface Lesson {
  readonly curves: { readonly title: string; readonly text: Prose };
  readonly doubt: { readonly title: string; readonly points: readonly Prose[] };
}

/** Writes the explanation of the curves for the notebook. */
export function writeCurvesLesson({ curves: { title, text } }: Lesson): string {
  return `## ${title}\n\n${writeMarkdown(text)}`;
}

/** Writes the reasons for doubt for the notebook. */
export function writeDoubtLesson({ doubt: { title, points } }: Lesson): string {
  return `## ${title}\n\n${points.map((point) => `- ${writeMarkdown(point)}`).join('\n')}`;
}

/** Names the standards and blanks that the analysis left out, which a report has to state (ISO/IEC 17025, 7.8.2). */

const LEFT_OUT: ReadonlySet<unknown> = new Set(['STANDARD_LEFT_OUT', 'BLANK_LEFT_OUT']);

export const tellLeftOut = (): FactCollector => {
  const messages = new Set<string>();
  return {
    take({ qc }) {
      for (const { code, message } of listRecords(qc.details))
        if (LEFT_OUT.has(code) && typeof message === 'string') messages.add(message);
    },
    writeSentence: () => (messages.size === 0 ? undefined : [...messages].join(' ')),
  };
};

/** How replicates become one value, by the kind of their mean. */

const RELATIONS = prose`A value carries a relation: ${markCode('=')} is measured, ${markCode('<')} and ${markCode('>')} are limits of what the assay resolves, ${markCode('~')} is an estimate. A quantity that could not be measured is absent; it is never zero.`;

const WIDER =
  'their 95 % interval is the wider of what the errors of the replicates predict and what their spread shows. Only limits of one kind give a limit, the one that excludes least.';

export const GEOMETRIC: Prose = [
  `Every replicate is reported on its own. Values of a sequence are geometric means with the standard deviation of log10 over replicates; ${WIDER} `,
  ...RELATIONS,
];

export const ARITHMETIC: Prose = [
  `Every replicate is reported on its own. Values of a sequence are arithmetic means; ${WIDER} Replicates of a weak melting signal are fitted together instead, with one Tm and one ΔH. `,
  ...RELATIONS,
];

/** Where values and limits are mixed, the median is not dragged along by one limit. */
export const GEOMETRIC_OR_MEDIAN: Prose = [
  `Every replicate is reported on its own. Values of a sequence are geometric means, or the median where some replicates are limits; ${WIDER} The error that the replicates of a plate share comes on top. `,
  ...RELATIONS,
];

export const ARITHMETIC_OR_MEDIAN: Prose = [
  `Every replicate is reported on its own. Values of a sequence are arithmetic means, or the median where some replicates are limits; ${WIDER} The error that the replicates of a plate share comes on top. `,
  ...RELATIONS,
];

export const WITHOUT_INTERVAL: Prose = [
  'Every replicate is reported on its own. The response of a sequence is the arithmetic mean of its replicates, with their standard deviation and without an interval; an estimate of KD is a geometric mean. ',
  ...RELATIONS,
];

/** Facts that the methods of an experiment collect from the records of its results. */

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
