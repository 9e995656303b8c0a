/**
 * The account pages of a person: name, password, open sessions.
 * This folder: sign-in, account, organization, members and tokens. Not here: the rules of them (`features/people`,
 * `features/organizations`).
 */
import { createInvalidFieldsFailure, type Problem } from '#core/failures.ts';
import { isUuid } from '#core/ids.ts';
import { selectPasskeys, hasPassword, type PasskeyRow } from '../store.ts';
import { selectSessions, type SessionRow } from '../session-store.ts';
import { changeName, changePassword, dropPasskey, closeSessions, type PasswordChange } from '../account.ts';
import { addPersonalPage, type PersonalContext, type PersonalFormContext } from '#ui/context.ts';
import { getField, queryParameter, findSentence, getNameField } from '#ui/http.ts';
import { renderField, renderLabForm, renderNotice, renderRefusal, type PlainFormsView } from '#ui/form.ts';
import { type PageContent, renderFormToken } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin, setCookies, type SignedIn } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderDay, renderTime } from '#ui/words.ts';
import { addRefusablePersonalForm, type Remark } from '#ui/screen.ts';
import { renderNewPasswordField, createTyped, NEW_PASSWORD } from './fields.ts';

export function addAccountPages(routes: Routes, parts: PagesParts): void {
  addPersonalPage(routes, parts, '/account', (context) => loadAccountPage(context));
  const forms = {
    name: rename,
    password: setPassword,
    'passkeys/remove': removePasskey,
    'sessions/end': closeSession,
    'sessions/end-all': closeAllSessions,
  };
  for (const [path, act] of Object.entries(forms))
    addRefusablePersonalForm(routes, parts, `/account/${path}`, act, loadAccountPage);
}

const NAME_LENGTH_MAX = 200;
const DONE: Readonly<Record<string, string>> = {
  name: 'Your name is saved.',
  password: 'The password is changed. Every other session has ended.',
  session: 'The session was ended.',
  passkey: 'The passkey is added.',
  'passkey-removed': 'The passkey is removed.',
};

async function loadAccountPage(
  { parts, request, signedIn }: PersonalContext,
  remark?: Remark,
): Promise<PageContent> {
  const { read } = parts.database;
  const [isSet, passkeys, sessions] = await Promise.all([
    hasPassword(read, signedIn.userId),
    selectPasskeys(read, signedIn.userId),
    selectSessions(read, signedIn.userId, parts.work.clock.now()),
  ]);
  return renderAccountPage({ session: signedIn, remark }, signedIn, {
    hasPassword: isSet,
    sessions,
    passkeys,
    done: findSentence(DONE, queryParameter(request, 'done')),
  });
}

