/** The words a compiled list may consist of: whatever else appears in a statement came from a request. */
import assert from 'node:assert/strict';
import type { CompiledList, ListFields } from '#core/filter/index.ts';

const words = new Set(
  `and or not is null any in between ilike case when then else end length abs trunc numeric at time zone collate C
   asc desc nulls last limit offset true false text uuid int8 float8 boolean timestamptz timestamp date
   json_build_array to_jsonb to_char 40 100 9000000000000000000`.split(/\s+/),
);

const constants = new Set(['UTC', '{}', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"', 'YYYY-MM-DD']);

/** Patterns of the guards, recognized by what only they contain. */
function isGuard(text: string): boolean {
  return text.includes('[0-9]') && text.length > 30;
}

/** Fails when the statement holds anything but fixed words, the list's own columns and placeholders. */
export function assertStatement(list: CompiledList, fields: ListFields): void {
  const parts = [list.pageWhere, list.orderBy, list.keyColumn, list.limitOffset];
  const columns = new Set([...fields.fields.values()].map((field) => field.sql));
  for (const part of parts) {
    const withoutText = part.replaceAll(/'([^']*)'/g, (_, text: string) => {
      assert.ok(constants.has(text) || isGuard(text), `text in a statement: ${text}`);
      return ' ';
    });
    for (const word of withoutText.match(/[^\s()[\],:<>=~#"]+/g) ?? []) {
      const known = words.has(word) || columns.has(word) || /^\$\d+$/.test(word);
      assert.ok(known, `word in a statement: ${word}`);
    }
  }
  const used = new Set(parts.join(' ').match(/\$\d+/g) ?? []);
  for (let index = 0; index < list.values.length; index += 1) {
    assert.ok(used.has(`$${index + 1}`), `parameter ${index + 1} is not used`);
  }
  assert.equal(used.size, list.values.length);
}
