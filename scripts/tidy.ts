/**
 * `npm run tidy`: the laws of the code as a check. Prints `file:line rule: message` for everything that breaks one,
 * says how much it looked at, and exits with 1 on any finding.
 *
 *   npm run tidy -- [DIRECTORY]
 *
 * A file is excused from a rule by a comment on its first line: `// tidy-allow <rule>: <reason>`. An exception that
 * excuses nothing is a finding itself.
 */
import { resolve } from 'node:path';
import { check } from './tidy/check.ts';
import { readTree } from './tidy/tree.ts';

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, '..'));
const { findings, seen } = await check(readTree(root));

for (const { file, line, rule, message } of findings) console.log(`${file}:${line} ${rule}: ${message}`);
const counts = Object.entries(seen).map(([what, count]) => `${count} ${what}`);
const verdict = findings.length === 0 ? 'nothing to tidy' : `${findings.length} to tidy`;
console.log(`${counts.join(', ')}: ${verdict}`);
process.exitCode = findings.length === 0 ? 0 : 1;
