/** `npm run command-list`: writes the nouns and verbs of the command line into its guide. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { groupVerbs } from '#cli/nouns.ts';

const HEAD = /(?<=\n\| Noun \| Verbs \|\n\|---\|---\|\n)(?:\|.*\n)+/;
const path = fileURLToPath(new URL('../docs/guide/command-line.md', import.meta.url));

/** The guide with the table as the operations have it now. */
export function replaceCommandList(guide: string): string {
  if (!HEAD.test(guide)) throw new Error(`${path} has no table of nouns and verbs.`);
  const nouns = [...groupVerbs()].toSorted(([a], [b]) => Number(isOfLab(a)) - Number(isOfLab(b)));
  const rows = nouns.map(
    ([noun, verbs]) => `| \`${noun}\` | ${verbs.map((verb) => `\`${verb}\``).join(', ')} |\n`,
  );
  return guide.replace(HEAD, () => rows.join(''));
}

const isOfLab = (noun: string): boolean => noun.startsWith('lab ');

if (import.meta.main) {
  await writeFile(path, replaceCommandList(await readFile(path, 'utf8')));
  console.log(`wrote ${path}`);
}
