/** What was found wrong, each fault once: a stream of requests meets the same one a thousand times. */
import { describeAnswer, describeShot, type Answer, type Hide, type Shot } from './shot.ts';

/** Each is a test of its own. */
export type Rule =
  | 'no 5xx'
  | 'declared statuses and codes'
  | 'declared schemas'
  | 'error form'
  | 'nothing told that must not be'
  | 'pages'
  | 'tools'
  | 'sockets'
  | 'no stall'
  | 'no secret in the log'
  | 'other organizations';

interface Finding {
  readonly rule: Rule;
  readonly sentence: string;
  readonly example: string;
  times: number;
}

const KEPT_MAX = 300;

export class Findings {
  readonly #findings = new Map<string, Finding>();
  readonly #hide: Hide;

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  /** `where` and `what` together make a fault; the first request that showed it is kept. */
  add(rule: Rule, where: string, what: string, shot?: Shot, answer?: Answer): void {
    const sentence = this.#hide(`${where}: ${what}`);
    const key = `${rule} ${normalizeSentence(sentence)}`;
    const known = this.#findings.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#findings.size < KEPT_MAX) {
      const shown = shot === undefined ? '' : describeShot(shot, this.#hide);
      const answered = answer === undefined ? '' : `\n${describeAnswer(answer, this.#hide)}`;
      this.#findings.set(key, { rule, sentence, example: shown + answered, times: 1 });
    }
  }

  listByRule(rule: Rule): string[] {
    return [...this.#findings.values()]
      .filter((finding) => finding.rule === rule)
      .map(({ sentence, example, times }) => `${sentence} (${times} times)\n${example}`);
  }
}

/** Ids, numbers and quoted words differ from one request to the next; the fault is the same. */
function normalizeSentence(sentence: string): string {
  return sentence
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, 'id')
    .replaceAll(/req_[\w-]+/g, 'req')
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\d+/g, '0')
    .slice(0, 300);
}
