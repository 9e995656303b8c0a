/** The page of a person's mails. */
import type { NotificationSettings } from '../contract.ts';
import { mailChoices, type MailChoice } from '../events.ts';
import { renderFormToken, type PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Session } from '#ui/session.ts';

export const NOTIFICATIONS_PATH = '/account/notifications';
export const CHOICE_FIELD = 'mail:';
export const HOUR_FIELD = 'digest_hour';

const WORDS: Readonly<Record<MailChoice, string>> = { none: 'No mail', at_once: 'At once', daily: 'Daily' };
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

export interface NotificationsParts {
  readonly own: NotificationSettings;
  /** Null for somebody who is not of the staff. */
  readonly lab: NotificationSettings | null;
  readonly notice: string | undefined;
}

export function renderNotificationsPage(
  session: Session,
  { own, lab, notice }: NotificationsParts,
): PageContent {
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
