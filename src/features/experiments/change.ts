/** The body of a change to an experiment: clients send every field, with null for those they leave alone. */
import { Nullable, strict, Type, Uuid } from '#core/schema.ts';
import { NewSequences, SEQUENCES } from '../sequences/contract.ts';

const defineClearableText = (what: string) =>
  Type.Optional(Nullable(Type.String(), { description: `${what}; null keeps it, an empty text clears it` }));
const record = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const ExperimentChange = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String(), { description: 'title for people; null keeps it' })),
    description: defineClearableText('description for people'),
    target_id: Type.Optional(
      Nullable(Uuid, { description: 'target of the catalog; null clears it, omitted keeps it' }),
    ),
    antigen_concentrations: Type.Optional(
      Nullable(Type.Array(Type.Number(), { maxItems: 24 }), {
        description: 'nM; affinity only; null keeps the series',
      }),
    ),
    n_replicates: Type.Optional(
      Nullable(Type.Integer(), { description: 'measurements of each sequence: 1 to 5; null keeps it' }),
    ),
    parameters: Type.Optional(Nullable(record, { description: 'replaced as a whole; null keeps them' })),
    sequences: Type.Optional(
      Nullable(NewSequences, { description: `${SEQUENCES}; replaces all of them; null keeps them` }),
    ),
    webhook_url: defineClearableText('https address that receives a signed POST for each change of status'),
    webhook_secret: defineClearableText('secret for signing deliveries'),
  },
  strict,
);
