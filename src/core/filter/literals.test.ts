import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldKind } from './fields.ts';
import { convert } from './literals.ts';
import { parseInstant, printInstant } from './timestamps.ts';

function expectConverted(kind: FieldKind, cases: Readonly<Record<string, string | undefined>>): void {
  for (const [text, expected] of Object.entries(cases))
    assert.equal(convert(kind, text), expected, `${kind} ${text}`);
}

describe('values by type', () => {
  it('filter_type: int, values around the 64-bit limits → only whole numbers within them are read', () => {
    expectConverted('int', {
      '0': '0',
      '-0': '0',
      '+7': '7',
      '007': '7',
      '9223372036854775807': '9223372036854775807',
      '-9223372036854775808': '-9223372036854775808',
      '9223372036854775808': undefined,
      '-9223372036854775809': undefined,
      '1.0': undefined,
      '1e3': undefined,
      '0x10': undefined,
      '٣': undefined,
      '': undefined,
      ' 1': undefined,
    });
  });

  it('filter_type: float, values around the limits → only finite numbers are read', () => {
    expectConverted('float', {
      '7.2': '7.2',
      '.5': '0.5',
      '5.': '5',
      '1e-9': '1e-9',
      '1e999': undefined,
      '1e-999': '0',
      NaN: undefined,
      Infinity: undefined,
      '-inf': undefined,
      '1_000': undefined,
      '1,5': undefined,
      '.': undefined,
    });
  });

  it('filter_type: uuid, bool and date → one form each is read', () => {
    expectConverted('uuid', {
      '0190B5A0-0000-7000-8000-000000000001': '0190b5a0-0000-7000-8000-000000000001',
      '0190b5a00000700080000000000000001': undefined,
      '{0190b5a0-0000-7000-8000-000000000001}': undefined,
    });
    expectConverted('bool', { true: 'true', FALSE: 'false', t: undefined, '1': undefined });
    expectConverted('date', {
      '2026-01-31': '2026-01-31',
      '2024-02-29': '2024-02-29',
      '2026-02-29': undefined,
      '2026-1-1': undefined,
      '2026-01-31T00:00:00Z': undefined,
      today: undefined,
    });
  });
});

describe('times as values', () => {
  it('filter_type: timestamp in RFC 3339 → UTC with microseconds', () => {
    expectConverted('timestamp', {
      '2026-01-01': '2026-01-01T00:00:00.000000Z',
      '2026-01-01T10:00': '2026-01-01T10:00:00.000000Z',
      '2026-01-01 10:00:00': '2026-01-01T10:00:00.000000Z',
      '2026-01-01t10:00:00z': '2026-01-01T10:00:00.000000Z',
      '2026-01-01T10:00:00.1234567Z': '2026-01-01T10:00:00.123457Z',
      '2026-01-01T23:59:59.9999999Z': '2026-01-02T00:00:00.000000Z',
      '2026-01-01T00:00:00+02:00': '2025-12-31T22:00:00.000000Z',
      '2026-01-01T00:00:00 02:00': '2025-12-31T22:00:00.000000Z',
      '2026-01-01T00:00:00-0530': '2026-01-01T05:30:00.000000Z',
      '2026-01-01T00:00:00+02': '2025-12-31T22:00:00.000000Z',
      '0001-01-01': '0001-01-01T00:00:00.000000Z',
      '9999-12-31T23:59:59.999999Z': '9999-12-31T23:59:59.999999Z',
      '0001-01-01T00:00:00+01:00': undefined,
      '9999-12-31T23:59:59-01:00': undefined,
      '0000-01-01': undefined,
      '2026-02-31': undefined,
      '2100-02-29': undefined,
      '2026-01-01T24:00:00Z': undefined,
      '2026-01-01T10:60:00Z': undefined,
      '2026-01-01T10:00:60Z': undefined,
      '2026-01-01T10:00:00+15:00': undefined,
      now: undefined,
      infinity: undefined,
      '10000-01-01': undefined,
      '-2026-01-01': undefined,
      '1767225600': undefined,
    });
  });

  it('instants: before 1970 → microseconds are kept', () => {
    const micros = parseInstant('1969-12-31T23:59:59.999999Z');
    assert.equal(micros, -1n);
    assert.equal(printInstant(-1n), '1969-12-31T23:59:59.999999Z');
  });
});
