/** Operations about the days on which the lab works, from which the dates of orders follow. */
import { CLOSING_DAYS_MAX, weekdays } from '#core/expected-date.ts';
import { UpdatedAt } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { OneOf, strict, Type } from '#core/schema.ts';

const WORKDAYS_MAX = 1_000;
const STARTS_MAX = 10_000;

const fields = {
  time_zone: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'IANA name of the zone in which days begin and end, such as Europe/Zurich',
  }),
  workdays: Type.Array(OneOf(weekdays, { description: 'day of the week' }), {
    description: 'days of the week on which the lab works',
  }),
  closing_days: Type.Array(Type.String({ maxLength: 10, description: 'such as 2026-12-25' }), {
    maxItems: CLOSING_DAYS_MAX,
    description: 'days on which the lab is closed besides, in any order',
  }),
  materials_workdays: Type.Integer({
    minimum: 0,
    maximum: WORKDAYS_MAX,
    description: 'workdays from the acceptance of a quote until the materials are there',
  }),
  queue_workdays: Type.Integer({
    minimum: 0,
    maximum: WORKDAYS_MAX,
    description: 'workdays from there to the start of the run, while no line is longer',
  }),
  run_starts_per_workday: Type.Integer({
    minimum: 1,
    maximum: STARTS_MAX,
    description: 'orders whose run the lab can start in a workday; it decides how long a line takes',
  }),
};

const Calendar = Type.Object({ ...fields, updated_at: UpdatedAt });

const calendar = {
  time_zone: 'Europe/Zurich',
  workdays: ['mon', 'tue', 'wed', 'thu', 'fri'] as ('mon' | 'tue' | 'wed' | 'thu' | 'fri')[],
  closing_days: ['2026-12-25'],
  materials_workdays: 10,
  queue_workdays: 3,
  run_starts_per_workday: 4,
  updated_at: '2026-01-20T09:00:00.000Z',
};

export const getLabCalendar = defineOperation({
  id: 'get_lab_calendar',
  method: 'GET',
  path: '/lab/calendar',
  tag: 'lab-prices',
  summary: 'Read on which days the lab works, and how long orders wait for their run',
  effect: 'read',
  permission: 'lab:read',
  output: Calendar,
  failures: [],
  example: { output: calendar },
});

export const editLabCalendar = defineOperation({
  id: 'edit_lab_calendar',
  method: 'PATCH',
  path: '/lab/calendar',
  tag: 'lab-prices',
  summary: 'Change on which days the lab works, or how long orders wait for their run',
  description:
    'Omitted fields keep their values. The expected dates of all orders are compared with it within a minute; a client is told of one that comes later by more than a workday.',
  effect: 'reversible',
  permission: 'lab:price',
  bodyMode: 'required',
  body: Type.Object(
    {
      time_zone: Type.Optional(fields.time_zone),
      workdays: Type.Optional(fields.workdays),
      closing_days: Type.Optional(fields.closing_days),
      materials_workdays: Type.Optional(fields.materials_workdays),
      queue_workdays: Type.Optional(fields.queue_workdays),
      run_starts_per_workday: Type.Optional(fields.run_starts_per_workday),
    },
    strict,
  ),
  output: Calendar,
  failures: ['invalid_request'],
  example: { body: { closing_days: ['2026-12-25'] }, output: calendar },
});
