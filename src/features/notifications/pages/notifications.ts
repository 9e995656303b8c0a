/** The page on which a person chooses mails: those of the organization, and for staff those of the lab. */
import {
  getLabNotifications,
  getNotifications,
  updateLabNotifications,
  updateNotifications,
  type NotificationSettings,
} from '../contract.ts';
import { mailChoices, type NoticeEvent, type MailChoice } from '../events.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { findSentence, getField, queryParameter, type Form } from '#ui/http.ts';
import { type PageContent, renderFormToken } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, type Session } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { markup, type Markup } from '#ui/markup.ts';

const DONE: Readonly<Record<string, string>> = { saved: 'Your choice is saved.' };

export function addNotificationPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, NOTIFICATIONS_PATH, loadPage);
  addPortalForm(routes, parts, `${NOTIFICATIONS_PATH}/organization`, saveOwn);
  addPortalForm(routes, parts, `${NOTIFICATIONS_PATH}/lab`, saveLab, { organization: 'any' });
}

async function loadPage({ api, session, request }: PortalContext): Promise<PageContent> {
  const [own, lab] = await Promise.all([
    api.call(getNotifications, {}),
    canCall(session, getLabNotifications) ? api.call(getLabNotifications, {}) : null,
  ]);
  const notice = findSentence(DONE, queryParameter(request, 'done'));
  return renderNotificationsPage(session, { own, lab, notice });
}

async function saveOwn({ api, form }: FormContext): Promise<string> {
  await api.reply(updateNotifications, { body: readChange(form) });
  return `${NOTIFICATIONS_PATH}?done=saved`;
}

async function saveLab({ api, form }: FormContext): Promise<string> {
  await api.reply(updateLabNotifications, { body: readChange(form) });
  return `${NOTIFICATIONS_PATH}?done=saved`;
}

/** Sends what the form has; the operation refuses what its list does not know. */
function readChange(form: Form) {
  const fields = Object.entries(form).filter(
    ([name, value]) => name.startsWith(CHOICE_FIELD) && mailChoices.some((choice) => choice === value),
  );
  const mail: Partial<Record<NoticeEvent, string>> = Object.fromEntries(
    fields.map(([name, value]) => [name.slice(CHOICE_FIELD.length), value]),
  );
  const hour = getField(form, HOUR_FIELD);
  return { mail, ...(/^\d{1,2}$/.test(hour) ? { digest_hour: Number(hour) } : {}) };
}

/** The page of a person's mails. */
const NOTIFICATIONS_PATH = '/account/notifications';
const CHOICE_FIELD = 'mail:';
const HOUR_FIELD = 'digest_hour';

const WORDS: Readonly<Record<MailChoice, string>> = { none: 'No mail', at_once: 'At once', daily: 'Daily' };
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

interface NotificationsParts {
  readonly own: NotificationSettings;
  /** Null for somebody who is not of the staff. */
  readonly lab: NotificationSettings | null;
  readonly notice: string | undefined;
}

function renderNotificationsPage(session: Session, { own, lab, notice }: NotificationsParts): PageContent {
  const organization = markup`<bdi>${session.visitor.organization}</bdi>`;
  const body = markup`<div class="page-head"><h1>Your notifications</h1></div>
${notice !== undefined && markup`<p class="notice" role="status">${notice}</p>`}
<p class="hint">Mails go to <bdi>${own.email}</bdi>. Those about signing in always come. <a href="/account">Back to your account</a></p>
${!own.served && markup`<p class="note attention">This service sends no mail at present: the operator has set no mail server. Your choice is kept.</p>`}
<div class="sheets">
${renderForm(session, { id: 'organization', title: organization, settings: own })}
${lab !== null && renderForm(session, { id: 'lab', title: markup`The lab`, settings: lab })}
</div>`;
  return { title: 'Your notifications', body, section: 'account' };
}

interface FormParts {
  readonly id: 'organization' | 'lab';
  readonly title: Markup;
  readonly settings: NotificationSettings;
}

function renderForm({ visitor }: Session, { id, title, settings }: FormParts): Markup {
  const { digest_hour: present } = settings;
  const hours = HOURS.map(
    (hour) =>
      markup`<option value="${hour}"${hour === present && markup` selected`}>${String(hour).padStart(2, '0')}:00 UTC</option>`,
  );
  return markup`<section class="card wide" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<form method="post" action="${NOTIFICATIONS_PATH}/${id}" class="fields">${renderFormToken(visitor)}
${settings.events.filter(({ allowed }) => allowed).map((event) => renderEvent(id, event))}
<div class="field"><label for="${id}-hour">The daily mail comes at</label><select id="${id}-hour" name="${HOUR_FIELD}">${hours}</select></div>
<div><button class="primary">Save<span class="visually-hidden">: ${title}</span></button></div></form></section>`;
}

function renderEvent(form: string, event: NotificationSettings['events'][number]): Markup {
  const id = `${form}-${event.event}`;
  const options = mailChoices.map(
    (choice) =>
      markup`<option value="${choice}"${choice === event.mail && markup` selected`}>${WORDS[choice]}${choice === event.usual && ' (usual)'}</option>`,
  );
  return markup`<div class="field"><label for="${id}">${event.title}</label><p class="hint" id="${id}-hint">When ${event.means}.</p>
<select id="${id}" name="${CHOICE_FIELD}${event.event}" aria-describedby="${id}-hint">${options}</select></div>`;
}
