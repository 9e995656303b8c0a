import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsvField, writeCsvField } from './csv.ts';

test('CSV: a text begins like a formula, also with a sign of full width → it is escaped and read back', () => {
  for (const sign of '=+-@＝＋－＠') {
    for (const text of [`${sign}1`, `'${sign}1`, `''${sign}1`]) {
      assert.equal(writeCsvField(text), `'${text}`);
      assert.equal(parseCsvField(`'${text}`), text);
    }
    assert.equal(writeCsvField(sign), sign);
  }
});

test('CSV: control characters and those of direction → spaces; line breaks and tabs stay', () => {
  assert.equal(writeCsvField('a\u001B[2Jb\u202Ec\u0000'), '"a [2Jb c "');
  assert.equal(writeCsvField('a\nb\tc'), '"a\nb\tc"');
});
