/**
 * `scripts/node scripts/move-files.ts LIST`: moves source files and folders, and rewrites what names them: imports,
 * addresses of workers, and paths in documents, comments and lists. LIST is a file with `from to` on each line, paths
 * from the root. An import stays relative within a room and takes the alias of the room elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { planMoves } from './house/moves.ts';
import { readTree } from './tidy/tree.ts';

const ROOT = resolve(import.meta.dirname, '..');
const [list] = process.argv.slice(2);
if (list === undefined) throw new Error('Name the file that lists what moves: `from to` on each line.');
const pairs = readFileSync(list, 'utf8')
  .split('\n')
  .map((line) => line.trim().split(/\s+/))
  .flatMap(([from, to]) => (from !== undefined && to !== undefined ? [[from, to] as const] : []));

const { moves, texts } = planMoves(readTree(ROOT), pairs);
for (const [from, to] of moves) {
  mkdirSync(dirname(join(ROOT, to)), { recursive: true });
  execFileSync('git', ['mv', from, to], { cwd: ROOT });
}
for (const [path, text] of texts) writeFileSync(join(ROOT, path), text);
console.log(`moved ${moves.size} files, rewrote ${texts.size}`);
