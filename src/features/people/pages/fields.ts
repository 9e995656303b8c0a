/** Fields that the forms about people share. */
import { PASSWORD_LENGTH_MIN } from '../rules.ts';
import { renderField } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';

/** Renders a problem, which screen readers read out at once. */
export function renderProblem(problem: string): Markup {
  return markup`<p class="problem" role="alert">${problem}</p>`;
}

const FIELDS = {
  email: {
    label: 'E-mail address',
    kind: 'email',
    lengthMax: 254,
    isRequired: true,
    autocomplete: 'username webauthn',
  },
  name: { label: 'Your name', lengthMax: 200, autocomplete: 'name' },
  organization: { label: 'Organization', lengthMax: 200, isRequired: true, autocomplete: 'organization' },
  password: { label: 'Password', kind: 'password', lengthMax: 200, autocomplete: 'current-password' },
} as const;

/** Renders a field that is typed before anybody is signed in, with the problem of what was typed. */
export function renderDoorField(name: keyof typeof FIELDS, value = '', problem?: string): Markup {
  const problems = problem === undefined ? [] : [{ path: name, message: problem }];
  const remark = { action: '', message: '', problems, typed: { [name]: value } };
  return renderField('door', { name, ...FIELDS[name] }, remark);
}

/** Renders a field for a new password; browsers offer to generate one and store it for the address. */
export function renderNewPasswordField(problem: string | undefined, email: string): Markup {
  return markup`<input class="away" type="text" name="username" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
<div class="field${problem !== undefined && ' invalid'}"><label for="new-password">New password</label><input id="new-password" type="password" name="new_password" required minlength="${PASSWORD_LENGTH_MIN}" maxlength="200" autocomplete="new-password" aria-describedby="new-password-hint"${problem !== undefined && markup` aria-invalid="true"`}>
<p class="hint" id="new-password-hint">At least ${PASSWORD_LENGTH_MIN} characters. A few words that do not belong together are easy to remember and hard to guess.</p>
${problem !== undefined && renderProblem(`The password ${problem}.`)}</div>`;
}
