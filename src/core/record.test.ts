import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildListFields,
  defineRecord,
  Flag,
  listChanges,
  OptionalNumber,
  OptionalText,
  RequiredText,
  TextList,
  writeColumns,
} from './record.ts';

const fields = {
  name: RequiredText('usual name', { isListed: true }),
  note: OptionalText('in words', { place: 'details', isLong: true }),
  tags: TextList('tags of the construct', { place: 'both' }),
  purity: OptionalNumber(
    'percent',
    { minimum: 0, maximum: 100 },
    { isListed: true, rule: [(percent) => percent <= 100, 'must be at most 100'] },
  ),
  labeled: Flag('it carries a label', { place: 'elsewhere' }),
};
const material = defineRecord(fields);

test('record: nothing was said of a field → its empty value', () => {
  assert.deepEqual(material.parse({}), { name: '', note: null, tags: [], purity: null, labeled: false });
  assert.deepEqual(material.parse({}), material.empty);
});

test('record: values of another kind or blank texts → count as none', () => {
  const values = { name: 7, note: '  ', tags: ['His', ' ', 3], purity: '98', labeled: 'yes' };
  assert.deepEqual(material.parse(values), { ...material.empty, tags: ['His'] });
});

test('record: cells of a file → read back as the record that wrote them', () => {
  const record = { name: 'EGFR', note: 'a; "b"\nc', tags: ['His', 'a;b'], purity: 97.5, labeled: true };
  const cells = material.writeCells(record);
  const read = Object.entries(cells).map(([name, cell]) => [name, material.findField(name)?.read(cell)]);
  assert.deepEqual(Object.fromEntries(read), record);
});

test('record: a cell that is not valid → undefined, and the field says what it expects', () => {
  assert.equal(fields.purity.read('a lot'), undefined);
  assert.equal(fields.purity.read('0x10'), undefined);
  assert.equal(fields.purity.expected, 'a number with a decimal point');
  assert.equal(fields.labeled.read('perhaps'), undefined);
});

test('record: missing, too long, of several lines, too many or against a rule → one problem each, at its field', () => {
  const wrong = {
    name: '',
    note: 'n'.repeat(20_001),
    tags: ['a\u0007'],
    purity: 101,
    labeled: false,
  };
  assert.deepEqual(
    material.findProblems(wrong).map(({ path }) => path),
    ['name', 'note', 'tags', 'purity'],
  );
  const many = {
    ...material.empty,
    name: 'EGFR',
    tags: Array.from({ length: 101 }, (_, index) => `t${index}`),
  };
  assert.deepEqual(material.findProblems(many), [
    { path: 'tags', message: 'has 101 entries; at most 100 are allowed' },
  ]);
});

test('record: places of fields → columns, details, or neither', () => {
  const record = { name: 'EGFR', note: 'x', tags: ['His'], purity: 98, labeled: true };
  assert.deepEqual(material.selectColumns(record), { name: 'EGFR', tags: ['His'], purity: 98 });
  assert.deepEqual(material.selectDetails(record), { note: 'x', tags: ['His'] });
});

test('record: listed fields → filters of their kind, of which those without a value may be null', () => {
  assert.deepEqual(buildListFields(fields, 'm'), {
    name: { kind: 'text', sql: 'm.name', nullable: false },
    purity: { kind: 'float', sql: 'm.purity', nullable: true },
  });
  assert.equal(writeColumns({ name: fields.name, purity: fields.purity }, 'm'), 'm.name, m.purity');
});

test('record: a changed list or text → a change with both values; the same values → none', () => {
  const before = { ...material.empty, name: 'EGFR', tags: ['His'] };
  const after = { ...before, tags: ['His', 'Avi'] };
  assert.deepEqual(listChanges(before, after), [{ field: 'tags', before: ['His'], after: ['His', 'Avi'] }]);
  assert.deepEqual(listChanges(before, { ...before, tags: ['His'] }), []);
});
