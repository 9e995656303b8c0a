import { Type } from '#core/schema.ts';

export const ShortfallReason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'why less than was ordered is enough; needed where something is missing. Only staff read it',
  }),
);
