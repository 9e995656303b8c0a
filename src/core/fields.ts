/** Fields that records of several nouns share. Each has one description wherever it is used. */
import { describe, Nullable, Timestamp, Type, Uuid } from './schema.ts';

export const ExperimentId = describe(Uuid, 'of the experiment it belongs to; never changes');
export const ExperimentCode = Type.String({
  description: 'short form of the experiment id for people, such as DEMO-001-001',
});
export const OrganizationId = describe(Uuid, 'organization that owns it');
export const OrganizationName = Type.String({ description: 'present name of the organization that owns it' });
export const CreatedAt = describe(Timestamp, 'when it was made, UTC');
export const UpdatedAt = describe(Timestamp, 'when it last changed, UTC');
export const Currency = Type.String({ description: 'ISO 4217 code in lower case, such as usd' });
export const Warnings = Type.Array(Type.String(), {
  description: 'sentences about what was accepted but looks wrong; empty or absent without any',
});

/** The payment page of an invoice, for every record that shows one. */
export const HostedInvoiceUrl = Nullable(Type.String(), {
  description: 'web page that takes the payment, later shows the receipt; null while the invoice is a draft',
});
