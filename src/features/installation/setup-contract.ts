/** What the operator has to set before a live environment can serve clients. */
import { defineOperation } from '#core/operation.ts';
import { describe, OneOf, Type } from '#core/schema.ts';
import { setupMatters, setupStates } from './setup-rules.ts';

const SetupItem = Type.Object({
  matter: OneOf(setupMatters, { description: 'mail, payment, the lab as seller on documents, or backup' }),
  state: OneOf(setupStates, {
    description:
      'set; missing, so that something does not work; or check, which the service cannot know by itself',
  }),
  settings: Type.Array(Type.String({ description: 'name of a setting' }), {
    description: 'what to set; empty where nothing is missing',
  }),
  sentence: Type.String({ description: 'how it stands and what to do, in English' }),
});

export const getLabSetup = defineOperation({
  id: 'get_lab_setup',
  method: 'GET',
  path: '/lab/setup',
  tag: 'lab-health',
  summary: 'Read whether mail, payment, the seller and the backup are set up',
  effect: 'read',
  permission: 'lab:read',
  output: Type.Object({
    items: describe(Type.Array(SetupItem), 'one for each matter, always in the same order'),
  }),
  failures: [],
  example: {
    output: {
      items: [
        {
          matter: 'mail' as const,
          state: 'missing' as const,
          settings: ['SMTP_URL', 'MAIL_FROM'],
          sentence: 'No mail is sent. Set SMTP_URL and MAIL_FROM.',
        },
      ],
    },
  },
});
