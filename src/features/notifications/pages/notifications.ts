/** The page on which a person chooses mails: those of the organization, and for staff those of the lab. */
import {
  getLabNotifications,
  getNotifications,
  updateLabNotifications,
  updateNotifications,
} from '../contract.ts';
import { mailChoices, type NoticeEvent } from '../events.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { findSentence, getField, queryParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall } from '#ui/session.ts';
import {
  CHOICE_FIELD,
  HOUR_FIELD,
  NOTIFICATIONS_PATH,
  renderNotificationsPage,
} from './notifications-view.ts';
import type { Routes } from '#ui/routes.ts';

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
