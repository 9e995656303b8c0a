import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addMs, DAY_MS, HOUR_MS } from './clock.ts';
import {
  computeExpectedDate,
  decideDateChange,
  findCalendarProblem,
  type DatedOrder,
  type LabCalendar,
} from './expected-date.ts';
import { experimentStatuses } from './lifecycle.ts';

const CALENDAR: LabCalendar = {
  time_zone: 'UTC',
  workdays: ['mon', 'tue', 'wed', 'thu', 'fri'],
  closing_days: [],
  materials_workdays: 10,
  queue_workdays: 3,
  run_starts_per_workday: 4,
};
/** A Monday. */
const NOW = new Date('2026-03-02T09:00:00Z');
const ORDER: DatedOrder = {
  status: 'quote_sent',
  ready_since: NOW.toISOString(),
  run_started_at: null,
  turnaround_workdays: 5,
  ahead: 0,
  is_clients_turn: false,
};

/** The date, such as `2026-03-09`. */
function findDate(order: Partial<DatedOrder> = {}, calendar: Partial<LabCalendar> = {}, now = NOW) {
  const date = computeExpectedDate({ ...ORDER, ...order }, { ...CALENDAR, ...calendar }, now);
  return date?.toISOString().slice(0, 10) ?? null;
}
const RUNNING = { status: 'in_production', ready_since: '2026-03-02T09:00:00Z' } as const;

describe('expected date', () => {
  it('turnaround: a run of five workdays → a weekend and a closing day do not count', () => {
    assert.equal(findDate(RUNNING), '2026-03-09');
    assert.equal(findDate(RUNNING, { closing_days: ['2026-03-04', '2026-03-09'] }), '2026-03-11');
    assert.equal(findDate(RUNNING, { workdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }), '2026-03-07');
    assert.equal(findDate({ ...RUNNING, ready_since: '2026-03-07T09:00:00Z' }), '2026-03-13');
  });

  it('turnaround: none is promised, or the order is over → no date', () => {
    for (const status of experimentStatuses)
      assert.equal(findDate({ status, turnaround_workdays: null }), null);
    assert.equal(findDate({ status: 'done' }), null);
    assert.equal(findDate({ status: 'canceled' }), null);
  });

  it('states: each before the run → what is left of materials and queue comes on top of the turnaround', () => {
    // 10 + 3 + 5 workdays from the present.
    for (const status of ['draft', 'waiting_for_confirmation', 'quote_sent'] as const)
      assert.equal(findDate({ status, ready_since: '2026-01-05T09:00:00Z' }), '2026-03-26');
    const since = { ready_since: '2026-02-23T09:00:00Z' };
    assert.equal(findDate({ ...since, status: 'waiting_for_materials' }), '2026-03-19');
    assert.equal(
      findDate({ ...since, status: 'in_queue', ready_since: '2026-02-27T09:00:00Z' }),
      '2026-03-11',
    );
  });

  it('states: analysis and review → they count from the start of the latest run', () => {
    for (const status of ['data_analysis', 'in_review'] as const)
      assert.equal(findDate({ status, run_started_at: '2026-02-26T09:00:00Z' }), '2026-03-05');
  });

  it('line: more orders are ahead than the lab starts in the days of the queue → the run waits for its turn', () => {
    assert.equal(findDate({ status: 'in_queue', ahead: 11 }), '2026-03-12');
    // Twenty others take five workdays, and the run starts on the sixth.
    assert.equal(findDate({ status: 'in_queue', ahead: 20 }), '2026-03-17');
    assert.equal(findDate({ status: 'in_queue', ahead: 20 }, { run_starts_per_workday: 30 }), '2026-03-12');
  });

  it('late: a step or the date itself has passed → it moves by a week at a time, and never lies in the past', () => {
    assert.equal(findDate(RUNNING, {}, new Date('2026-03-09T16:00:00Z')), '2026-03-09');
    assert.equal(findDate(RUNNING, {}, new Date('2026-03-10T08:00:00Z')), '2026-03-16');
    assert.equal(findDate(RUNNING, {}, new Date('2026-03-17T08:00:00Z')), '2026-03-23');
    // The materials should have come on 16 March; three days in the queue and five of the run follow.
    const waiting = { status: 'waiting_for_materials' } as const;
    assert.equal(findDate(waiting), '2026-03-26');
    assert.equal(findDate(waiting, {}, new Date('2026-03-17T08:00:00Z')), '2026-04-02');
  });

  it('late: the client is awaited → the date moves with the days, because the lab waits', () => {
    const unpaid = { status: 'in_queue', is_clients_turn: true } as const;
    assert.equal(findDate(unpaid), '2026-03-12');
    assert.equal(findDate(unpaid, {}, addMs(NOW, DAY_MS)), '2026-03-13');
  });

  it('time zone: a day begins at the lab → the date in UTC is the date there, on both sides of the date line', () => {
    const tokyo = { time_zone: 'Asia/Tokyo' };
    // In Tokyo it is Tuesday already.
    assert.equal(findDate({ ...RUNNING, ready_since: '2026-03-02T16:00:00Z' }, tokyo), '2026-03-10');
    assert.equal(findDate({ ...RUNNING, ready_since: '2026-03-02T16:00:00Z' }), '2026-03-09');
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Auckland', 'Asia/Kolkata', 'Europe/Zurich', 'UTC'])
      assert.equal(readClosing(zone), '17:00', zone);
    // Five in the afternoon would be the next day in UTC.
    assert.equal(readClosing('America/Los_Angeles'), '16:00');
    assert.equal(readClosing('Etc/GMT+12'), '11:00');
  });

  it('time zone: the clocks change before the date → it ends at the same hour of the lab', () => {
    const zurich = { ...CALENDAR, time_zone: 'Europe/Zurich' };
    const compute = (turnaround: number) =>
      computeExpectedDate(
        { ...ORDER, ...RUNNING, turnaround_workdays: turnaround },
        zurich,
        NOW,
      )?.toISOString();
    assert.equal(compute(5), '2026-03-09T16:00:00.000Z');
    assert.equal(compute(25), '2026-04-06T15:00:00.000Z');
  });

  it('workdays: every hour of two years in five zones → the date is a workday that is not over', () => {
    const closing_days = ['2026-12-24', '2026-12-25', '2027-01-01'];
    for (const time_zone of [
      'UTC',
      'Asia/Tokyo',
      'America/Los_Angeles',
      'Pacific/Auckland',
      'Europe/Zurich',
    ]) {
      const calendar = { ...CALENDAR, time_zone, closing_days };
      for (let hour = 0; hour < 24 * 365 * 2; hour += 37) {
        const now = addMs(NOW, hour * HOUR_MS);
        const date = computeExpectedDate({ ...ORDER, ready_since: NOW.toISOString() }, calendar, now);
        assert.ok(date !== null && date > now);
        assert.ok(![0, 6].includes(date.getUTCDay()), date.toISOString());
        assert.ok(!closing_days.includes(date.toISOString().slice(0, 10)));
      }
    }
  });
});

