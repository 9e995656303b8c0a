/**
 * This folder: whether the service and its database answer. Not here: metrics and logs.
 */
import { defineOperation } from '#core/operation.ts';
import { Type, describe, OneOf } from '#core/schema.ts';
import { setupMatters, setupStates } from './setup-rules.ts';

const Readiness = Type.Object({
  status: Type.String({
    description:
      'ok; degraded where the database refuses writes or the disk of raw files is full; or unavailable with status 503',
  }),
  db: Type.String({
    description:
      'connected; read_only where only reads work; disk_full for a minute after a write found the disk of the database full; or unreachable with status 503',
  }),
  raw_files: Type.Optional(
    Type.String({
      description:
        'disk_full for a minute after a write found the disk of raw files, or its quota, full; absent otherwise',
    }),
  ),
});

export const checkHealth = defineOperation({
  id: 'health',
  method: 'GET',
  path: '/info/health',
  tag: 'info',
  summary: 'Liveness: the process answers, even without its database',
  effect: 'read',
  permission: 'public',
  output: Type.Object({ status: Type.String({ description: 'ok' }) }),
  failures: [],
  example: { output: { status: 'ok' } },
});

export const checkDatabase = defineOperation({
  id: 'health_db',
  method: 'GET',
  path: '/info/health-db',
  tag: 'info',
  summary: 'Readiness: the database answers',
  effect: 'read',
  permission: 'any',
  output: Readiness,
  outage: { status: 'unavailable', db: 'unreachable' },
  failures: [],
  example: { output: { status: 'ok', db: 'connected' } },
});

/** What the operator has to set before a live environment can serve clients. */
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
