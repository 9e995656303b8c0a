/** What earlier answers named, by kind, so that later requests reach records in every state. */
import type { Operation } from '#core/operation.ts';
import type { Chance } from './chance.ts';

const KEPT_OF_A_KIND = 60;
const RECENT = 12;

/** What `id` is the id of, by the tag of the operation that answered it. */
const idsOfTags: Readonly<Record<string, string | undefined>> = {
  experiments: 'experiment_id',
  sequences: 'sequence_id',
  targets: 'target_id',
  'custom-targets': 'request_id',
  quotes: 'quote_id',
  'lab-quotes': 'quote_id',
  invoices: 'invoice_id',
  'lab-billing': 'invoice_id',
  lab: 'invoice_id',
  results: 'result_id',
  tokens: 'token_id',
  organization: 'user_id',
};

const idsOfOperations: Readonly<Record<string, string | undefined>> = {
  list_refunds: 'refund_id',
  refund_invoice: 'refund_id',
  retry_refund: 'refund_id',
  list_invitations: 'invitation_id',
  invite_member: 'invitation_id',
  resend_invitation: 'invitation_id',
  get_experiment_sequences: 'sequence_id',
};

/** Under which kind the value of a member is kept; undefined: it is not. */
const kindsOfMembers: Readonly<Record<string, string | undefined>> = {
  experiment_code: 'experiment_id',
  provider_quote_id: 'quote_id',
  provider_invoice_id: 'invoice_id',
  active_organization_id: 'organization_id',
  request_uuid: 'request_uuid',
  next: 'cursor',
  spt: 'spt',
  credit_note_number: 'credit_note_number',
  country: 'country',
  product_id: 'product_id',
};

const CANARY = /canary of house|WCANARYW/;
const HARVEST_DEPTH_MAX = 6;
const LIST_ITEMS_READ = 5;

export class Pool {
  readonly #values = new Map<string, string[]>();

  addValue(kind: string, value: string): void {
    const known = this.#values.get(kind) ?? [];
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > KEPT_OF_A_KIND) known.shift();
    this.#values.set(kind, known);
  }

  /** The newest are likelier: what was just made can still be moved. */
  pick(kind: string, chance: Chance): string | undefined {
    const known = this.#values.get(kind) ?? [];
    if (known.length === 0) return undefined;
    return chance.pick(chance.isDrawn(60) ? known.slice(-RECENT) : known);
  }

  /** Something of another kind. */
  pickAny(chance: Chance): string | undefined {
    const kinds = [...this.#values.keys()];
    return kinds.length === 0 ? undefined : this.pick(chance.pick(kinds), chance);
  }

  harvest(json: unknown, operation?: Operation): void {
    const own = operation === undefined ? undefined : getOwnKind(operation);
    const walk = (value: unknown, depth: number): void => {
      if (depth > HARVEST_DEPTH_MAX || typeof value !== 'object' || value === null) return;
      if (Array.isArray(value)) {
        for (const item of value.slice(0, LIST_ITEMS_READ)) walk(item, depth + 1);
        return;
      }
      for (const [name, item] of Object.entries(value)) {
        if (typeof item === 'string') this.#addMember(name, item, depth <= 2 ? own : undefined);
        else walk(item, depth + 1);
      }
    };
    walk(json, 0);
  }

  #addMember(name: string, value: string, own: string | undefined): void {
    // Words of an organization must not be carried into another by the one who asks.
    if (value === '' || value.length > 400 || CANARY.test(value)) return;
    if (name === 'url' || name.endsWith('_url')) return this.#addAddress(value);
    const kind = kindsOfMembers[name] ?? (name === 'id' || name === 'code' ? own : undefined);
    if (kind !== undefined) this.addValue(kind, value);
    else if (name.endsWith('_id')) this.addValue(name, value);
  }

  #addAddress(address: string): void {
    const key = /\/pay\/([\w-]{16,64})/.exec(address)?.[1];
    if (key !== undefined) this.addValue('pay_key', key);
  }
}

function getOwnKind({ id, tag }: Operation): string | undefined {
  return idsOfOperations[id] ?? idsOfTags[tag];
}
