import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FilterError, type FilterErrorCode } from './errors.ts';
import { parseSort } from './parse-sort.ts';
import { printSort } from './print.ts';

function expectRefused(text: string, code: FilterErrorCode, position: number, says: RegExp): void {
  assert.throws(
    () => parseSort(text),
    (error) => {
      assert.ok(error instanceof FilterError);
      assert.equal(error.code, code, error.message);
      assert.equal(error.position, position, error.message);
      assert.match(error.message, says);
      return true;
    },
  );
}

describe('sort parser', () => {
  it('sort: the three spellings → one sort', () => {
    for (const text of [
      'desc(created_at),asc(name)',
      '-created_at,+name',
      '-created_at,name',
      'created_at:desc,name:asc',
    ]) {
      assert.equal(printSort(parseSort(text)), 'desc(created_at),asc(name)', text);
    }
  });

  it('sort: mixed spellings, spaces, or a plus sign that arrived as a space → accepted', () => {
    assert.equal(printSort(parseSort(' - a ,  b , c : desc,desc( d )')), 'desc(a),asc(b),desc(c),desc(d)');
  });

  it('sort: casts and at(…) → printed in canonical form', () => {
    const text = 'desc(float(at(parameters,ph))),asc(at(at(summary,0),kd))';
    assert.equal(printSort(parseSort(text)), text);
  });

  it('sort: asc and desc without a call → field names', () => {
    assert.equal(printSort(parseSort('desc,-asc')), 'asc(desc),desc(asc)');
  });

  it('sort_syntax: malformed sorts → refused with the position and what was expected', () => {
    expectRefused('', 'sort_syntax', 1, /expected a field/);
    expectRefused('name,', 'sort_syntax', 6, /expected a field/);
    expectRefused('name asc', 'sort_syntax', 6, /expected a comma/);
    expectRefused('name:up', 'sort_syntax', 6, /expected asc or desc/);
    expectRefused('-float(n)', 'sort_syntax', 1, /sorted as asc\(…\) or desc\(…\)/);
    expectRefused('at(parameters,ph)', 'sort_syntax', 1, /sorted as asc\(…\) or desc\(…\)/);
    expectRefused('desc(name', 'sort_syntax', 10, /to close desc\(/);
    expectRefused('-name:desc', 'sort_syntax', 6, /expected a comma/);
  });

  it('too_many_sort_columns: eight columns → read; nine → refused', () => {
    assert.equal(parseSort('a,b,c,d,e,f,g,h').length, 8);
    expectRefused('a,b,c,d,e,f,g,h,i', 'too_many_sort_columns', 17, /at most 8 columns/);
  });
});
