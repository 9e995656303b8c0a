/** Holds an answer to a person: HTML under our headers, or a document; never a fault, never a script of somebody else. */
import { checkErrorForm, checkTold, type CheckParts } from './check-answer.ts';
import type { Answer, Shot } from './shot.ts';

const HEADERS = ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'referrer-policy'];
const STATUSES: ReadonlySet<number> = new Set([
  200, 303, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 422, 429,
]);
/** Attributes that name other elements by their ids; `tests/conformance/aria.test.ts` knows the names of all. */
const ARIA_REFERENCES = /\s(aria-labelledby|aria-describedby|aria-controls)="([^"]*)"/g;
/** Asked by programs in the forms of their own standards. */
const OF_STANDARDS = /^\/(?:auth|\.well-known|processor)\b|^\/device\/(?:authorization|token)$/;

export function checkPage(parts: CheckParts, route: string | null, shot: Shot, answer: Answer): void {
  const { findings } = parts;
  const where = `${shot.method} ${route ?? 'no route'}`;
  const { status, headers, text } = answer;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const add = (what: string): void => findings.add('pages', where, what, shot, answer);
  if (status < 500 && !STATUSES.has(status)) add(`${status} is no status of a page`);
  if (shot.method === 'HEAD' || OF_STANDARDS.test(route ?? '')) return;
  if (status >= 400 && type !== 'text/html') return checkErrorForm(parts, where, shot, answer);
  if (type !== 'text/html') return;
  for (const name of HEADERS) if (headers[name] === undefined) add(`${status} has no ${name}`);
  if (!/^<!doctype html>/i.test(text)) add(`${status} is no whole document`);
  if (/<script>alert\(1\)|<img src=x onerror|href="javascript:/i.test(text))
    add(`${status} repeats markup as markup`);
  for (const problem of findAriaProblems(text)) add(`${status} ${problem}`);
  if (status >= 400) {
    const sentence = /<p class="lead">(.*?)<\/p>/s.exec(text)?.[1] ?? '';
    checkTold(findings, where, shot, answer, sentence);
    // A form that is shown again with what is wrong in it has no need of one.
    const isErrorPage = text.includes('class="card error"');
    if (isErrorPage && !text.includes(headers['x-request-id'] ?? 'x'))
      add(`${status} does not show its request id`);
  }
}

/** An id that no element has is silent in a browser and lost to a screen reader. */
function findAriaProblems(text: string): string[] {
  return [...text.matchAll(ARIA_REFERENCES)].flatMap(([, name = '', value = '']) => {
    const missing = value.split(' ').filter((id) => !text.includes(`id="${id}"`));
    return missing.map((id) => `has ${name}="${id}", and no element of this id`);
  });
}
