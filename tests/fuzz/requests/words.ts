/**
 * Words that tell whose a record is. A request is written with placeholders, which become the words of whoever sends it in
 * the end: one organization's words in the answer to another have leaked.
 */
import type { Caller } from './callers.ts';

export const OWN_WORDS = 'own-words-here';
/** Letters of amino acids alone. */
export const OWN_PROTEIN = 'QVQLVESGGGLVQAGGSLRLSCAAHEREISMYWN';
export const WEBHOOK_SECRET = 'canary-webhook-secret-0123456789abcdef';
export const PASSWORD = 'canary-passphrase-of-nobody-7719';

const ORGANIZATIONS_MAX = 30;
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const NEUTRAL: Words = { text: 'words of nobody', protein: `${OWN_PROTEIN}NEVTRALNEVTRAL` };

export interface Words {
  readonly text: string;
  readonly protein: string;
}

export class Vocabulary {
  readonly #byOrganization = new Map<string, Words>();
  /** Organizations whose words anyone may read. */
  readonly #published = new Set<string>();

  /** The words of the caller's organization; those of nobody where it has none, or beyond the first thirty. */
  getWords({ organizationId, isHeardByOthers }: Caller): Words {
    if (organizationId === null || isHeardByOthers) return NEUTRAL;
    const known = this.#byOrganization.get(organizationId);
    if (known !== undefined) return known;
    const ordinal = this.#byOrganization.size;
    if (ordinal >= ORGANIZATIONS_MAX) return NEUTRAL;
    const mark = LETTERS.charAt(ordinal % 20) + LETTERS.charAt(Math.floor(ordinal / 20));
    const words = { text: `canary of house ${mark} ends`, protein: `WCANARYW${mark}WENDSW${OWN_PROTEIN}` };
    this.#byOrganization.set(organizationId, words);
    return words;
  }

  /** Found in no log. */
  listProteins(): string[] {
    return [...this.#byOrganization.values()].map(({ protein }) => protein);
  }

  /** Staff listed a target with these words for everyone. */
  publish(text: string): void {
    for (const [organizationId, { text: own, protein }] of this.#byOrganization)
      if (text.includes(own) || text.includes(protein)) this.#published.add(organizationId);
  }

  /** Whose words stand in a text that this caller must not see. */
  findForeignWords(text: string, caller: Caller): string | undefined {
    if (caller.isStaff || !/canary of house|WCANARYW/.test(text)) return undefined;
    for (const [organizationId, { text: own, protein }] of this.#byOrganization) {
      if (organizationId === caller.organizationId || this.#published.has(organizationId)) continue;
      if (text.includes(own)) return own;
      if (text.includes(protein)) return protein;
    }
    return undefined;
  }
}

/** Byte for byte, because a body need not be text. */
export function speakBytes(body: Buffer, own: Words): Buffer {
  return Buffer.from(speakText(body.toString('latin1'), own), 'latin1');
}

export function speakText(text: string, own: Words): string {
  return text.replaceAll(OWN_WORDS, own.text).replaceAll(OWN_PROTEIN, own.protein);
}
