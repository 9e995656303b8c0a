import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { FILE_NAME, findLineProblem, KNOWN_LINE, ONE_LINE, removeControls } from './one-line.ts';

const REFUSED: readonly (readonly [text: string, code: string, position: number])[] = [
  ['nano\u200bbody', '200B', 5],
  ['\ufeffVHH', 'FEFF', 1],
  ['VHH\u2060', '2060', 4],
  ['so\u00adft', '00AD', 3],
  ['a\u034fb', '034F', 2],
  ['a\u061cb', '061C', 2],
  ['a\u115fb', '115F', 2],
  ['a\u1160b', '1160', 2],
  ['a\u180eb', '180E', 2],
  ['a\u200eb', '200E', 2],
  ['a\u200fb', '200F', 2],
  ['a\u202eb', '202E', 2],
  ['a\u2063b', '2063', 2],
  ['a\u2066b', '2066', 2],
  ['a\u206fb', '206F', 2],
  ['\u3164', '3164', 1],
  ['\uffa0', 'FFA0', 1],
  ['a\u{e0041}b', 'E0041', 2],
  ['a\u{e0001}', 'E0001', 2],
  ['🏴\u{e0067}\u{e0062}\u{e007f}', 'E0067', 2],
  ['a\u{1d173}b', '1D173', 2],
  // A character of two code units counts once.
  ['🧬🧬\u200b', '200B', 3],
  // A joiner or a selector that changes nothing that readers see.
  ['VHH\u200d-1', '200D', 4],
  ['VHH\u200c1', '200C', 4],
  ['\u200dVHH', '200D', 1],
  ['می\u200c', '200C', 3],
  ['می\u200c\u200cخواهم', '200C', 3],
  ['क\u200d', '200D', 2],
  ['a\u200d👩', '200D', 2],
  ['👩\u200dVHH', '200D', 2],
  ['VHH\ufe0f', 'FE0F', 4],
  ['1\ufe0f', 'FE0F', 2],
  ['a\u{e0100}', 'E0100', 2],
];

const ACCEPTED = [
  '',
  'VHH-1 (round 2)',
  'Grüße é e\u0301 αβ Ж 抗体 “x” ½ µ ‑ —',
  'عربي: نانوبودي',
  'עברית',
  'می\u200cخواهم',
  'پایگاه\u200cهای داده',
  'سال ۱۴۰۰ ه\u200d.ق',
  'क्\u200dष',
  'र्\u200dक',
  'র\u200d্য',
  'ශ්\u200dරී',
  'ക്\u200dഷ',
  'န\u200cမ',
  '👩\u200d🔬',
  '👩🏽\u200d🔬 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈',
  '1\ufe0f\u20e3 ©\ufe0f',
  '葛\u{e0100}',
  'ᠠ\u180b',
  '대한민국 ｶﾅ',
];

test('one line: an invisible character → refused by code point and position, and left out of what is stored', () => {
  for (const [text, code, position] of REFUSED) {
    const story = JSON.stringify(text);
    const message = `contains the invisible character U+${code} at position ${position}; remove it`;
    assert.equal(findLineProblem(text), message, story);
    const rest = removeControls(text);
    assert.equal(findLineProblem(rest), undefined, story);
    assert.equal(Array.from(rest).length < Array.from(text).length, true, story);
  }
});

test('one line: letters of any script, with the joiners and selectors that shape them → accepted and unchanged', () => {
  for (const text of ACCEPTED) {
    assert.equal(findLineProblem(text), undefined, JSON.stringify(text));
    assert.equal(removeControls(text), text);
    assert.equal(new RegExp(ONE_LINE).test(text), true, JSON.stringify(text));
  }
});

test('one line: a break or a control character → refused as several lines; removed as a space', () => {
  for (const found of ['\n', '\r', '\t', '\u0000', '\u007f', '\u0085', '\u2028', '\u2029']) {
    assert.equal(findLineProblem(`a${found}b`), 'must be one line, without control characters');
    assert.equal(removeControls(`a${found} b`), 'a b');
    for (const pattern of [ONE_LINE, FILE_NAME, KNOWN_LINE])
      assert.equal(new RegExp(pattern).test(`a${found}b`), false);
  }
});

test('one line: any text → what the published pattern refuses is refused, and what is removed leaves one line', () => {
  const parts = fc.constantFrom(...REFUSED.map(([text]) => text), ...ACCEPTED, '\n', '\u0000', 'x');
  const letter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
  fc.assert(
    fc.property(fc.array(fc.oneof(parts, letter), { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      if (!new RegExp(ONE_LINE, 'u').test(text)) assert.notEqual(findLineProblem(text), undefined);
      assert.equal(new RegExp(ONE_LINE).test(removeControls(text)), true);
    }),
  );
});

test('known line: the name of a sample with an invisible character → accepted as it is, a control of direction not', () => {
  const form = new RegExp(KNOWN_LINE);
  for (const text of ['so\u00adft', 'a\u200bb', '\ufeffa', 'a\u200db']) assert.equal(form.test(text), true);
  assert.equal(form.test('a\u202eb'), false);
});
