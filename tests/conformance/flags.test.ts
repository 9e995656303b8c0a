/** Every flag that an analysis can raise is explained where people look it up. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FLAG_CODES } from '#analysis/quality/flags.ts';
import { outcomes } from '#features/results/outcomes.ts';
import { findMeanings } from '#features/results/package/flags.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guide/results.md'), 'utf8');
const [, SECTION = ''] = GUIDE.split(/^## Flags$/m);
const ROWS = (SECTION.split(/^## /m)[0] ?? '').split('\n').filter((line) => /^\| `[A-Z]/.test(line));

test('guide: every flag → has exactly one row with what happened and what to do', () => {
  const rows = ROWS.map((line) => {
    const [, flags = '', happened = '', toDo = '', ...rest] = line.split('|').map((cell) => cell.trim());
    assert.deepEqual(rest, [''], line);
    assert.ok(happened.length > 10 && toDo.length > 5, line);
    return [...flags.matchAll(/`([A-Z0-9_]+)`/g)].map(([, code]) => code);
  });
  assert.deepEqual(rows.flat().toSorted(), [...FLAG_CODES].toSorted());
});

test('guide: every outcome → has exactly one row with its meaning', () => {
  const [, section = ''] = GUIDE.split('| Outcome | Meaning |');
  const rows = (section.split('\n\n')[0] ?? '').split('\n').slice(2);
  assert.deepEqual(
    rows.map((line) => /^\| `(\w+)` \| .{20,} \|$/.exec(line)?.[1] ?? line).toSorted(),
    [...outcomes].toSorted(),
  );
});

test('data package: every flag → has its meaning in the report', () => {
  assert.deepEqual(
    findMeanings(FLAG_CODES, {}).map(([flag]) => flag),
    [...FLAG_CODES].toSorted(),
  );
});