/** The hour at the lab at which the date ends. */
function readClosing(timeZone: string): string {
  const calendar = { ...CALENDAR, time_zone: timeZone };
  const date = computeExpectedDate({ ...ORDER, ...RUNNING }, calendar, NOW);
  assert.ok(date !== null);
  return date.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}

describe('change of a date', () => {
  const at = (day: number) => new Date(`2026-03-${day.toString().padStart(2, '0')}T17:00:00Z`);
  const decide = (known: Date | null, planned: Date | null, now = NOW) =>
    decideDateChange(known, planned, CALENDAR, now);

  it('tolerance: the plan differs by a workday, over a weekend too → the date stays', () => {
    assert.equal(decide(at(10), at(11)), undefined);
    assert.equal(decide(at(13), at(16)), undefined);
    assert.equal(decide(at(11), at(10)), undefined);
    assert.equal(decide(null, null), undefined);
  });

  it('tolerance: the plan differs by more → it gives way, and only a later one is late', () => {
    assert.deepEqual(decide(at(13), at(17)), { eta: at(17), isLater: true });
    assert.deepEqual(decide(at(17), at(13)), { eta: at(13), isLater: false });
  });

  it('tolerance: the date has passed → even a workday is late', () =>
    assert.deepEqual(decide(at(10), at(11), at(11)), { eta: at(11), isLater: true }));

  it('tolerance: a first date, or none any more → nobody is late', () => {
    assert.deepEqual(decide(null, at(10)), { eta: at(10), isLater: false });
    assert.deepEqual(decide(at(10), null), { eta: null, isLater: false });
  });
});

describe('calendar', () => {
  const find = (changed: Partial<LabCalendar>) => findCalendarProblem({ ...CALENDAR, ...changed })?.path;

  it('calendar: a zone, a day or a week that is none → refused by its field', () => {
    assert.equal(find({}), undefined);
    assert.equal(find({ time_zone: 'Europe/Nowhere' }), 'time_zone');
    assert.equal(find({ workdays: [] }), 'workdays');
    for (const day of ['2026-02-30', '24.12.2026', '2026-13-01', '', '20261224'])
      assert.equal(find({ closing_days: [day] }), 'closing_days', day);
    assert.equal(find({ closing_days: ['2028-02-29'] }), undefined);
  });
});
