/** Reads what came back on a socket and holds each answer to our form. */
import { checkErrorForm, type CheckParts } from './check-answer.ts';
import { createAnswer } from './gun.ts';
import type { Answer, Shot } from './shot.ts';
import type { SocketOutcome, SocketShot } from './socket-shots.ts';

const STATUSES: ReadonlySet<number> = new Set([
  200, 201, 303, 307, 400, 401, 402, 403, 404, 405, 408, 409, 411, 413, 414, 415, 417, 422, 426, 429, 431,
  501,
]);

/** The answers in the order they came; `100 Continue` is none. */
function parseAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const [line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? 0);
    const headers = Object.fromEntries(
      lines.map((header): [string, string] => {
        const colon = header.indexOf(':');
        return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
      }),
    );
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    const length = Number(headers['content-length'] ?? rest.length);
    const body = rest.subarray(0, length);
    answers.push(createAnswer(status, headers, body, body.toString('utf8'), 0));
    rest = rest.subarray(length);
  }
  return answers;
}

export function checkSocket(
  parts: CheckParts,
  sent: SocketShot,
  shot: Shot,
  { bytes, isStuck }: SocketOutcome,
): Answer[] {
  const { findings } = parts;
  const add = (what: string, answer?: Answer): void => findings.add('sockets', sent.name, what, shot, answer);
  const answers = parseAnswers(bytes);
  if (isStuck) add('the connection was left open');
  if (answers.length === 0) {
    if (bytes.length > 0) add(`no HTTP came back: ${bytes.toString('latin1').slice(0, 80)}`);
    else if (!sent.mayBeSilent) add('no answer came');
  }
  for (const answer of answers) {
    const { status } = answer;
    if (!STATUSES.has(status)) add(`${status} is no status we give`, answer);
    if (!/^req_[0-9a-f-]{36}$/.test(answer.headers['x-request-id'] ?? ''))
      add(`${status} has no x-request-id`, answer);
    const isPage = answer.headers['content-type']?.startsWith('text/html') === true;
    if (status >= 400 && !isPage) checkErrorForm(parts, sent.name, shot, answer);
  }
  return answers;
}
