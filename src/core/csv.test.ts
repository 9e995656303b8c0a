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
