/**
 * `scripts/node scripts/measure-house.ts`: how large the rooms of the source are, as a table. Each row says how it
 * counts, what it finds, how far it may go, and what it is to reach. A row beyond its limit names the files that it
 * counts, and the script exits with 1.
 */
import { resolve } from 'node:path';
import { isWithin, measureHouse } from './house/measures.ts';
import { readTree } from './tidy/tree.ts';

const measures = measureHouse(readTree(resolve(import.meta.dirname, '..')));
for (const measure of measures) {
  const { name, unit, value, limit, goal, counts, files } = measure;
  const verdict = isWithin(measure) ? '' : '   BEYOND ITS LIMIT';
  console.log(
    `${name}: ${value}${unit} (limit ${limit}${unit}, to reach ${goal}${unit})${verdict}\n    ${counts}`,
  );
  if (verdict !== '') for (const file of files) console.log(`    ${file}`);
}
const beyond = measures.filter((measure) => !isWithin(measure));
console.log(
  beyond.length === 0 ? 'every measure is within its limit' : `${beyond.length} beyond their limits`,
);
process.exitCode = beyond.length === 0 ? 0 : 1;
