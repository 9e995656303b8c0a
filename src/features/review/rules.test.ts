import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listOpenRepeats } from './rules.ts';

const decide = (decision: 'accept' | 'exclude' | 'repeat', minute: number) => ({
  decision,
  created_at: `2026-03-01T10:${String(minute).padStart(2, '0')}:00Z`,
});
const createRun = (minute: number | null) => ({
  completed_at: minute === null ? null : `2026-03-01T10:${String(minute).padStart(2, '0')}:00Z`,
});

test('open repeats: decided since the last completed run → listed; before it, or another decision → not', () => {
  const [done, open] = [decide('repeat', 10), decide('repeat', 30)];
  const decisions = [done, open, decide('exclude', 31), decide('accept', 32)];
  assert.deepEqual(listOpenRepeats(decisions, [createRun(5), createRun(20), createRun(null)]), [open]);
  assert.deepEqual(listOpenRepeats(decisions, [createRun(5), createRun(null)]), [done, open]);
  assert.deepEqual(listOpenRepeats(decisions, [createRun(40)]), []);
});
