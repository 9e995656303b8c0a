import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclude, type Outcome } from './outcome.ts';

const OUTCOME: Outcome = {
  passed: 1,
  failed: 0,
  skips: [],
  emptyFiles: [],
  times: [{ file: 'src/a.test.ts', seconds: 1 }],
  success: true,
};

test('conclude: a file did not run to its end, all tests passed → the run fails and names the file', (t) => {
  const log = t.mock.method(console, 'log', () => undefined);
  const options = { slowestShown: 1, isFiltered: false };
  assert.ok(conclude(OUTCOME, { ...options, files: ['src/a.test.ts'] }));
  assert.ok(!conclude(OUTCOME, { ...options, files: ['src/a.test.ts', 'src/b.test.ts'] }));
  const printed = log.mock.calls.flatMap((call) => call.arguments).join('\n');
  assert.match(printed, /src\/b\.test\.ts did not run to its end\./);
  assert.match(printed, /1 passed, 1 failed$/);
});
