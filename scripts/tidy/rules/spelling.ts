/** American spelling in names, comments, messages and documents. */
import type { Finding, Rule } from '../tree.ts';
import { BRITISH } from '../words.ts';

const RULE = 'american-spelling';
const READ = /\.(?:ts|mjs|md)$/;
/** What was written at its time, and what has to name the words. */
const UNREAD = /^(?:CHANGELOG\.md|scripts\/tidy\/words\.ts|scripts\/tidy\/fixtures\/)/;
/** Addresses, paths of migrations, names of columns and attributes of HTML stay as they were released. */
const RELEASED = /https?:\/\/\S+|\b\d{4}_[a-z_]+|\breanalyze\b|\banalyze_experiment\b|aria-labelledby/g;

export const spellingRules: Rule = {
  names: [RULE],
  check: (tree) => [...tree.files].flatMap(([file, text]) => checkSpelling(file, text)),
};

function checkSpelling(file: string, text: string): Finding[] {
  if (UNREAD.test(file)) return [];
  const inPath = describeFirst(file);
  const lines = READ.test(file) ? text.split('\n') : [];
  return [
    ...(inPath === undefined ? [] : [{ rule: RULE, file, line: 1, message: `the path: ${inPath}` }]),
    ...lines.flatMap((line, index): Finding[] => {
      const message = describeFirst(line);
      return message === undefined ? [] : [{ rule: RULE, file, line: index + 1, message }];
    }),
  ];
}

/** The first British word of a text and what to write instead; undefined where there is none. */
function describeFirst(text: string): string | undefined {
  const read = text.replaceAll(RELEASED, '');
  for (const [british, american] of BRITISH) {
    const found = british.exec(read)?.[0];
    if (found !== undefined) return `"${found}" is British; write "${american}"`;
  }
  return undefined;
}
