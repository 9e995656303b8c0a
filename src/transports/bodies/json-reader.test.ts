import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { Failure } from '#core/failures.ts';
import { JsonReader, parseJson } from './json-reader.ts';

const { array, assert: hold, constantFrom, json, nat, property, string, uint8Array } = fc;
const SHAPE = { depthMax: 8, namesMax: 100, membersMax: 60, valuesMax: 200 };
const WIDE = { depthMax: 500, namesMax: 10_000, membersMax: 10_000, valuesMax: 10_000 };

/** Reads a text that is cut at these positions. */
function readInPieces(bytes: Buffer, cuts: readonly number[], shape = WIDE): unknown {
  const reader = new JsonReader(shape);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const place of places) {
    reader.write(bytes.subarray(from, place));
    from = place;
  }
  return reader.finish();
}

function getRefusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof Failure) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'taken';
}

const cuts = array(nat(), { maxLength: 12 });
const noise = array(
  constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"\\u00e9"',
    '1',
    '-0',
    '1e5',
    '.5',
    '01',
    'true',
    'nul',
    ' ',
    '\\',
    'é',
  ),
  { maxLength: 24 },
);

test('JSON reader: random JSON cut anywhere → read as by JSON.parse, or refused by name', () => {
  hold(
    property(json({ stringUnit: 'binary' }), cuts, (text, places) => {
      const refusal = getRefusal(() =>
        assert.deepEqual(readInPieces(Buffer.from(text), places), JSON.parse(text)),
      );
      // Texts that JSON.parse accepts and the service cannot use are rejected with a named reason.
      assert.match(refusal, /^(taken|invalid_request .*(cannot be stored|not a possible name|given twice))/s);
    }),
    { numRuns: 3_000, verbose: true },
  );
});

test('malformed_json: random text → refused exactly when JSON.parse refuses it', () => {
  hold(
    property(noise, cuts, (parts, places) => {
      const text = parts.join('');
      const refusal = getRefusal(() => readInPieces(Buffer.from(text), places));
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (isJson) assert.match(refusal, /^taken|given twice|too large to represent/s, text);
      else
        assert.match(
          refusal,
          /^(malformed_json|invalid_request .*(?:given twice|too large to represent))/s,
          text,
        );
    }),
    { numRuns: 20_000, verbose: true },
  );
});

test('body_not_utf8: random bytes in a string → read or refused, never replaced', () => {
  hold(
    property(uint8Array({ maxLength: 20 }), string({ unit: 'binary' }), cuts, (bytes, text, places) => {
      const body = Buffer.concat([
        Buffer.from('{"a":"'),
        bytes,
        Buffer.from(`${JSON.stringify(text).slice(1, -1)}"}`),
      ]);
      const refusal = getRefusal(() => {
        const read = readInPieces(body, places);
        assert.deepEqual(read, JSON.parse(body.toString('utf8')));
        assert.equal(Buffer.from(body.toString('utf8')).equals(body), true);
      });
      assert.match(refusal, /^(taken|malformed_json|body_not_utf8|invalid_request)/);
    }),
    { numRuns: 5_000, verbose: true },
  );
});

test('invalid_request: a number that JavaScript cannot hold → refused with its path, never null', () => {
  for (const number of ['1e400', '-1E400', '1' + '0'.repeat(309)])
    assert.match(
      getRefusal(() => readInPieces(Buffer.from(`{"a":{"b":[0,${number}]}}`), [])),
      /^invalid_request .*a\.b\.1: is a number too large/,
    );
  assert.deepEqual(readInPieces(Buffer.from('[1e308,1e-400]'), []), [1e308, 0]);
});

test('body_not_utf8: a bad byte behind characters of several bytes → its offset is named', () => {
  for (const before of ['', 'a', 'é', '日本語', '😀', 'x'.repeat(100_000)]) {
    const body = Buffer.concat([Buffer.from(`{"a":"${before}`), Buffer.from([0xff]), Buffer.from('"}')]);
    const offset = Buffer.byteLength(`{"a":"${before}`);
    for (const places of [[], [offset], [offset - 1, offset + 1]])
      assert.match(
        getRefusal(() => readInPieces(body, places)),
        new RegExp(`^body_not_utf8 .*offset ${offset} `),
      );
  }
});

test('body_too_deep, body_too_complex: at the limit → accepted; one more → refused where it stands', () => {
  const nestLists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const createNamed = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
  const createListed = (count: number): string =>
    `[${Array.from({ length: count - 1 }, () => '1').join(',')}]`;
  const read = (text: string) => getRefusal(() => readInPieces(Buffer.from(text), [], SHAPE));
  assert.equal(read(nestLists(8)), 'taken');
  assert.match(read(nestLists(9).slice(0, 9)), /^body_too_deep/);
  assert.equal(read(`[${createNamed(60)},${createNamed(40)}]`), 'taken');
  assert.match(
    read(`[${createNamed(60)},${createNamed(41).slice(0, -3)}`),
    /^body_too_complex .*100 names, /,
  );
  assert.match(read(createNamed(61).slice(0, -3)), /^body_too_complex .*60 names in one object/);
  assert.equal(read(createListed(200)), 'taken');
  assert.match(read(createListed(201).slice(0, -1)), /^body_too_complex .*200 values/);
});

test('malformed_json: a number without end → refused before it ends', () => {
  assert.match(
    getRefusal(() => readInPieces(Buffer.from(`[${'1'.repeat(5_000)}`), [100, 600])),
    /400 digits/,
  );
});

test('invalid_request: a member given twice, or text that cannot be stored → refused with its path', () => {
  assert.match(
    getRefusal(() => parseJson('{"a":{"b":1,"c":2,"b":3}}')),
    /^invalid_request .*a\.b: is given twice/,
  );
  assert.match(
    getRefusal(() => parseJson('{"a":[[1],["\\u0000"]]}')),
    /^invalid_request .*a\.1\.0: contains/,
  );
  assert.match(
    getRefusal(() => parseJson('{"a":{"\\u005f_proto__":1}}')),
    /a\.__proto__: is not a possible name/,
  );
});

test('JSON reader: a text longer than a block, cut in escapes and characters → read whole', () => {
  const text = '\\ud83d\\ude00é😀\\n"'.repeat(20_000).replaceAll('"', '\\"');
  const places = Array.from({ length: 400 }, (_, index) => index * 997);
  const whole = `{"a":"${text}"}`;
  assert.deepEqual(readInPieces(Buffer.from(whole), places), JSON.parse(whole));
});
