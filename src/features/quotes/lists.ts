/** The lists of quotes: what their items hold, and how they are filtered, sorted and searched. */
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import {
  CreatedAt,
  Currency,
  ExperimentCode,
  ExperimentId,
  Eta,
  OrganizationId,
  OrganizationName,
} from '#core/fields.ts';
import { defineList, defineMember } from '#core/list-item.ts';
import { describe, Nullable, OneOf, Timestamp, Type, type Static } from '#core/schema.ts';
import { QuoteStatus } from '../pricing/contract.ts';
import { rejectionReasons } from './rules.ts';

const LIST = { name: 'quotes', key: 'id', defaultSort: '-created_at' };
const ID = 'qt_01980000000070008000000000000f01';
const DAY = '2026-01-20T09:00:00.000Z';

/** Of quotes `q` and experiments `e`; `$2` is the address of the service. */
const members = {
  id: defineMember(Type.String({ description: 'qt_ and 32 hexadecimal digits' }), 'q.id', ID),
  quote_number: defineMember(
    Type.String({ description: 'number on the document, such as Q-2026-00001' }),
    'q.quote_number',
    'Q-2026-00001',
    { search: true },
  ),
  organization_id: defineMember(OrganizationId, 'q.organization_id', '01980000-0000-7000-8000-0000000000b1'),
  experiment_id: defineMember(ExperimentId, 'q.experiment_id', '01980000-0000-7000-8000-0000000000e1'),
  experiment_code: defineMember(ExperimentCode, 'e.code', 'DEMO-001-001', { search: true }),
  status: defineMember(
    describe(QuoteStatus, 'only an open quote can be accepted; stale: past its date'),
    'q.status',
    'open',
  ),
  amount_cents: defineMember(
    Type.Integer({ description: 'total with tax, in hundredths of `currency`' }),
    'q.total_cents',
    21200,
  ),
  currency: defineMember(Currency, 'q.currency', 'usd'),
  created_at: defineMember(CreatedAt, 'q.created_at', DAY),
  valid_until: defineMember(
    describe(Timestamp, 'UTC time after which it can no longer be accepted'),
    'q.valid_until',
    '2026-02-19T09:00:00.000Z',
  ),
  eta: defineMember(
    Eta,
    `case when q.status in ('open', 'accepted') then e.eta end`,
    '2026-03-06T16:00:00.000Z',
  ),
  provider_quote_url: defineMember(
    Type.String({ description: 'its page, for a person who is signed in' }),
    `$2::text || '/quotes/' || q.id`,
    `${EXAMPLE_ADDRESS}/quotes/${ID}`,
    false,
  ),
};

export const quotesList = defineList(LIST, members);

export const Rejection = Type.Object({
  reason: OneOf(rejectionReasons, { description: 'closest reason, chosen by the client' }),
  feedback: Nullable(Type.String(), { description: 'details by the client; null without any' }),
});
export type Rejection = Static<typeof Rejection>;

/** With organizations `o`. */
export const labQuotesList = defineList(
  { ...LIST, name: 'quotes of all organizations' },
  {
    ...members,
    organization_name: defineMember(OrganizationName, 'o.name', 'Demo', { search: true }),
    origin: defineMember(
      OneOf(['price_list', 'custom'], { description: 'calculated, or written by hand' }),
      'q.origin',
      'price_list',
      false,
    ),
    opened_at: defineMember(
      Nullable(Timestamp, { description: 'UTC time when it was sent to the client; null before' }),
      'q.opened_at',
      DAY,
      false,
    ),
    rejection: defineMember(
      Nullable(Rejection, { description: 'why the client rejected it; null unless it was rejected' }),
      'q.rejection',
      null,
      false,
    ),
  },
);
