import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineRecord, Flag, OptionalNumber, OptionalText, TextList } from '#core/record.ts';
import { readFields } from './record-form.ts';

const record = defineRecord({
  lot: OptionalText('lot in use', { label: 'Lot' }),
  tags: TextList('tags', { label: 'Tags' }),
  purity: OptionalNumber('percent', {}, { label: 'Purity' }),
  conjugated: Flag('it carries a label', { label: 'Label' }),
  note: OptionalText('nobody types it'),
  words: OptionalText('in words', { label: 'Words', isLong: true }),
});

test('record form: an empty field → cleared; one that the form lacks → left out; a box without a tick → false', () => {
  assert.deepEqual(readFields(record, { lot: '', tags: '', purity: ' ' }), {
    lot: null,
    tags: [],
    purity: null,
    conjugated: false,
  });
  assert.deepEqual(readFields(record, { note: 'x' }), { conjugated: false });
});

test('record form: a long text that is pasted with line breaks → one line', () => {
  assert.equal(
    readFields(record, { words: ' Binds EGF.\r\n  Signals inwards.\n' }).words,
    'Binds EGF. Signals inwards.',
  );
  assert.equal(readFields(record, { words: '\r\n' }).words, null);
});
