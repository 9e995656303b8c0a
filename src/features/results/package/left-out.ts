/** Names the standards and blanks that the analysis left out, which a report has to state (ISO/IEC 17025, 7.8.2). */
import { listRecords } from '#documents/records.ts';
import type { FactCollector } from './facts.ts';

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
