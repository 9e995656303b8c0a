/** The page on which a person chooses mails: those of the organization, and for staff those of the lab. */
import {
  getLabNotifications,
  getNotifications,
  updateLabNotifications,
  updateNotifications,
  type NotificationSettings,
} from '../contract.ts';
import { mailChoices, type MailChoice } from '../events.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { createFormsView, renderLabForm, renderNotice, type FormsView, type LabField } from '#ui/form.ts';
import { findSentence, getField, queryParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addRefusableForm, type Remark } from '#ui/screen.ts';
import { canCall } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { markup, type Markup } from '#ui/markup.ts';

const PATH = '/account/notifications';
const DONE: Readonly<Record<string, string>> = { saved: 'Your choice is saved.' };
const WORDS: Readonly<Record<MailChoice, string>> = { none: 'No mail', at_once: 'At once', daily: 'Daily' };
const CHOICE_FIELD = 'mail:';
const HOUR: LabField = {
  name: 'digest_hour',
  label: 'The daily mail comes at',
  options: Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00 UTC`]),
};

export function addNotificationPages(routes: Routes, parts: PagesParts): void {
  const save =
    (operation: typeof updateNotifications | typeof updateLabNotifications) =>
    async ({ api, form }: FormContext): Promise<string> => {
      await api.reply(operation, { body: readChange(form) });
      return `${PATH}?done=saved`;
    };
  addPortalPage(routes, parts, PATH, (context) => loadPage(context));
  addRefusableForm(routes, parts, `${PATH}/organization`, save(updateNotifications), loadPage);
  addRefusableForm(routes, parts, `${PATH}/lab`, save(updateLabNotifications), loadPage, {
    organization: 'any',
  });
}

/** Sends what the form has; the operation refuses what its list does not know. */
function readChange(form: Form) {
  const choices = Object.entries(form).filter(([name]) => name.startsWith(CHOICE_FIELD));
  const mail = Object.fromEntries(choices.map(([name, value]) => [name.slice(CHOICE_FIELD.length), value]));
  const hour = getField(form, HOUR.name);
  return { mail, ...(hour === '' ? {} : { [HOUR.name]: Number(hour) }) };
}

async function loadPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, session, request } = context;
  const forms = createFormsView(context, remark);
  const [own, lab] = await Promise.all([
    api.call(getNotifications, {}),
    canCall(session, getLabNotifications) ? api.call(getLabNotifications, {}) : null,
  ]);
  const body = markup`<div class="page-head"><h1>Your notifications</h1></div>
${renderNotice(findSentence(DONE, queryParameter(request, 'done')))}
<p class="hint">Mails go to <bdi>${own.email}</bdi>. Those about signing in always come. <a href="/account">Back to your account</a></p>
${!own.served && markup`<p class="note attention">This service sends no mail at present: the operator has set no mail server. Your choice is kept.</p>`}
<div class="sheets">
${renderChoices(forms, 'organization', markup`<bdi>${session.visitor.organization}</bdi>`, own)}
${lab !== null && renderChoices(forms, 'lab', markup`The lab`, lab)}
</div>`;
  return { title: 'Your notifications', body, section: 'account' };
}

function renderChoices(
  forms: FormsView,
  id: 'organization' | 'lab',
  title: Markup,
  { events, digest_hour: hour }: NotificationSettings,
): Markup {
  const form = renderLabForm(forms, {
    action: `${PATH}/${id}`,
    button: markup`Save<span class="visually-hidden">: ${title}</span>`,
    tone: 'primary',
    fields: [...events.filter(({ allowed }) => allowed).map(toField), { ...HOUR, value: String(hour) }],
  });
  return markup`<section class="card wide" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${form}</section>`;
}

function toField({ event, title, means, mail, usual }: NotificationSettings['events'][number]): LabField {
  return {
    name: `${CHOICE_FIELD}${event}`,
    label: title,
    hint: `When ${means}.`,
    value: mail,
    options: mailChoices.map((choice) => [choice, `${WORDS[choice]}${choice === usual ? ' (usual)' : ''}`]),
  };
}
