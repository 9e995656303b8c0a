import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCanonicalJson } from './canonical-json.ts';

test('canonical JSON: members in any order → sorted by UTF-16 code units (RFC 8785 §3.2.3)', () => {
  const members = {
    '€': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '😀': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    ö: 'Latin Small Letter O With Diaeresis',
  };
  const expected = ['\r', '1', '\u0080', 'ö', '€', '😀', '\ufb33'];
  const parsed: Readonly<Record<string, string>> = JSON.parse(formatCanonicalJson(members));
  // Names that are numbers come first in every ECMAScript object, so this one is looked up in the text.
  const order = Object.keys(parsed).filter((name) => name !== '1');
  assert.deepEqual(
    order,
    expected.filter((name) => name !== '1'),
  );
  assert.match(formatCanonicalJson(members), /^\{"\\r":"Carriage Return","1":"One",/);
});

test('canonical JSON: strings → escaped as ECMAScript does, nothing else (RFC 8785 §3.2.2.2)', () => {
  assert.equal(formatCanonicalJson('€$\u000f\nA\'B"\\"/'), '"€$\\u000f\\nA\'B\\"\\\\\\"/"');
});

test('canonical JSON: lists and nested objects → lists keep their order, and no space is written', () => {
  assert.equal(
    formatCanonicalJson({ b: ['y', 'x'], a: { d: 'd', c: 'c' } }),
    '{"a":{"c":"c","d":"d"},"b":["y","x"]}',
  );
  assert.throws(() => formatCanonicalJson('\ud800'), RangeError);
});
