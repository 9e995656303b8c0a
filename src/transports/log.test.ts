import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { fail, type Failure } from '#core/failures.ts';
import { logFailure } from './log.ts';

function readLevel(failure: Failure): string {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  logFailure(log, {}, failure);
  const level = /"level":(\d+)/.exec(lines.join(''))?.[1] ?? '';
  return pino.levels.labels[Number(level)] ?? '';
}

test('log: a failure of ours, one that settles itself, and one of the client → error, warn and debug', () => {
  const unknown = 'payment_outcome_unknown';
  assert.equal(readLevel(fail(unknown, {}, { detail: 'no answer' })), 'error');
  assert.equal(readLevel(fail(unknown, {}, { settlesItself: true })), 'warn');
  assert.equal(readLevel(fail('payment_rail_not_served', { method: 'mpp-spt' })), 'debug');
  assert.equal(readLevel(fail('quote_not_found')), 'debug');
});
