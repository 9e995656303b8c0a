import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseFilter } from '#core/filter/parse.ts';
import { parseSort } from '#core/filter/parse-sort.ts';
import { printSort } from '#core/filter/print.ts';

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guide', 'filtering.md'), 'utf8');
const examples = guide.slice(guide.indexOf('## Examples'), guide.indexOf('## Conditions'));

describe('the guide to filtering', () => {
  it('filter guide: every filter it shows → can be read', () => {
    const filters = [...examples.matchAll(/^\|.*\| `(.+)`\s*\|$/gm)].map((match) => match[1] ?? '');
    const shown = filters.filter((text) => text !== 'filter');
    assert.ok(shown.length > 10);
    for (const text of shown) assert.ok(parseFilter(text));
  });

  it('sort guide: three spellings of one order → the same sort', () => {
    const block = examples.slice(examples.lastIndexOf('```', examples.length - 10));
    const lines = block.split('\n').filter((line) => /^[a-z-]/.test(line));
    const sorts = lines.map((line) => printSort(parseSort(line)));
    assert.equal(sorts.length, 4);
    assert.equal(new Set(sorts.slice(0, 3)).size, 1);
  });
});
