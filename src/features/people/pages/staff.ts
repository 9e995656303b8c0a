/** `/lab/staff`: who works in the lab, and with which roles. */
import type { Output } from '#core/operation.ts';
import type { StaffRole } from '#core/permissions.ts';
import { appointStaff, changeStaffRoles, dismissStaff, listStaff } from '../staff/contract.ts';
import { defineAction, renderAction } from '#ui/action.ts';
import { defineListScreen } from '#ui/list-screen.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import type { FormsView } from '#ui/form.ts';
import type { Column } from '#ui/list.ts';

const PATH = '/lab/staff';

const ROLE_WORDS: Readonly<Record<StaffRole, string>> = {
  operator: 'Operator: materials, runs, files',
  manager: 'Manager: also catalog, prices, quotes, review, release and staff',
  finance: 'Finance: invoices, transfers, refunds, tax',
};

const ROLES = { label: 'Roles', options: Object.entries(ROLE_WORDS) };
const appointment = defineAction(appointStaff, {
  path: `${PATH}/appoint`,
  page: PATH,
  button: 'Appoint',
  tone: 'primary',
  hint: 'The roles count where the person is an administrator of an organization.',
  fields: { email: { label: 'E-mail address', kind: 'email' }, roles: ROLES },
  done: 'The person is of the staff. Roles count from the next request on, where the list does not say that they have no effect yet.',
});
const change = defineAction(changeStaffRoles, {
  path: `${PATH}/:user_id/roles`,
  page: PATH,
  button: 'Save',
  fields: { roles: ROLES },
  done: 'The roles were changed. They count from the next request on.',
});
const dismissal = defineAction(dismissStaff, {
  path: `${PATH}/:user_id/dismiss`,
  page: PATH,
  button: 'Dismiss',
  tone: 'danger',
  hint: 'Ends every right in the lab at once; the account and its organizations stay.',
  done: 'The person was dismissed and has no right in the lab any more.',
});

type Person = Output<typeof listStaff>['items'][number];

const TO_ADMINISTRATOR = 'Not an administrator of an organization.';

export const staffScreen = defineListScreen(listStaff, {
  path: PATH,
  label: 'Staff',
  group: 'Lab',
  letter: 's',
  noun: 'member',
  filters: [{ name: 'search', label: 'Name or e-mail address' }],
  sort: 'asc(email)',
  renderLead: ({ forms }) => canCall(forms.session, appointStaff) && renderAppointment(forms),
  buildColumns: ({ forms }) => buildColumns(forms),
  empty: markup`<h2>Nobody yet</h2><p class="muted">Somebody who has an account here is appointed above, by e-mail address.</p>`,
  actions: [appointment, change, dismissal],
});

function renderAppointment(forms: FormsView): Markup {
  return markup`<section class="card" aria-labelledby="appoint"><h2 id="appoint">Appoint somebody</h2>
<p class="hint">Somebody without an account is invited first, as an administrator, at <a href="/organization">Organization</a>.</p>${renderAction(forms, appointment, { values: { roles: ['operator'] } })}</section>`;
}

function buildColumns(forms: FormsView): readonly Column<Person>[] {
  const mayChange = canCall(forms.session, changeStaffRoles);
  const columns: Column<Person>[] = [
    {
      head: 'Person',
      render: ({ name, email, user_id: id }) =>
        markup`<bdi>${name ?? email}</bdi>${id === forms.session.userId && markup` <span class="chip">you</span>`}${name !== null && markup`<span class="sub"><bdi>${email}</bdi></span>`}`,
    },
    {
      head: 'Roles',
      render: ({ roles, is_effective: isEffective }) =>
        markup`<span>${renderRoles(roles)}${!isEffective && markup`<span class="sub"><span class="chip warn">No effect yet</span> ${TO_ADMINISTRATOR}</span>`}</span>`,
    },
    { head: 'Since', render: ({ staff_since: since }) => renderDay(since) },
  ];
  if (mayChange) columns.push({ head: 'Change', render: (person) => renderChange(forms, person) });
  return columns;
}

function renderRoles(roles: readonly StaffRole[]): Part {
  return roles.map(
    (role, index) => markup`${index > 0 && ' '}<span class="limit">${ROLE_WORDS[role].split(':')[0]}</span>`,
  );
}

function renderChange(forms: FormsView, { user_id: id, email, roles }: Person): Markup {
  const personLabel = markup`<span class="visually-hidden"> of ${email}</span>`;
  const params = { user_id: id };
  return markup`${renderAction(forms, change, { params, values: { roles }, summary: markup`Roles${personLabel}` })}${renderAction(forms, dismissal, { params, summary: markup`Dismiss<span class="visually-hidden"> ${email}</span>` })}`;
}
