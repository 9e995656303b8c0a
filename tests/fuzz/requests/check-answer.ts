/** What every answer must keep, whatever door it came through. */
import { getFailureStatus, isFailureCode } from '#core/failures.ts';
import { isRecord } from '#core/records.ts';
import type { Findings } from './findings.ts';
import type { Answer, Shot } from './shot.ts';
import type { Vocabulary } from './words.ts';

/** Statuses beyond 499 that tell a client something it can act on. */
const MEANT: ReadonlyMap<string, { readonly status: number; readonly needsRetryAfter: boolean }> = new Map([
  ['payment_rail_not_served', { status: 501, needsRetryAfter: false }],
  ['document_not_ready', { status: 503, needsRetryAfter: true }],
  ['payment_outcome_unknown', { status: 503, needsRetryAfter: true }],
  ['notification_too_early', { status: 503, needsRetryAfter: true }],
]);

/** SQL, stacks, paths of the machine, names of the framework and its errors. */
const TOLD =
  /\bat (?:async )?[\w.<>]+ \(|node_modules|\/src\/|\.ts:\d+|\bFST_ERR|\bERR_[A-Z_]+\b|insert into |\bselect [\w.*]+(?:,| from)|relation "|violates |ECONN|(?<!received )undefined|\[object Object\]|NaN\b/;
const TOKEN = /asy_(?:test|live)_[\w-]{20,}\.[\w-]+/;

export interface CheckParts {
  readonly findings: Findings;
  readonly words: Vocabulary;
}

/** Of every answer; true where the answer is one that later checks can read. */
export function checkAnswer(
  { findings, words }: CheckParts,
  where: string,
  shot: Shot,
  answer: Answer,
): void {
  const { status, headers, text } = answer;
  const code = getCode(answer.json);
  if (status >= 500) {
    const documented = MEANT.get(code ?? '');
    const isMeant =
      documented?.status === status && (!documented.needsRetryAfter || headers['retry-after'] !== undefined);
    if (!isMeant) findings.add('no 5xx', where, `${status} ${code ?? 'without a code'}`, shot, answer);
  }
  if (!/^req_[0-9a-f-]{36}$/.test(headers['x-request-id'] ?? ''))
    findings.add(
      'error form',
      `the door ${shot.door}`,
      `${status} ${code ?? ''} has no x-request-id`,
      shot,
      answer,
    );
  if (status < 300 && (shot.body?.includes('"listed_for_everyone":true') ?? false)) words.publish(text);
  // Whoever holds the address of an invoice or of a document may read it.
  const isByAddress = /^\/+(?:pay|files)\//.test(shot.url);
  const leaked = isByAddress ? undefined : words.findForeignWords(text, shot.caller);
  if (leaked !== undefined)
    findings.add(
      'other organizations',
      where,
      `${status} shows ${shot.caller.name} "${leaked}"`,
      shot,
      answer,
    );
}

/** A refusal in JSON: its own fields, the id of its request, a code of the catalog, and nothing about our inside. */
export function checkErrorForm({ findings }: CheckParts, where: string, shot: Shot, answer: Answer): void {
  const { status, headers, json } = answer;
  const add = (what: string): void => findings.add('error form', where, what, shot, answer);
  if (!isRecord(json)) return add(`${status} is no JSON record`);
  const { error, request_id: requestId, code } = json;
  if (typeof error !== 'string' || error.length < 8) add(`${status} has no sentence`);
  if (requestId !== headers['x-request-id']) add(`${status} names another request than its header`);
  if (typeof code !== 'string' || !isFailureCode(code))
    add(`${status} has the code ${String(code)}, which is in no catalog`);
  else if (getFailureStatus(code) !== status) add(`${status} with the code ${code} of another status`);
  checkTold(findings, where, shot, answer, typeof error === 'string' ? error : '');
}

/** What the sentence says beyond what the request itself had said. */
export function checkTold(
  findings: Findings,
  where: string,
  shot: Shot,
  answer: Answer,
  sentence: string,
): void {
  const leaked = TOLD.exec(sentence)?.[0];
  const sent = shot.url.replaceAll('+', ' ') + (shot.body?.toString('latin1') ?? '');
  const isEcho = leaked !== undefined && (sent.includes(leaked) || sent.includes(encodeURIComponent(leaked)));
  if (leaked !== undefined && !isEcho)
    findings.add(
      'nothing told that must not be',
      where,
      `${answer.status} says "${leaked}": ${sentence}`,
      shot,
      answer,
    );
  if (
    /\{\w+\}/.test(sentence) &&
    !shot.url.includes('%7B') &&
    !shot.url.includes('{') &&
    shot.body?.includes('{') !== true
  )
    findings.add(
      'nothing told that must not be',
      where,
      `${answer.status} has an unfilled place: ${sentence}`,
      shot,
      answer,
    );
  if (answer.status >= 400 && TOKEN.test(answer.text))
    findings.add('nothing told that must not be', where, `${answer.status} repeats a token`, shot, answer);
}

export function getCode(json: unknown): string | undefined {
  return isRecord(json) && typeof json.code === 'string' ? json.code : undefined;
}
