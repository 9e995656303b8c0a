/** `/lab/staff`: who works in the lab, and with which roles. */
import type { Output } from '#core/operation.ts';
import { staffRoles, type StaffRole } from '#core/permissions.ts';
import { appointStaff, changeStaffRoles, dismissStaff, listStaff } from '../staff/contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { findSentence, getField, getPathParameter, queryParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { canCall } from '#ui/session.ts';
import { renderDay } from '#ui/words.ts';
import { createFormsView, renderLabForm, renderNotice, type FormsView, type LabField } from '#ui/form.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import type { LabScreen, Remark } from '#ui/screen.ts';

const PATH = '/lab/staff';
const FILTERS: readonly ListFilter[] = [{ name: 'search', label: 'Name or e-mail address' }];

const ROLE_WORDS: Readonly<Record<StaffRole, string>> = {
  operator: 'Operator: materials, runs, files',
  manager: 'Manager: also catalog, prices, quotes, review, release and staff',
  finance: 'Finance: invoices, transfers, refunds, tax',
};

const DONE: Readonly<Record<string, string>> = {
  appointed: 'The person is of the staff. The roles count from the next request on.',
  idle: 'The person is of the staff, but the roles have no effect yet: make the person an administrator of an organization.',
  changed: 'The roles were changed. They count from the next request on.',
  dismissed: 'The person was dismissed and has no right in the lab any more.',
};

export const staffScreen: LabScreen = {
  path: PATH,
  label: 'Staff',
  group: 'Lab',
  letter: 's',
  reads: listStaff,
  add: (routes) => {
    routes.addPage(PATH, (context) => loadStaffPage(context));
    routes.addForm(`${PATH}/appoint`, appointStaff, appoint, loadStaffPage);
    routes.addForm(`${PATH}/:id/roles`, changeStaffRoles, changeRoles, loadStaffPage);
    routes.addForm(`${PATH}/:id/dismiss`, dismissStaff, dismiss, loadStaffPage);
  },
};

type Person = Output<typeof listStaff>['items'][number];

async function loadStaffPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, session } = context;
  const values = readFilters(request, FILTERS);
  const page = await api.call(listStaff, {
    query: { ...buildListQuery(request, values), sort: 'asc(email)' },
  });
  const forms = createFormsView(context, remark);
  const body = renderListPage({
    title: 'Staff',
    notice: renderNotice(findSentence(DONE, queryParameter(request, 'done'))),
    lead: canCall(session, appointStaff) && renderAppointment(forms),
    path: PATH,
    label: 'Staff',
    noun: 'member',
    filters: FILTERS,
    values,
    page,
    columns: buildColumns(forms),
    empty: EMPTY,
  });
  return { title: 'Staff', body };
}

const TO_ADMINISTRATOR = 'Not an administrator of an organization.';

const EMPTY = markup`<h2>Nobody yet</h2><p class="muted">Somebody who has an account here is appointed above, by e-mail address.</p>`;

function listRoleFields(present: readonly StaffRole[]): LabField[] {
  return staffRoles.map((role) => ({
    name: `role_${role}`,
    label: ROLE_WORDS[role],
    kind: 'check',
    value: present.includes(role) ? 'yes' : '',
  }));
}

function renderAppointment(forms: FormsView): Markup {
  return markup`<section class="card" aria-labelledby="appoint"><h2 id="appoint">Appoint somebody</h2>
<p class="hint">Somebody without an account is invited first, as an administrator, at <a href="/organization">Organization</a>.</p>${renderLabForm(
    forms,
    {
      action: `${PATH}/appoint`,
      button: 'Appoint',
      tone: 'primary',
      fields: [
        {
          name: 'email',
          label: 'E-mail address',
          kind: 'email',
          lengthMax: 254,
          isRequired: true,
        },
        ...listRoleFields(['operator']),
      ],
      hint: 'The roles count where the person is an administrator of an organization.',
    },
  )}</section>`;
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
  return markup`${renderLabForm(forms, {
    action: `${PATH}/${id}/roles`,
    summary: markup`Roles${personLabel}`,
    button: 'Save',
    fields: listRoleFields(roles),
  })}${renderLabForm(forms, {
    action: `${PATH}/${id}/dismiss`,
    summary: markup`Dismiss<span class="visually-hidden"> ${email}</span>`,
    button: 'Dismiss',
    tone: 'danger',
    hint: 'Ends every right in the lab at once; the account and its organizations stay.',
  })}`;
}

function readRoles(form: Form): StaffRole[] {
  return staffRoles.filter((role) => getField(form, `role_${role}`) === 'yes');
}

async function appoint({ api, form }: FormContext): Promise<string> {
  const body = { email: getField(form, 'email'), roles: readRoles(form) };
  const { is_effective: isEffective } = await api.call(appointStaff, { body });
  return `${PATH}?done=${isEffective ? 'appointed' : 'idle'}`;
}

async function changeRoles({ api, form, request }: FormContext): Promise<string> {
  const params = { user_id: getPathParameter(request, 'id') };
  await api.reply(changeStaffRoles, { params, body: { roles: readRoles(form) } });
  return `${PATH}?done=changed`;
}

async function dismiss({ api, request }: FormContext): Promise<string> {
  await api.reply(dismissStaff, { params: { user_id: getPathParameter(request, 'id') } });
  return `${PATH}?done=dismissed`;
}
