/**
 * `scripts/node scripts/measure-house.ts`: how large the rooms of the source are, as a table. Each row says how it
 * counts, what it finds, how far it may go, and what it is to reach. Exits with 1 where a row is beyond its limit.
 */
import { resolve } from 'node:path';
import { isWithin, measureHouse } from './house/measures.ts';
import { readTree } from './tidy/tree.ts';

const measures = measureHouse(readTree(resolve(import.meta.dirname, '..')));
for (const measure of measures) {
  const { name, unit, value, limit, goal, counts } = measure;
  const verdict = isWithin(measure) ? '' : '   BEYOND ITS LIMIT';
  console.log(
    `${name}: ${value}${unit} (limit ${limit}${unit}, to reach ${goal}${unit})${verdict}\n    ${counts}`,
  );
}
const beyond = measures.filter((measure) => !isWithin(measure));
console.log(
  beyond.length === 0 ? 'every measure is within its limit' : `${beyond.length} beyond their limits`,
);
process.exitCode = beyond.length === 0 ? 0 : 1;
