/** Fields that the forms about people share. */
import { PASSWORD_LENGTH_MIN } from '../rules.ts';
import { markup, type Markup } from '#ui/markup.ts';

/** Renders a problem, which screen readers read out at once. */
export function renderProblem(problem: string): Markup {
  return markup`<p class="problem" role="alert">${problem}</p>`;
}

export function renderEmailField(email: string): Markup {
  return markup`<div class="field"><label for="email">E-mail address</label><input id="email" type="email" name="email" value="${email}" required maxlength="254" autocomplete="username webauthn" autocapitalize="none" spellcheck="false"></div>`;
}

/** Renders a field for a new password; browsers offer to generate one and store it for the address. */
export function renderNewPasswordField(problem: string | undefined, email: string): Markup {
  return markup`<input class="away" type="text" name="username" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
<div class="field${problem !== undefined && ' invalid'}"><label for="new-password">New password</label><input id="new-password" type="password" name="new_password" required minlength="${PASSWORD_LENGTH_MIN}" maxlength="200" autocomplete="new-password" aria-describedby="new-password-hint"${problem !== undefined && markup` aria-invalid="true"`}>
<p class="hint" id="new-password-hint">At least ${PASSWORD_LENGTH_MIN} characters. A few words that do not belong together are easy to remember and hard to guess.</p>
${problem !== undefined && renderProblem(`The password ${problem}.`)}</div>`;
}
