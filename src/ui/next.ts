/** Where a person goes next: the page asked for before signing in, at which every way to sign in ends, or that of a form. */
import { markup, type Markup } from './markup.ts';

/** An authorization request of a program is a long address. */
const LENGTH_MAX = 4_000;

/** Returns an address of this service as a path; empty for anything else, so that no link leads to another site. */
export function toOwnPath(text: string): string {
  const isOwn = text.length <= LENGTH_MAX && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
  return isOwn ? text : '';
}

/** The address of a way to sign in that ends at `next`; empty for the first page. */
export function addNext(path: string, next: string): string {
  if (next === '') return path;
  const value = encodeURIComponent(next).replaceAll(
    /[!'()*~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${path}?next=${value}`;
}

export function renderNextField(next: string): Markup | false {
  return next !== '' && markup`<input type="hidden" name="next" value="${next}">`;
}

export function toLocation(next: string | null): string {
  const path = toOwnPath(next ?? '');
  return path === '' ? '/' : path;
}

/** Where every way to sign in ends. The address of the sign-in page sends on who asked for no other page. */
export function toLanding(next: string | null): string {
  const path = toOwnPath(next ?? '');
  return path === '' ? '/sign-in' : path;
}

/** The page whose form posts to this address: `/experiments/X/submit` stands on `/experiments/X`. Null for other forms. */
export function findFormPage(action: string): string | null {
  const page = action.replace(/\/(?:test-payment|submit|accept|reject|cancel)(?:\?.*)?$/, '');
  return page !== action && page.startsWith('/') && !page.startsWith('//') ? page : null;
}
