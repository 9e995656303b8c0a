import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeEvent, writeTest, type DeliveredEvent } from './body.ts';
import { writeChatBody } from './body.ts';

const BASE = 'https://lab.example.org';
const EVENT: DeliveredEvent = {
  event_type: 'invoice.paid',
  organization_id: 'o',
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  update_type: 'invoice',
  name: 'Invoice paid',
  description: 'INV-1',
  previous_status: null,
  status: null,
  eta: null,
  at: new Date(0),
};

const writeText = (event: Partial<DeliveredEvent>): unknown =>
  JSON.parse(writeChatBody(writeEvent({ ...EVENT, ...event }), BASE));

test('chat text: an event → what happened, to what, and the address of its page', () => {
  const text = `*Invoice paid* · DEMO-001-001\nINV-1\n${BASE}/experiments/${EVENT.experiment_id}`;
  assert.deepEqual(writeText({}), { text });
  assert.deepEqual(writeText({ event_type: 'experiment.deleted', description: null }), {
    text: '*Invoice paid* · DEMO-001-001',
  });
});

test('chat text: a description that Slack would read as a command → shown as it is written', () => {
  assert.match(JSON.stringify(writeText({ description: '<!channel> a & b' })), /&lt;!channel&gt; a &amp; b/);
});

test('chat text: a test → says so', () => {
  assert.match(writeChatBody(writeTest('o', new Date(0)), BASE), /^\{"text":"This is a test\./);
});
