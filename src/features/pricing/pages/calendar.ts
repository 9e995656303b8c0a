/** `/lab/calendar`: on which days the lab works, from which the expected dates of orders follow. */
import { formatCount } from '#core/words.ts';
import { weekdays, type Weekday } from '#core/expected-date.ts';
import type { Output } from '#core/operation.ts';
import { editLabCalendar, getLabCalendar } from '../calendar-contract.ts';
import { defineAction, renderAction, renderDone } from '#ui/action.ts';
import type { PortalContext } from '#ui/context.ts';
import { createFormsView } from '#ui/form.ts';
import { renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';
import { renderDay } from '#ui/words.ts';

const PATH = '/lab/calendar';

const DAYS: Readonly<Record<Weekday, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

const edit = defineAction(editLabCalendar, {
  path: PATH,
  page: PATH,
  button: 'Save',
  fields: {
    time_zone: { label: 'Time zone', hint: 'Such as Europe/Zurich or America/New_York.', isRequired: true },
    workdays: { label: 'Workdays', options: weekdays.map((day) => [day, DAYS[day]] as const) },
    closing_days: {
      label: 'Closing days',
      kind: 'area',
      hint: 'One on each line, such as 2026-12-25. Weekends need no line.',
    },
    materials_workdays: {
      label: 'Workdays for materials',
      hint: 'From the acceptance of a quote.',
      isRequired: true,
      isPaired: true,
    },
    queue_workdays: {
      label: 'Workdays in the queue',
      hint: 'From the materials to the run.',
      isRequired: true,
      isPaired: true,
    },
    run_starts_per_workday: {
      label: 'Orders started in a workday',
      hint: 'A longer line of orders moves the dates by this.',
      isRequired: true,
    },
  },
  done: 'The calendar was saved. The dates of all orders follow within a minute.',
});

export const calendarScreen: LabScreen = {
  path: PATH,
  label: 'Calendar',
  group: 'Catalog',
  letter: 'd',
  reads: getLabCalendar,
  add(routes) {
    routes.addPage(PATH, (context) => loadCalendar(context));
    routes.addActions([edit], loadCalendar);
  },
};

async function loadCalendar(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const calendar = await context.api.call(getLabCalendar, {});
  const forms = createFormsView(context, remark);
  const form = renderAction(forms, edit, { values: calendar });
  const body = markup`${renderLabHead('Calendar')}
${renderDone(context, [edit])}
<section class="card stack" aria-labelledby="dates"><h2 id="dates">How dates are found</h2>
<p>An order takes ${formatCount(calendar.materials_workdays, 'workday')} for its materials, ${formatCount(calendar.queue_workdays, 'workday')} in the queue and the workdays of its <a href="/lab/assay-types">assay type</a> from the start of the run. A date that comes later by more than a workday is told to the client.</p>
${form ?? renderFacts(listFacts(calendar))}</section>`;
  return { title: 'Calendar', body };
}

function listFacts(calendar: Output<typeof getLabCalendar>) {
  return [
    ['Time zone', calendar.time_zone],
    ['Workdays', calendar.workdays.map((day) => DAYS[day]).join(', ')],
    ['Closing days', calendar.closing_days.map((day) => markup`${renderDay(`${day}T00:00:00.000Z`)} `)],
    ['Orders started in a workday', calendar.run_starts_per_workday],
  ] as const;
}
