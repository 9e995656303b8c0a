import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid } from '#core/ids.ts';
import { roles, staffRoles } from '#core/permissions.ts';
import {
  clientEventNames,
  findFeedEvents,
  getChoice,
  getUsualChoice,
  isClientEvent,
  staffEventNames,
} from './events.ts';
import { computeDigestTime, createNoticeId } from './rules.ts';

test('digest_hour: the hour is to come, is now, or is over today → today, tomorrow, tomorrow', () => {
  const now = new Date('2026-03-02T07:00:00.000Z');
  const show = (hour: number) => computeDigestTime(hour, now).toISOString();
  assert.deepEqual(
    [show(8), show(7), show(0)],
    ['2026-03-02T08:00:00.000Z', '2026-03-03T07:00:00.000Z', '2026-03-03T00:00:00.000Z'],
  );
});

test('notices: the id of a fact, an event and a person → the same each time, and another for another', () => {
  const id = createNoticeId('fact', 'results', 'person');
  assert.ok(isUuid(id));
  assert.equal(createNoticeId('fact', 'results', 'person'), id);
  const others = [
    createNoticeId('other', 'results', 'person'),
    createNoticeId('fact', 'invoice', 'person'),
    createNoticeId('fact', 'results', 'other'),
  ];
  assert.equal(new Set([id, ...others]).size, 4);
});

test('new_order: a draft is created, is submitted, an order is created beyond the draft, a quote is withdrawn → only the second and the third are new', () => {
  const isNew = (event_type: string, previous_status: string | null, status: string) =>
    findFeedEvents({ event_type, previous_status, status }).includes('new_order');
  assert.deepEqual(
    [
      isNew('experiment.created', null, 'draft'),
      isNew('experiment.status_changed', 'draft', 'waiting_for_confirmation'),
      isNew('experiment.created', null, 'waiting_for_materials'),
      isNew('experiment.status_changed', 'quote_sent', 'waiting_for_confirmation'),
      isNew('experiment.status_changed', 'quote_sent', 'waiting_for_materials'),
    ],
    [false, true, true, false, false],
  );
});

test('notifications: somebody without the right to read what a mail tells → none, whatever was chosen', () => {
  const stranger = { role: null, staffRoles: [] };
  for (const event of [...clientEventNames, ...staffEventNames])
    assert.equal(getChoice(event, { [event]: 'at_once' }, stranger), 'none');
  const finance = { role: 'admin', staffRoles: ['finance'] } as const;
  assert.equal(getChoice('late_run', { late_run: 'at_once' }, finance), 'none');
  assert.equal(getChoice('new_order', { new_order: 'daily' }, finance), 'daily');
});

test('notifications: nobody chose anything → every event reaches some role at once', () => {
  for (const event of [...clientEventNames, ...staffEventNames]) {
    const standings = isClientEvent(event)
      ? roles.map((role) => ({ role, staffRoles: [] }))
      : staffRoles.map((role) => ({ role: null, staffRoles: [role] }));
    assert.ok(
      standings.some((standing) => getUsualChoice(event, standing) === 'at_once'),
      event,
    );
  }
});
