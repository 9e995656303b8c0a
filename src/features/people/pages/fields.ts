/** Fields that the forms about people share. */
import type { Problem } from '#core/failures.ts';
import { findPasswordProblem, PASSWORD_LENGTH_MIN } from '../rules.ts';
import { renderField, renderFormField } from '#ui/form.ts';
import type { Form } from '#ui/http.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Remark } from '#ui/screen.ts';

/** Renders a problem, which screen readers read out at once. */
export function renderProblem(problem: string): Markup {
  return markup`<p class="problem" role="alert">${problem}</p>`;
}

/** What was typed, and what is wrong with it. */
export type Typed = Pick<Remark, 'typed' | 'problems'>;

export const createTyped = (typed: Form = {}): Typed => ({ typed, problems: [] });

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

/** Renders fields that are typed before anybody is signed in. */
export function renderDoorFields(names: readonly (keyof typeof FIELDS)[], typed: Typed): Markup[] {
  return names.map((name) => renderField('door', { name, ...FIELDS[name] }, typed));
}

export const NEW_PASSWORD = { name: 'new_password', label: 'New password' } as const;

/** Renders a field for a new password; browsers offer to generate one and store it for the address. */
export function renderNewPasswordField(email: string, { problems }: Pick<Typed, 'problems'>): Markup {
  const field = renderFormField({
    ...NEW_PASSWORD,
    id: 'new-password',
    hint: `At least ${PASSWORD_LENGTH_MIN} characters. A few words that do not belong together are easy to remember and hard to guess.`,
    problems: problems.flatMap(({ path, message }) => (path === NEW_PASSWORD.name ? message : [])),
    renderControl: (attributes) =>
      markup`<input type="password" ${attributes} required minlength="${PASSWORD_LENGTH_MIN}" maxlength="200" autocomplete="new-password">`,
  });
  return markup`<input class="away" type="text" name="username" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${field}`;
}

export function findNewPasswordProblems(password: string, email: string): Problem[] {
  const problem = findPasswordProblem(password, email);
  return problem === undefined ? [] : [{ path: NEW_PASSWORD.name, message: `The password ${problem}.` }];
}