async function rename({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const { work, database } = parts;
  const name = getNameField(form, 'name', NAME_LENGTH_MAX);
  await changeName(work, database, getOrigin(request), { ...signedIn, name });
  return '/account?done=name';
}

async function setPassword({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const { work, database, people } = parts;
  const change = {
    ...signedIn,
    current: form.current_password ?? '',
    next: form.new_password ?? '',
  };
  const outcome = await changePassword(work, database, people, getOrigin(request), change);
  if (outcome.kind !== 'changed') throw createInvalidFieldsFailure([describeProblem(outcome)]);
  return '/account?done=password';
}

function describeProblem(outcome: Exclude<PasswordChange, { kind: 'changed' }>): Problem {
  if (outcome.kind === 'wrong_current')
    return { path: 'current_password', message: 'The current password is wrong.' };
  if (outcome.kind === 'locked')
    return {
      path: 'current_password',
      message: 'Too many wrong passwords; try again in a quarter of an hour.',
    };
  return { path: 'new_password', message: `The new password ${outcome.problem}.` };
}

async function removePasskey({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const passkeyId = getField(form, 'passkey_id');
  if (!isUuid(passkeyId)) return '/account';
  const isGone = await dropPasskey(parts.work, parts.database, getOrigin(request), {
    ...signedIn,
    passkeyId,
  });
  return isGone ? '/account?done=passkey-removed' : '/account';
}

async function closeSession(context: PersonalFormContext): Promise<string> {
  const { parts, request, signedIn, form } = context;
  const only = getField(form, 'session_id');
  if (!isUuid(only)) return '/account';
  await parts.database.runTransaction((tx) =>
    closeSessions(parts.work, tx, getOrigin(request), { user_id: signedIn.userId, only }),
  );
  return '/account?done=session';
}

async function closeAllSessions({ parts, request, reply, signedIn }: PersonalFormContext): Promise<string> {
  await parts.database.runTransaction((tx) =>
    closeSessions(parts.work, tx, getOrigin(request), { user_id: signedIn.userId }),
  );
  setCookies(reply, parts.people.writeSessionEnd());
  return '/sign-in';
}

/** Describes a `User-Agent` in plain words, so that people recognize their own device; it does not identify a person. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function describeDevice(userAgent: string | null): string {
  const text = userAgent ?? '';
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  if (browser === undefined) return system === undefined ? 'A browser' : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

interface AccountParts {
  readonly hasPassword: boolean;
  readonly sessions: readonly SessionRow[];
  readonly passkeys: readonly PasskeyRow[];
  readonly done: string | undefined;
}

function renderAccountPage(forms: PlainFormsView, person: SignedIn, parts: AccountParts): PageContent {
  const body = markup`<div class="page-head"><h1>Your account</h1></div>
${renderNotice(parts.done)}
<div class="sheets">
${renderNameCard(forms, person)}
${renderPasswordCard(forms, person, parts)}
${renderPasskeysCard(forms, parts.passkeys)}
<section class="card stack" aria-labelledby="programs"><h2 id="programs">Connected programs</h2>
<p class="hint">Agents and editors that you let act for you: what each may do, what it has spent, and how to end it.</p>
<p><a class="button" href="/account/programs">Show the programs</a></p></section>
<section class="card stack" aria-labelledby="mails"><h2 id="mails">Notifications</h2>
<p class="hint">The mails that you get about orders, invoices and results.</p>
<p><a class="button" href="/account/notifications">Choose your mails</a></p></section>
${renderSessionsCard(forms, person, parts.sessions)}
</div>`;
  return { title: 'Your account', body, section: 'account', scripts: ['passkeys'] };
}

function renderNameCard(forms: PlainFormsView, person: SignedIn): Markup {
  const form = renderLabForm(forms, {
    action: '/account/name',
    button: 'Save the name',
    fields: [
      {
        name: 'name',
        label: 'Name',
        value: person.name ?? '',
        lengthMax: NAME_LENGTH_MAX,
        autocomplete: 'name',
      },
    ],
  });
  return markup`<section class="card" aria-labelledby="who"><h2 id="who">You</h2>
<p class="hint">You sign in as <bdi>${person.email}</bdi>.</p>${form}</section>`;
}

const CURRENT_PASSWORD = {
  name: 'current_password',
  label: 'Current password',
  kind: 'password',
  isRequired: true,
  lengthMax: 200,
  autocomplete: 'current-password',
} as const;

function renderPasswordCard(
  { remark }: PlainFormsView,
  person: SignedIn,
  { hasPassword }: AccountParts,
): Markup {
  const action = '/account/password';
  const refused = remark?.action === action ? remark : undefined;
  const current = hasPassword && renderField(action, CURRENT_PASSWORD, refused);
  return markup`<section class="card" aria-labelledby="password"><h2 id="password">Password</h2>
${!hasPassword && markup`<p class="hint">You have no password yet; until you set one, sign in with a link.</p>`}
<form method="post" action="${action}" class="fields">${renderFormToken(person.visitor)}${refused && renderRefusal(refused, [CURRENT_PASSWORD, NEW_PASSWORD])}
${current}${renderNewPasswordField(person.email, refused ?? createTyped())}
<div><button>${hasPassword ? 'Change the password' : 'Set a password'}</button></div></form></section>`;
}

function renderPasskeysCard(forms: PlainFormsView, passkeys: readonly PasskeyRow[]): Markup {
  const rows = passkeys.map(
    ({ id, name, created_at: at }) =>
      markup`<li><div><strong><bdi>${name ?? 'Passkey'}</bdi></strong><p class="hint">since ${renderDay(at)}</p></div>${renderLabForm(forms, { action: '/account/passkeys/remove', hidden: { passkey_id: id }, button: 'Remove', tone: 'quiet' })}</li>`,
  );
  return markup`<section class="card" aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>
<p class="hint">A passkey of your device or security key signs you in without a password, and no imitation of this site can use it.</p>
${passkeys.length > 0 && markup`<ul class="rows">${rows}</ul>`}
<div class="fields" data-passkey="add" data-next="/account?done=passkey" hidden><div class="field"><label for="passkey-name">Name of the new passkey</label><input id="passkey-name" type="text" maxlength="100" placeholder="Such as: my laptop" autocomplete="off"></div>
<div><button type="button">Add a passkey</button></div><p class="problem" role="alert"></p></div>
<noscript><p class="hint">Adding a passkey requires a script, which this browser does not run.</p></noscript></section>`;
}

function renderSessionsCard(
  forms: PlainFormsView,
  person: SignedIn,
  sessions: readonly SessionRow[],
): Markup {
  return markup`<section class="card wide" aria-labelledby="sessions"><h2 id="sessions">Where you are signed in</h2>
<ul class="rows">${sessions.map((session) => renderSessionRow(forms, session, session.id === person.sessionId))}</ul>
${renderLabForm(forms, { action: '/account/sessions/end-all', button: 'Sign out everywhere', tone: 'danger' })}
<p class="hint">Ends every session, this one included, and with them every <a href="/account/programs">connected program</a>. Tokens stay valid; revoke them under <a href="/organization/tokens">Tokens</a>.</p></section>`;
}

function renderSessionRow(forms: PlainFormsView, session: SessionRow, isThis: boolean): Markup {
  const end = renderLabForm(forms, {
    action: '/account/sessions/end',
    hidden: { session_id: session.id },
    button: 'End',
    tone: 'quiet',
  });
  return markup`<li><div><strong>${describeDevice(session.user_agent)}</strong>${isThis && markup` <span class="chip">this session</span>`}
<p class="hint">${session.ip_address ?? 'unknown address'} · last seen ${renderTime(session.seen_at ?? session.created_at)} · since ${renderTime(session.created_at)}</p></div>${!isThis && end}</li>`;
}
